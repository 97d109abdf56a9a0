import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from '../../src/base/line-diff.ts'

const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd')).map((lines) => lines.join(''))

test('both texts can be read off, and the way is the shortest', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const way = lineDiff(before, after)
      const without = (kind: string) => way.flatMap((step) => (step.kind === kind ? [] : step.line))
      expect(without('in').join('')).toBe(before)
      expect(without('out').join('')).toBe(after)
      const shared = way.filter(({ kind }) => kind === 'same').length
      expect(shared).toBe(mostShared(without('in'), without('out')))
    }),
  )
})

function mostShared(one: readonly string[], other: readonly string[]): number {
  let above = other.map(() => 0)
  for (const line of one) {
    const row: number[] = []
    other.forEach((put, at) => {
      const along = line === put ? (above[at - 1] ?? 0) + 1 : 0
      row.push(Math.max(along, above[at]!, row[at - 1] ?? 0))
    })
    above = row
  }
  return above.at(-1) ?? 0
}

test('what has nothing in common is replaced', () => {
  const lines = (word: string) => Array.from({ length: 2_000 }, (_, at) => `${word} ${at}\n`)
  const way = lineDiff(lines('one').join(''), lines('other').join(''))
  expect(way.map(({ kind }) => kind)).toEqual([
    ...Array(2_000).fill('out'),
    ...Array(2_000).fill('in'),
  ])
})
