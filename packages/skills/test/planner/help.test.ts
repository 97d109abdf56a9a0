import { expect, test } from 'vitest'
import { readCommand } from '../../src/planner/grammar.ts'
import { helpExamples, helpText, whoText } from '../../src/planner/help.ts'

test.each(helpExamples)('“%s” is understood', (example) => {
  expect(readCommand(example, new Date(2026, 10, 21, 9, 30)).kind).not.toBe('unclear')
})

test('the help is short, and each topic has its own', () => {
  expect(helpText().split('\n').length).toBeLessThan(24)
  for (const topic of ['capture', 'agenda', 'undo', 'refile', 'run'])
    expect(helpText(topic)).not.toBe(helpText())
  expect(helpText('sourdough')).toBe(helpText())
  expect(whoText).toContain('not a language model')
})
