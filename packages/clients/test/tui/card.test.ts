import type { Question } from '@passepartout/core/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardBody, cardRows, cardTitle } from '../../src/tui/card.ts'
import { columnsOf, plainText } from '../../src/tui/text.ts'

const question: Question = {
  id: '0123',
  token: 'abcdef',
  target: 'tool',
  source: 'tui',
  tool: 'capture-task',
  args: '{"title":"Buy oat milk"}',
  explanation: 'You asked me to remember it.',
  askers: [{ gate: 'permissions', rule: 'ask', reason: 'Your rule wants to be asked.' }],
  preview: '--- inbox.org\n+++ inbox.org\n@@ -1 +1,2 @@\n * TODO Water\n+* TODO Buy oat milk',
  offers: [{ word: 'tool', shows: 'capture-task, always' }],
  asked: 0,
  expires: 1,
}

const all = { from: 0, to: 99 }

test('a card shows the action, the reason, the gate and the change', () => {
  const rows = cardRows(question, 50, { fate: 'waiting', keys: null, shows: all, hint: 'Tab' })
  expect(rows.map(plainText)).toEqual([
    '╭─ Needs your approval  capture-task ────────────╮',
    '│ title     Buy oat milk                         │',
    '│                                                │',
    '│ it says   You asked me to remember it.         │',
    '│                                                │',
    '│ gate      Your rule wants to be asked.         │',
    '│           permissions, ask                     │',
    '│ 1 always  capture-task, always                 │',
    '│                                                │',
    '│ --- inbox.org                                  │',
    '│ +++ inbox.org                                  │',
    '│ @@ -1 +1,2 @@                                  │',
    '│  * TODO Water                                  │',
    '│ +* TODO Buy oat milk                           │',
    '╰─ Tab ──────────────────────────────────────────╯',
  ])
  const frame = { fate: 'approved', keys: null, shows: all, hint: '' } as const
  expect(cardRows(question, 30, frame).map(plainText)).toEqual(['✓ approved  capture-task      '])
})

test('nothing inside a card can leave it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('│ ╯\n╰', '\x1b[2J', '\u202eevil', '豆'.repeat(90)),
  )
  fc.assert(
    fc.property(
      text,
      text,
      text,
      fc.integer({ min: 24, max: 90 }),
      (tool, explanation, preview, width) => {
        const hostile = {
          ...question,
          tool,
          explanation,
          preview,
          args: JSON.stringify({ [tool]: preview }),
        }
        const rows = cardRows(hostile, width, {
          fate: 'waiting',
          keys: null,
          shows: all,
          hint: 'Tab',
        })
        for (const row of rows.map(plainText)) {
          expect(columnsOf(row)).toBe(width)
          expect(row).toMatch(/^[╭│╰].*[╮│╯]$/)
          expect(row).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]/)
        }
        expect(cardTitle(hostile)).not.toContain('\n')
        expect(cardBody(hostile, width - 4).length).toBeGreaterThan(3)
      },
    ),
  )
})
