import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Budget, Jail } from '../../src/jail/jail.ts'

function jailed(limits = {}, ended: (why: string) => void = () => {}): Jail {
  const jail = new Jail(limits, ended)
  onTestFinished(() => jail.close())
  return jail
}

test('a budget only shrinks', () => {
  const step = fc.record({ do: fc.constantFrom('run', 'rest', 'request'), after: fc.nat(50) })
  fc.assert(
    fc.property(fc.array(step), fc.nat(3), (steps, requests) => {
      const budget = new Budget(100, requests)
      let [now, left, granted] = [0, 100, 0]
      for (const { after, do: what } of steps) {
        now += after
        if (what === 'request') granted += Number(budget.request())
        else if (what === 'run') budget.run(now)
        else budget.rest(now)
        expect(budget.left(now)).toBeLessThanOrEqual(left)
        left = budget.left(now)
      }
      expect(granted).toBeLessThanOrEqual(requests)
    }),
  )
})

test('a skill is loaded, judged with, and called', async () => {
  const jail = jailed()
  const code = `const word = 'one'
gate('quiet', 10, (input) => ({ kind: 'reject', reason: word + input.action.n }))
tool('look', { about: 'Looks' }, async (args, { call }) => (await call('search', args)) + word)`
  expect(await jail.load('a', code)).toMatchObject({
    contributions: [{ kind: 'gate' }, { kind: 'tool', name: 'look' }],
  })
  await jail.load('b', "const word = 'two'; hook('beat', () => typeof word + typeof process)")
  const asked = [{ skill: 'a', entry: 'gate:quiet' }]
  expect(await jail.judge(asked, { action: { n: 1 } })).toMatchObject([
    { said: { kind: 'reject', reason: 'one1' } },
  ])
  const effects = async (tool: string, args: object) => ({
    ok: true,
    text: `${tool} ${JSON.stringify(args)} `,
  })
  expect(await jail.call('a', 'tool:look', { q: 1 }, effects)).toBe('search {"q":1} one')
  expect(await jail.call('b', 'hook:beat', null)).toBe('stringundefined')
  jail.drop('b')
  await expect(jail.call('b', 'hook:beat', null)).rejects.toThrow('not loaded')
})

test('an error has its line', async () => {
  const jail = jailed()
  await expect(jail.load('bad', '\n\nnull.x')).rejects.toMatchObject({ kind: 'failed', line: 3 })
  await jail.load('late', "\nhook('a', () => {\n  missing()\n})")
  await expect(jail.call('late', 'hook:a', 0)).rejects.toMatchObject({ kind: 'failed', line: 3 })
})

test('a loop of refused requests ends', async () => {
  const jail = jailed({ requestsMax: 20 })
  const again = 'for (;;) await call("none").catch(() => {})'
  await jail.load('a', `hook('a', async (_, { call }) => { ${again} })\nhook('good', () => 7)`)
  await expect(jail.call('a', 'hook:a', null)).rejects.toThrow('more than 20 requests')
  expect(await jail.call('a', 'hook:good', null)).toBe(7)
  const busy = jailed({ workMs: 300, requestsMax: 1_000_000 })
  await busy.load('a', `hook('a', async (_, { call }) => { ${again} })`)
  await expect(busy.call('a', 'hook:a', null)).rejects.toThrow('did not return')
})

test('a request is not in the time of a skill, and a loop beside it is', async () => {
  const jail = jailed({ workMs: 200 })
  const patient = jailed({ workMs: 2_000 })
  const code = `hook('waits', async (_, { call }) => call('slow'))
hook('loops', async (_, { call }) => { call('slow'); for (;;); })
hook('stuck', () => new Promise(() => {}))
hook('leaves', () => { const again = () => Promise.resolve().then(again); again(); return 7 })`
  for (const each of [jail, patient]) await each.load('a', code)
  const slow = () =>
    new Promise<{ ok: boolean; text: string }>((resolve) => {
      setTimeout(() => resolve({ ok: true, text: 'late' }), 2_500)
    })
  expect(await patient.call('a', 'hook:waits', null, slow)).toBe('late')
  await expect(jail.call('a', 'hook:loops', null, slow)).rejects.toThrow('did not return')
  await expect(patient.call('a', 'hook:stuck', null)).rejects.toThrow('never come')
  await expect(jail.call('a', 'hook:leaves', null)).rejects.toThrow('did not return')
})

test('a gate that does not return is the last of its round, and is told once', async () => {
  const told: string[] = []
  const jail = jailed({ gateMs: 2_000, workMs: 50 }, (why: string) => told.push(why))
  await jail.load('good', "gate('a', 1, ({ action }) => ({ kind: 'pass', action }))")
  await jail.load('loop', "gate('a', 1, () => { for (;;); })")
  await jail.load('bomb', "gate('a', 1, () => 'x'.padEnd(2 ** 28).split(''))")
  const round = (...skills: string[]) =>
    jail.judge(
      skills.map((skill) => ({ skill, entry: 'gate:a' })),
      { action: 7 },
    )
  const good = { said: { kind: 'pass', action: 7 } }
  const overran = { error: { message: 'it did not return in time' } }
  expect(await round('good', 'loop', 'good')).toMatchObject([good, overran])
  expect(await round('bomb', 'good')).toMatchObject([{ error: { kind: 'overran' } }])
  expect(await round('good')).toMatchObject([good])
  expect(told).toHaveLength(2)
})

test('gates of a round see what the others made', async () => {
  const jail = jailed()
  const code = `gate('more', 1, ({ action }) => ({ kind: 'change', action: action + 1 }))
gate('look', 1, ({ action }) => ({ kind: 'pass', action }))
gate('no', 1, ({ action }) => ({ kind: 'reject', reason: String(action) }))`
  await jail.load('a', code)
  const asked = ['more', 'look', 'no', 'look'].map((name) => ({
    skill: 'a',
    entry: `gate:${name}`,
  }))
  expect(await jail.judge(asked, { action: 1 })).toMatchObject([
    { said: { action: 2 } },
    { said: { action: 2 } },
    { said: { reason: '2' } },
    { said: { action: 1 } },
  ])
})
