import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBook } from '../../src/blocks/book.ts'
import { lintBook } from '../../src/lint/rule.ts'
import { findDocuments } from '../../src/project/documents.ts'
import { openProgram, parseErrors, placeInOrg } from '../../src/symbols/program.ts'

function open(documents: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'program-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(root, name), text)
  const book = readBook(root, findDocuments([root]))
  const project = { root, sources: ['.'], owns: [] }
  return { root, program: openProgram(root, book, lintBook(project, book, []).document) }
}

test('the first error of a script is told', () => {
  const texts = new Map([
    ['/a.ts', 'enum A { b }\n'],
    ['/b.ts', 'f(1;\ng(2;\n'],
    ['/c.tsx', 'const a = <b>c</b>\n'],
  ])
  expect([...parseErrors(texts)]).toEqual([
    ['/b.ts', { offset: 3, message: "TS1005: ')' expected." }],
  ])
})

test('the compiler sees the book, and a place in a file is a place in a document', () => {
  const { root, program } = open({
    'a.org':
      '* A\n- so:\n  #+begin_src typescript :tangle a.ts\n  export const one = 1\n  #+end_src\n',
    'b.org':
      "#+begin_src typescript :tangle b.ts\nimport { one } from './a.ts'\nexport const two = one + 1\n#+end_src\n",
  })
  expect([...program.scripts.keys()].sort()).toEqual([join(root, 'a.ts'), join(root, 'b.ts')])
  const [definition] = program.service.getDefinitionAtPosition(join(root, 'b.ts'), 10) ?? []
  expect(definition).toMatchObject({ fileName: join(root, 'a.ts'), textSpan: { start: 13 } })
  expect(placeInOrg(program, join(root, 'a.ts'), 13)).toEqual({
    file: join(root, 'a.org'),
    line: 4,
    column: 16,
  })
})
