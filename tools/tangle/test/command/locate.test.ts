import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askWhere } from '../../src/command/locate.ts'

function project(): string {
  const root = mkdtempSync(join(tmpdir(), 'where-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'package.json'), '{"org-tangle":{}}')
  const text = `* Greet
Prose.
  #+begin_src sh :tangle src/a.sh :shebang #!/bin/sh
  echo one
  #+end_src
`
  writeFileSync(join(root, 'a.org'), text)
  writeFileSync(join(root, 'src/a.sh'), '#!/bin/sh\necho one\n')
  writeFileSync(join(root, 'by-hand.sh'), 'echo\n')
  return root
}

test('both ways, with and without a column', () => {
  const root = project()
  const ask = (place: string) => askWhere(root, place).lines
  expect(ask('src/a.sh:2')).toEqual(['a.org:4: Greet:1'])
  expect(ask('src/a.sh:2:6')).toEqual(['a.org:4:8: Greet:1'])
  expect(ask('src/a.sh:1:1')).toEqual(['a.org:3:1: Greet:1 (made)'])
  expect(ask('a.org:4:8')).toEqual(['src/a.sh:2:6'])
  expect(ask('a.org:4')).toEqual(['src/a.sh:2'])
  expect(ask('a.org:3')).toEqual(['src/a.sh:1'])
  expect(askWhere(join(root, 'src'), 'a.sh:2').lines).toEqual(['../a.org:4: Greet:1'])
  expect(askWhere(root, 'src/a.sh:2:6').json).toEqual({
    root,
    asked: { file: 'src/a.sh', line: 2, column: 6 },
    answers: [
      {
        file: 'a.org',
        line: 4,
        column: 8,
        offset: expect.any(Number),
        block: 'Greet:1',
        copied: true,
      },
    ],
  })
})

test.each([
  ['a.org:2', 1, 'a.org:2: nothing is tangled from here'],
  ['a.org:99', 1, 'nothing is tangled from here'],
  ['src/a.sh:9', 1, 'src/a.sh:9: the file has no such line'],
  ['by-hand.sh:1', 1, 'no document describes by-hand.sh'],
  ['none.sh:1', 2, 'there is no none.sh'],
  ['a.org', 2, 'a.org is not FILE:LINE'],
  ['a.org:0', 2, 'a.org:0 is not FILE:LINE'],
])('%s has no answer', (place, code, message) => {
  const found = askWhere(project(), place)
  expect(found).toMatchObject({ code, lines: [] })
  expect(found.errors.join()).toContain(message)
})
