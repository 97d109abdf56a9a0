import { expect, test } from 'vitest'
import { receiptOf, receiptText } from '../../src/pipeline/receipt.ts'

const deed = (what: string, state: 'done' | 'failed' | 'waiting', ...changed: string[]) => {
  return { what, isCommand: what.startsWith('npm'), state, changed }
}

test('a receipt says what was done, and nothing where nothing was', () => {
  const deeds = [
    deed('change-task Beans', 'done', 'a.org'),
    deed('change-task Peas', 'done', 'a.org', 'b.org'),
    deed('change-task Leeks', 'failed'),
    deed('npm run\nbuild', 'failed', 'c.org'),
    deed('write-file x.ts', 'done'),
    deed('archive-task Old', 'waiting'),
  ]
  const receipt = receiptOf(deeds, ['b.org', 'a.org'])
  expect(receiptText(receipt!)).toBe(
    `Changed: a.org, b.org. “undo” takes it back.
Changed: c.org, which undo does not take back.
Ran: npm run build (failed).
Done: write-file x.ts.
Waits for your yes: archive-task Old.`,
  )
  expect(receiptOf([deed('change-task Leeks', 'failed')], [])).toBeNull()
  expect(receiptOf([deed('archive-task Old', 'waiting')], [])).toBeNull()
  const many = Array.from({ length: 12 }, (_, at) => deed(`write-file ${at}`, 'done'))
  expect(receiptText(receiptOf(many, [])!)).toMatch(/write-file 9, 2 more\.$/)
})
