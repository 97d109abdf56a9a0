import { expect, onTestFinished, test } from 'vitest'
import { Compartments } from '../src/compartments.ts'

function ring(limits = {}): Compartments {
  const jail = new Compartments(limits)
  onTestFinished(() => jail.close())
  return jail
}

test('a skill is loaded, asked at once, and called', async () => {
  const jail = ring()
  const code = `const word = 'one'
gate('quiet', 10, (input) => ({ kind: 'reject', reason: word + input.n }))
tool('look', { about: 'Looks' }, async (args, { call }) => (await call('search', args)) + word)`
  expect(await jail.load('a', code)).toMatchObject([
    { kind: 'gate' },
    { kind: 'tool', name: 'look' },
  ])
  await jail.load('b', "const word = 'two'; hook('beat', () => typeof word + typeof process)")
  expect(jail.callNow('a', 'gate:quiet', { n: 1 })).toEqual({ kind: 'reject', reason: 'one1' })
  const effects = async (tool: string, args: object) => ({
    ok: true,
    text: `${tool} ${JSON.stringify(args)} `,
  })
  expect(await jail.call('a', 'tool:look', { q: 1 }, effects)).toBe('search {"q":1} one')
  expect(await jail.call('b', 'hook:beat', null)).toBe('stringundefined')
  jail.drop('b')
  await expect(jail.call('b', 'hook:beat', null)).rejects.toThrow('not loaded')
})

test('what does not return is ended, and the others go on', async () => {
  const jail = ring({ gateMs: 300 })
  await jail.load('loop', "gate('loop', 1, () => { for (;;); })")
  await jail.load('good', "gate('good', 1, () => ({ kind: 'pass' }))")
  expect(() => jail.callNow('loop', 'gate:loop', null)).toThrow('did not return')
  await jail.load('other', 'hook("a", () => 1)')
  expect(jail.callNow('good', 'gate:good', null)).toEqual({ kind: 'pass' })
})

test('an error has its line', async () => {
  const jail = ring()
  await expect(jail.load('bad', '\n\nnull.x')).rejects.toMatchObject({ kind: 'failed', line: 3 })
  await jail.load('late', "\nhook('a', () => {\n  missing()\n})")
  await expect(jail.call('late', 'hook:a', 0)).rejects.toMatchObject({ kind: 'failed', line: 3 })
})
