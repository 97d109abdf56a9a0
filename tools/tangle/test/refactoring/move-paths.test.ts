import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { expandMoves, readMoves, targetAfter } from '../../src/refactoring/move-paths.ts'

test('a list of moves is read line by line', () => {
  const text = '# rooms\n\na.org x/b.org\n  c.org d.org  The new title \n'
  expect(readMoves(text, '/book')).toEqual([
    { from: '/book/a.org', to: '/book/x/b.org', title: null },
    { from: '/book/c.org', to: '/book/d.org', title: 'The new title' },
  ])
  expect(() => readMoves('a b\nc\n', '/')).toThrow('line 2 is not “FROM TO”')
})

test('folders stand for their files, and no place is given twice', () => {
  const root = mkdtempSync(join(tmpdir(), 'moves-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'room/deep'), { recursive: true })
  for (const name of ['a.org', 'b.org', 'room/c.org', 'room/deep/d.png']) {
    writeFileSync(join(root, name), '')
  }
  const moves = (...pairs: [string, string][]) =>
    expandMoves(
      pairs.map(([from, to]) => ({ from: join(root, from), to: join(root, to), title: null })),
    )
  const local = (map: Map<string, string>) =>
    [...map].map((pair) => pair.map((path) => path.slice(root.length + 1)).join(' → ')).sort()
  expect(local(moves(['room', 'hall'], ['a.org', 'other'], ['b.org', 'b.org']))).toEqual([
    'a.org → other/a.org',
    'room/c.org → hall/c.org',
    'room/deep/d.png → hall/deep/d.png',
  ])
  expect(local(moves(['a.org', 'b.org'], ['b.org', 'a.org']))).toEqual([
    'a.org → b.org',
    'b.org → a.org',
  ])
  expect(() => moves(['none.org', 'x.org'])).toThrow('there is no')
  expect(() => moves(['a.org', 'b.org'])).toThrow('is there already')
  expect(() => moves(['a.org', 'x.org'], ['b.org', 'x.org'])).toThrow('both go to')
  expect(() => moves(['room', 'x'], ['room/c.org', 'y.org'])).toThrow('is moved twice')
})

const store = 'packages/shop/src/store.ts'
const inMemory = 'packages/shop/src/memory/store.ts'

test.each([
  [store, 'org/shop/store.org', 'org/shop/memory/store.org', inMemory],
  [inMemory, 'org/shop/memory/store.org', 'org/shop/store.org', store],
  [
    inMemory,
    'org/shop/memory/store.org',
    'org/shop/base/store.org',
    'packages/shop/src/base/store.ts',
  ],
  [store, 'org/shop/store.org', 'org/gates/paths/store.org', 'packages/gates/src/paths/store.ts'],
  [inMemory, 'org/shop/memory/store.org', 'org/memory/store.org', 'packages/memory/src/store.ts'],
  [
    'test/bell.test.ts',
    'org/test/bell.org',
    'org/test/servers/wire.org',
    'test/servers/wire.test.ts',
  ],
  [
    'packages/shop/test/floor.test.ts',
    'org/shop/floor.org',
    'org/shop/mutex.org',
    'packages/shop/test/mutex.test.ts',
  ],
  [
    'packages/shop/src/floors.ts',
    'org/shop/floor.org',
    'org/shop/mutex.org',
    'packages/shop/src/floors.ts',
  ],
  ['a.sh', 'a.org', 'sub/b.org', 'sub/b.sh'],
  ['bin/a.sh', 'org/shop/a.org', 'org/gates/a.org', null],
])('%s of %s → %s', (target, from, to, expected) => {
  expect(targetAfter(target, from, to)).toBe(expected)
})

test('there and back again', () => {
  const path = (words: string[]) => fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 })
  fc.assert(
    fc.property(path(['a', 'b', 'c']), path(['d', 'e', 'f']), (from, to) => {
      const place = (folders: string[]) => ['org', 'p', ...folders, 'x.org'].join('/')
      const target = ['packages', 'p', 'src', ...from, 'x.ts'].join('/')
      const there = targetAfter(target, place(from), place(to))
      expect(there).toBe(['packages', 'p', 'src', ...to, 'x.ts'].join('/'))
      expect(targetAfter(there!, place(to), place(from))).toBe(target)
    }),
  )
})
