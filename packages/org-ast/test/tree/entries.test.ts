import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineIndex } from '../../src/text/lines.ts'
import { Entries, Origin, Run } from '../../src/text/origin.ts'
import {
  bodyOf,
  entryAt,
  headOf,
  moved,
  replaceEntries,
  startOf,
  textOf,
} from '../../src/tree/entries.ts'

function filled(count: number): Entries {
  const lines = new LineIndex('*\nx'.repeat(count))
  const entries = new Entries()
  for (let at = 0; at < count; at++) {
    const run = entries.room()
    entries.push(
      new Origin(lines, at * 3, at * 3 + 2, run),
      new Origin(lines, at * 3 + 2, at * 3 + 3, run),
    )
  }
  return entries
}

const change = fc.record({
  from: fc.nat({ max: 300 }),
  drop: fc.nat({ max: 150 }),
  put: fc.nat({ max: 150 }),
})

test('entries can be replaced, and those behind them move', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      let entries = filled(300)
      for (const { from: wish, drop, put } of changes) {
        const from = Math.min(wish, entries.count - 1)
        const to = Math.min(from + drop, entries.count)
        const lines = new LineIndex('*\ny'.repeat(put))
        const base = { offset: from * 3, line: from }
        const placed = Array.from({ length: put }, (_, at) => {
          const head = new Origin(lines, at * 3, at * 3 + 2, new Run())
          const body = new Origin(lines, at * 3 + 2, at * 3 + 3, new Run())
          return { head, body, headAt: moved(head, base), bodyAt: moved(body, base) }
        })
        if (entries.count - (to - from) + put === 0) return
        const count = put - (to - from)
        entries = replaceEntries(entries, from, to, placed, { offset: count * 3, line: count })
      }
      expect(textOf(entries)).toHaveLength(entries.count * 3)
      for (let entry = 0; entry < entries.count; entry += 7) {
        expect(startOf(entries, entry)).toBe(entry * 3)
        const head = headOf(entries, entry)
        expect(head.point(head.begin).line).toBe(entry + 1)
        expect(bodyOf(entries, entry).begin).toBe(head.end)
        expect(entryAt(entries, entry * 3 + 1)).toBe(entry)
        expect(textOf(entries, entry, entry + 1)).toMatch(/^\*\n[xy]$/)
      }
    }),
  )
})
