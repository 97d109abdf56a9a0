import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Positions } from '../../src/positions/positions.ts'

const first = `* One
#+begin_src sh :tangle a.sh
one
#+end_src
- so:
  #+name: two
  #+begin_src sh :tangle a.sh
  two
    three
  #+end_src
`

function project(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'positions-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries({ 'package.json': '{"org-tangle":{}}', ...files })) {
    writeFileSync(join(root, name), text)
  }
  return root
}

test('places, there and back', () => {
  const root = project({ 'a.org': first })
  const positions = new Positions(root)
  const code = join(root, 'a.sh')
  const ask = (line: number, column?: number) => {
    const place = positions.toDocument(code, line, column)
    return place && `${place.line}:${place.column} ${place.block}`
  }
  expect([ask(1), ask(1, 3), ask(3, 2), ask(4), ask(4, 1)]).toEqual([
    '3:1 One:1',
    '3:3 One:1',
    '8:4 two',
    '9:5 two',
    '9:3 two',
  ])
  expect(ask(9)).toBeNull()
  const back = (line: number, column?: number) =>
    positions.toCode(join(root, 'a.org'), line, column).map((at) => `${at.line}:${at.column}`)
  expect(back(9, 6)).toEqual(['4:4'])
  expect(back(9)).toEqual(['4:1'])
  expect(back(9, 1)).toEqual(['4:1'])
  expect(back(9, 99)).toEqual(['4:8'])
  expect([back(1), back(5), back(99)]).toEqual([[], [], []])
})

test('what changes is asked as it is', () => {
  const root = project({ 'a.org': first, 'a.sh': 'one\n\ntwo\n  three\n' })
  const positions = new Positions(root)
  const ask = (line: number) => positions.toDocument(join(root, 'a.sh'), line)?.line ?? null
  expect([1, 3, 4].map(ask)).toEqual([3, 8, 9])
  writeFileSync(join(root, 'a.org'), `A sentence.\n${first}`)
  expect([1, 3, 4].map(ask)).toEqual([4, 9, 10])
  writeFileSync(join(root, 'a.sh'), 'one\n\n2\n2.5\n  three\n')
  expect([1, 3, 4, 5].map(ask)).toEqual([4, null, null, 10])
})

test('a linked project is known by both names', () => {
  const root = project({ 'a.org': first })
  const link = `${root}-link`
  symlinkSync(root, link)
  onTestFinished(() => rmSync(link))
  const positions = new Positions(link)
  const place = { file: join(link, 'a.org'), line: 3 }
  expect(positions.toDocument(join(root, 'a.sh'), 1)).toMatchObject(place)
  expect(positions.toDocument(join(link, 'a.sh'), 1)).toMatchObject(place)
  expect(positions.toDocument('/elsewhere', 1)).toBeNull()
})
