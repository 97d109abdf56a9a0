import { formatProblem, mindDefaults } from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { mindSection } from '../../src/profiles/reasoning-settings.ts'

function read(...lines: string[]) {
  const drawer = [':PROPERTIES:', ':MIND: yes', ...lines, ':END:']
  const { problems, sections } = readConfig(`* Thinking\n${drawer.join('\n')}\n`, 'config.org', {
    mind: mindSection,
  })
  return { settings: sections.mind[0], problems: problems.map(formatProblem) }
}

test('what is not said is as the core has it', () => {
  const { problems, settings } = read()
  const breaker = { ...mindDefaults.breaker, restMaxMs: 960_000 }
  expect({ problems, settings }).toEqual({ problems: [], settings: { ...mindDefaults, breaker } })
})

test('what is said is taken', () => {
  const voice = [':NAME: Aouda', ':VOICE: Dry, no greetings.']
  const { settings } = read(
    ...[':CONSENSUS: 3', ':BACKGROUND: Reflex', ':REFLEX: no', ':ROOM: 20000', ...voice],
  )
  expect(settings).toMatchObject({
    consensus: { providers: 3, deadlineMs: 60_000 },
    tiers: { background: 'reflex', reflex: false },
    persona: { name: 'Aouda', voice: 'Dry, no greetings.' },
    prompt: { tokensMax: 20_000, contextMax: 1_800 },
  })
  const spending = read(':TURN_MONEY: 0.50 usd', ':TURN_TIME: 20min').settings
  expect(spending?.turn).toEqual({ money: 0.5, tokens: 3_000_000, timeMs: 1_200_000 })
})

test.each([
  [':CONSENSUS: all', 'a whole number from 1 to 5'],
  [':BACKGROUND: always', 'one of reflex, cognition, reasoning'],
  [':ROOM: 10', 'a whole number from 1000'],
  [':HOLD_BACK: 0', 'a whole number from 40'],
  [':BREAKER_REST: soon', 'a time such as'],
  [':TURN_MONEY: 5 EUR', 'an amount such as 2.50 USD'],
  [':TURN_MONEY: 0', 'an amount such as 2.50 USD'],
])('%s is told with its line', (line, words) => {
  const { problems, settings } = read(line)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/^config\.org:4: error/)
  expect(problems[0]).toContain(words)
  expect(settings).toBeUndefined()
})
