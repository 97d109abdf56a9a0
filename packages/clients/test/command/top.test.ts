import { expect, test } from 'vitest'
import { fetchFigures, readFigures, topText } from '../../src/command/top.ts'

const text = `# HELP passepartout_verdicts_total What the gates said.
passepartout_verdicts_total{gate="policy",verdict="pass"} 7
passepartout_verdicts_total{gate="policy",verdict="reject"} 2
passepartout_provider_calls_total{provider="a \\"b\\" \\\\ \\n\x1b[2J",outcome="answered"} 3
passepartout_provider_calls_total{provider="a \\"b\\" \\\\ \\n\x1b[2J",outcome="timeout"} 1
passepartout_provider_seconds_total{provider="a \\"b\\" \\\\ \\n\x1b[2J"} 6
passepartout_turns_waiting 1
process_start_time_seconds 1000
process_cpu_seconds_total 4
process_resident_memory_bytes 80000000
nonsense
`

test('the screen is made of figures', () => {
  const figures = readFigures(text)
  expect(figures).toHaveLength(9)
  expect(figures[2]?.labels.provider).toBe('a "b" \\ \n\x1b[2J')
  const before = { at: 1_098_000, figures: readFigures('process_cpu_seconds_total 3.5') }
  const shown = topText({ at: 1_100_000, figures }, before)
  expect(shown).toContain('up 0:01:40   80 MB   25.0 % of a processor')
  expect(shown).toContain('waiting: 1 turns, 0 questions to you')
  expect(shown).toMatch(/␛\[2J +4 +1 +1\.50 +0$/m)
  expect(shown).toMatch(/^policy +2 +0 +0$/m)
  expect(shown).not.toContain('\x1b')
})

test('without a daemon it says what to do', async () => {
  await expect(fetchFigures('/nonexistent')).rejects.toThrow('npx passepartout start')
})
