import { expect, onTestFinished, test } from 'vitest'
import { GateJail } from '../../src/jail/gate-jail.ts'

function jailed(limits = {}) {
  const told: string[] = []
  const jail = new GateJail({ gateMs: 3_000, ...limits }, (why, skills) => {
    told.push(`${why}: ${skills.join(' ')}`)
  })
  onTestFinished(() => jail.close())
  const ask = (...skills: string[]) =>
    jail.judge(
      skills.map((skill) => ({ skill, entry: 'gate:a' })),
      { action: { n: 1 } },
    )
  return { jail, told, ask }
}

const pass = "gate('a', 1, ({ action }) => ({ kind: 'pass', n: action.n }))"

test('each gate has its say, whatever the others do', async () => {
  const { ask, jail, told } = jailed()
  await jail.load(
    'more',
    "gate('a', 1, ({ action }) => ({ kind: 'change', action: { n: action.n + 1 } }))",
  )
  await jail.load('loop', "gate('a', 1, () => { for (;;); })")
  await jail.load('bomb', "gate('a', 1, () => 'x'.padEnd(2 ** 28).split(''))")
  await jail.load('no', "gate('a', 1, () => ({ kind: 'reject' }))")
  await jail.load('pass', pass)
  const round = ['more', 'loop', 'more', 'bomb', 'pass', 'no', 'more', 'pass']
  for (const _ of ['together', 'and known']) {
    expect(await ask(...round)).toMatchObject([
      { said: { kind: 'change', action: { n: 2 } } },
      { error: { message: 'it did not return in time' } },
      { said: { kind: 'change', action: { n: 3 } } },
      { error: { message: 'it used up its memory' } },
      { said: { n: 3 } },
      { said: { kind: 'reject' } },
      { said: { kind: 'change', action: { n: 2 } } },
      { said: { n: 1 } },
    ])
  }
  expect(told).toHaveLength(2)
})

test('a gate that hoards memory takes nobody else out', async () => {
  const { ask, jail, told } = jailed({ memoryMb: 16 })
  const hoard = `const kept = []
gate('a', 1, () => {
  for (let i = 0; i < 30_000; i++) kept.push({ i })
  return { kind: 'pass' }
})`
  const strict = `gate('a', 1, () => {
  const table = Array.from({ length: 60_000 }, (_, i) => ({ i }))
  return { kind: 'reject', reason: String(table.length) }
})`
  await jail.load('collector', hoard)
  await jail.load('strict', strict)
  const faults = new Set<number>()
  for (let round = 0; round < 40; round++) {
    const verdicts = await ask('collector', 'strict')
    for (const [at, verdict] of verdicts.entries()) if ('error' in verdict) faults.add(at)
    expect(verdicts[1]).toMatchObject({ said: { kind: 'reject' } })
  }
  expect([...faults]).toEqual([0])
  expect(told).toHaveLength(1)
})

test('a new text is not suspected', async () => {
  const { ask, jail } = jailed({ gateMs: 2_000 })
  await jail.load('loop', "gate('a', 1, () => { for (;;); })")
  await jail.load('pass', pass)
  expect(await ask('loop', 'pass')).toMatchObject([{ error: {} }, { said: { n: 1 } }])
  await jail.load('loop', pass)
  expect(await ask('loop', 'pass')).toMatchObject([{ said: { n: 1 } }, { said: { n: 1 } }])
  jail.drop('loop')
  expect(await ask('loop', 'pass')).toMatchObject([{ error: { kind: 'failed' } }, { said: {} }])
})
