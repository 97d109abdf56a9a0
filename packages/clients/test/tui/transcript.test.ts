import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainText } from '../../src/tui/text.ts'
import {
  type Anchor,
  type Item,
  itemRows,
  scrolled,
  visibleRows,
} from '../../src/tui/transcript.ts'

const notice = (id: number, rows: number): Item => ({
  id,
  kind: 'notice',
  text: Array.from({ length: rows }, (_, row) => `${id}.${row}`).join('\n'),
  tone: 'muted',
})

const shown = (items: Item[], height: number, anchor: Anchor) =>
  visibleRows(items, 40, height, anchor).rows.map(plainText)

test('what is read stays, and the end is followed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.integer({ min: -9, max: 9 })),
      (lengths, height, moves) => {
        const items = lengths.map((rows, id) => notice(id, rows))
        let anchor: Anchor = null
        for (const move of moves) anchor = scrolled(items, 40, height, anchor, move)
        const before = shown(items, height, anchor)
        const grown = [...items, notice(999, 3)]
        const after = shown(grown, height, anchor)
        if (anchor !== null) expect(after).toEqual(before)
        else
          expect(after.slice(0, -1).at(-1) ?? ' ·  999.2').toBe(
            height > 1 ? '    999.2' : ' ·  999.2',
          )
        expect(before.length).toBeLessThanOrEqual(height)
      },
    ),
  )
})

test('an anchor outlives another width', () => {
  const items = [notice(1, 9), { ...notice(2, 1), text: 'word '.repeat(60) } as Item, notice(3, 20)]
  const up = scrolled(items, 80, 6, null, -12)
  expect(scrolled(items, 80, 6, up, 12)).toBeNull()
  for (const width of [20, 80, 200]) {
    const { rows, above, below } = visibleRows(items, width, 6, up)
    expect(rows).toHaveLength(6)
    const total = items.reduce((sum, item) => sum + itemRows(item, width).length, 0)
    expect(above + rows.length + below).toBe(total)
  }
})
