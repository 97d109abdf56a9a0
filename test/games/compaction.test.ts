import { expect, test } from 'vitest'
import { games, keptOfAll, windows } from './compaction.ts'

test('the games are long', () => {
  for (const { entries, numbers, questions } of games) {
    const steps = entries.filter(({ kind }) => kind === 'result').length
    expect(steps).toBeGreaterThanOrEqual(60)
    expect(steps).toBeLessThanOrEqual(150)
    expect(numbers.length).toBeGreaterThan(60)
    expect(questions.length).toBeGreaterThan(60)
  }
})

test.each(windows)('what is kept in a window of %d tokens', async (window) => {
  const { each, mean } = await keptOfAll(window)
  for (const share of [mean.commands, mean.paths, mean.numbers])
    expect(share).toBeGreaterThanOrEqual(0.95)
  expect(mean.answers).toBeGreaterThanOrEqual(0.83)
  for (const { tokens } of each) expect(tokens).toBeLessThanOrEqual(window / 4)
})
