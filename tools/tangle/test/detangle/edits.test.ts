import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { applyEdits, documentChanges, tangledAgain } from '../../src/detangle/edits.ts'
import { lintBook } from '../../src/lint/rule.ts'
import { tangle } from '../../src/run/tangle.ts'
import { openProgram } from '../../src/symbols/program.ts'

async function open(text: string) {
  const root = mkdtempSync(join(tmpdir(), 'edits-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'a.org'), text)
  const { book, project } = await tangle({ cwd: root })
  return { root, program: openProgram(root, book, lintBook(project, book, []).document) }
}

test('edits are made from left to right, whatever their order', () => {
  const late = { start: 4, length: 1, text: 'E' }
  expect(applyEdits('abcde', [late, { start: 0, length: 2, text: '' }])).toBe('cdE')
  expect(applyEdits('ab', [{ start: 1, length: 0, text: '-' }])).toBe('a-b')
})

test('an edit of the code is an edit of the document, or an obstacle', async () => {
  const { root, program } = await open(
    `  #+begin_src typescript :tangle a.ts :noweb yes :shebang #!/usr/bin/node
  <<use>>
  <<use>>
  #+end_src
#+name: use
#+begin_src typescript
one()
#+end_src
`,
  )
  const file = join(root, 'a.ts')
  const text = program.scripts.get(file)!.text
  const edit = (start: number) => ({ start, length: 3, text: 'uno' })
  const uses = [text.indexOf('one'), text.lastIndexOf('one')].map(edit)
  const changes = documentChanges(program, new Map([[file, uses]]))
  expect(changes).toMatchObject(new Map([[join(root, 'a.org'), expect.any(Map)]]))
  expect([...(changes as Map<string, Map<number, unknown>>).values()][0]!.size).toBe(1)
  expect(documentChanges(program, new Map([[file, [edit(2)]]]))).toEqual({
    message: '/us cannot be found in the document at this place',
    places: [
      { file, line: 1, column: 3 },
      { file: join(root, 'a.org'), line: 1, column: null },
    ],
  })
})

test('a text that does not tangle is an obstacle', async () => {
  const { root, program } = await open('')
  const file = join(root, 'a.org')
  const broken = '\n#+begin_src sh :tangle (nothing)\n#+end_src\n'
  expect(tangledAgain(program, file, broken)).toMatchObject({ places: [{ file, line: 2 }] })
})
