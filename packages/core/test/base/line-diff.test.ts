import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffOf, lineDiff } from '../../src/base/line-diff.ts'

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
  const diff = diffOf('x', lines('one').join(''), lines('other').join(''))
  expect(diff.match(/^@@.*$/gm)).toEqual(['@@ -1,2001 +1,2001 @@'])
})

function patched(before: string, diff: string): string {
  const result = before.split('\n')
  let shift = 0
  for (const piece of diff.split(/^@@ /m).slice(1)) {
    const [head = '', ...lines] = piece.replace(/\n$/, '').split('\n')
    const [, from, count] = /^-(\d+),(\d+)/.exec(head)!.map(Number)
    const now = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1))
    result.splice(from! - 1 + shift, count!, ...now)
    shift += now.length - count!
  }
  return result.join('\n')
}

test('a diff leads from the one text to the other', () => {
  const text = fc.array(fc.constantFrom('', 'a', 'b', '* c', '@@ d'), { maxLength: 40 })
  fc.assert(
    fc.property(text, text, text, (one, two, same) => {
      const lines = [...one, ...same, ...two].join('\n')
      const other = [...two, ...same, ...one].join('\n')
      expect(patched(lines, diffOf('x', lines, other))).toBe(other)
    }),
  )
})

test('what is far apart is shown apart', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  const after = before.replace('line 3\n', 'LINE 3\n').replace('line 30\n', '')
  expect(diffOf('a.org', before, after).match(/^@@.*$/gm)).toEqual([
    '@@ -1,7 +1,7 @@',
    '@@ -28,7 +28,6 @@',
  ])
  expect(diffOf('a.org', before, before)).toBe('')
})
