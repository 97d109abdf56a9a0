import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readBook } from '../../src/blocks/book.ts'
import { lintBook } from '../../src/lint/rule.ts'
import { findDocuments } from '../../src/project/documents.ts'
import { openProgram } from '../../src/symbols/program.ts'
import {
  definitions,
  findDefinitions,
  references,
  unusedExports,
} from '../../src/symbols/symbols.ts'

const gate = `#+property: header-args:typescript :tangle src/gate.ts
* The gate
#+begin_src typescript
/** Lets in, or not. */
export interface Gate {
  /** Who may pass. */
  allows(name: string): boolean
}
#+end_src

#+begin_src typescript
export const open: Gate = { allows: () => true }
const shut = 1
export { shut as closed }
export type Lonely = string
export function tested(): number { return shut }
#+end_src
`
const use = `#+begin_src typescript :tangle src/use.ts
import { type Gate, open } from './gate.ts'
export function shut(gate: Gate): boolean { return gate.allows('x') && open.allows('y') }
#+end_src
#+begin_src typescript :tangle test/gate.test.ts
const { tested } = await import('../src/gate.ts')
tested()
#+end_src
`

const root = mkdtempSync(join(tmpdir(), 'symbols-'))
afterAll(() => rmSync(root, { recursive: true }))
writeFileSync(join(root, 'gate.org'), gate)
writeFileSync(join(root, 'use.org'), use)
const book = readBook(root, findDocuments([root]))
const documents = lintBook({ root, sources: ['.'], owns: [] }, book, [])
const program = openProgram(root, book, documents.document)

test('definitions have a kind, a comment and a place in a document', () => {
  const found = definitions(program)
  const place = { file: join(root, 'gate.org'), line: 5, column: 18 }
  expect(found[0]).toEqual({
    name: 'Gate',
    kind: 'interface',
    exported: true,
    documentation: 'Lets in, or not.',
    path: join(root, 'src/gate.ts'),
    offset: 41,
    place,
  })
  expect(found[1]).toMatchObject({
    name: 'Gate.allows',
    kind: 'method',
    documentation: 'Who may pass.',
    place: { line: 7, column: 3 },
  })
  expect(found.slice(2).map(({ name, kind, exported }) => `${kind} ${name} ${exported}`)).toEqual([
    'variable open true',
    'variable shut true',
    'type Lonely true',
    'function tested true',
    'function shut true',
  ])
})

test('a name can be told from its namesake by its place', () => {
  const meant = (name: string) => findDefinitions(program, name).map(({ path }) => relative(path))
  const relative = (path: string) => path.slice(root.length + 1)
  expect(meant('shut')).toEqual(['src/gate.ts', 'src/use.ts'])
  for (const place of ['use', 'use.org', 'src/use.ts']) {
    expect(meant(`${place}#shut`)).toEqual(['src/use.ts'])
  }
  expect(meant('nothing')).toEqual([])
})

test('references are places in documents', () => {
  const [allows] = findDefinitions(program, 'Gate.allows')
  const found = references(program, allows!)
  expect(found.map(({ place, isDefinition }) => [place.line, place.column, isDefinition])).toEqual([
    [7, 3, true],
    [12, 29, false],
    [3, 57, false],
    [3, 77, false],
  ])
  expect(found[2]).toMatchObject({ place: { file: join(root, 'use.org') } })
  expect(found[2]?.text).toMatch(/^export function shut/)
})

test('an export that nobody uses is found', () => {
  const found = unusedExports(program)
  expect(found.map(({ definition, tested }) => [definition.name, tested])).toEqual([
    ['shut', false],
    ['Lonely', false],
    ['tested', true],
    ['shut', false],
  ])
})
