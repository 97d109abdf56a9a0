import { formatProblem } from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { approverSection } from '../../src/chat/approvers.ts'

function read(value: string) {
  const text = `* My phone\n:PROPERTIES:\n:APPROVER: ${value}\n:END:\n`
  const { problems, sections } = readConfig(text, 'config.org', { approvers: approverSection })
  return { approvers: sections.approvers.flat(), problems: problems.map(formatProblem) }
}

test('people are read from a headline', () => {
  expect(read('telegram:4711  signal:+4930901820')).toEqual({
    approvers: ['telegram:4711', 'signal:+4930901820'],
    problems: [],
  })
})

test.each(['telegram', 'cli:ann', 'telegram:', 'telegram:4711 everybody', 'telegram:*'])(
  '%s approves nothing',
  (value) => {
    const { approvers, problems } = read(value)
    expect(approvers).toEqual([])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^config\.org:3: error: :APPROVER: expected people as/)
  },
)
