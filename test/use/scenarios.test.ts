import { afterAll, expect, test } from 'vitest'
import { type Played, playScenario, scenarios, tableOf } from './scenarios.ts'

const played: Played[] = []

afterAll(() => {
  const held = played.filter(({ holds }) => holds).length
  console.log(`${tableOf(played)}\n\n${held} of ${played.length} hold`)
})

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  async (_, scenario) => {
    const one = await playScenario(scenario)
    played.push(one)
    const { fault, happened } = one
    expect(fault, happened).toBeNull()
    expect(happened).not.toBe('')
  },
)

test('there are as many as were promised, each under a name of its own', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
  expect(scenarios.length).toBeGreaterThanOrEqual(22)
})

test('a broken promise is in the table', async () => {
  const scenario = {
    name: 'a lie',
    asked: 'a | b',
    tried: 'nothing',
    scene: () => ({ notes: {}, script: [] }),
    play: async () => {
      throw new Error('it did not hold\nat all')
    },
  }
  const table = tableOf([await playScenario(scenario)]).split('\n')
  expect(table[2]).toBe(
    '| a lie    | a \\vert{} b    | nothing              | it did not hold | NO    |',
  )
})
