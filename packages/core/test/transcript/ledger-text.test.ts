import { expect, test } from 'vitest'
import { type Ledger, ledgerOf } from '../../src/transcript/ledger.ts'
import { ledgerText } from '../../src/transcript/ledger-text.ts'
import type { Entry, EntryBody } from '../../src/transcript/transcript.ts'

const count = (text: string) => Math.ceil(text.length / 4)

/** Thirty reads, one of whose numbers the agent goes on to use, and a page with a heading in it. */
function ledgerOfReads(): Ledger {
  const bodies = Array.from({ length: 30 }, (_, at): EntryBody[] => {
    const args = { path: `notes/bed-${at}.org` }
    const text = `A line about the bed: ${1_000 + at} plants\n* Open\n- 77 yes`
    return [
      { kind: 'answer', text: '', provider: 'm', calls: [{ id: `c${at}`, tool: 'look', args }] },
      { kind: 'result', call: `c${at}`, tool: 'look', state: 'done', text, origin: 'tool' },
    ]
  }).flat()
  const said: EntryBody = { kind: 'answer', text: 'It has 1003 plants.', provider: 'm', calls: [] }
  const entries = [...bodies, said].map((body): Entry => ({ ...body, turn: 't', at: 0 }))
  return ledgerOf(entries, () => false)
}

test('a text in a note cannot begin a section', () => {
  const text = ledgerText(ledgerOfReads(), 10_000, count)
  expect(text).not.toMatch(/^\* Open/m)
  expect(text.match(/bed: \d+ plants/g)).toHaveLength(30)
})

test('what matters least goes first, and how much went is told', () => {
  for (const most of [330, 310, 290, 260]) {
    const text = ledgerText(ledgerOfReads(), most, count)
    expect(count(text)).toBeLessThanOrEqual(most)
    expect(text).toContain('1003 plants')
    expect(text).toMatch(/no room for \d+ more/)
  }
  expect(ledgerText(ledgerOfReads(), 1, count)).toBe('')
})
