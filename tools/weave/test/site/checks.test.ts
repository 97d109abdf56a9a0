import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { directoryOf } from '../../src/content/links.ts'
import { makePage } from '../../src/pages/pages.ts'
import { checkPages } from '../../src/site/checks.ts'

function found(...texts: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.png'), '')
  const pages = texts.map((text, at) => makePage(folder, join(folder, `${at}.org`), text))
  const problems = checkPages(pages, directoryOf(pages))
  return problems.map(({ file, line, rule, message }) => {
    return `${file.slice(folder.length + 1)}:${line}: ${rule}: ${message}`
  })
}

test('each mistake has its line', () => {
  const text = `A.

B.
#+name: one
| x |
* A
:PROPERTIES:
:ID: twice
:END:
*** B
<<One>>
[[file:a.png]]
* C
[[file:a.png]]`
  expect(found(text, '* D\n:PROPERTIES:\n:ID: twice\n:END:\n')).toEqual([
    '0.org:10: order: level 3 follows a heading of level 1',
    '0.org:12: alternative: nothing is said of the image a.png; put #+attr_html: :alt or #+caption: above it',
    '0.org:11: duplicate: the name One is also in line 4',
    '0.org:14: alternative: nothing is said of the image a.png; put #+attr_html: :alt or #+caption: above it',
    '1.org:1: duplicate: the id twice is also at 0.org:6',
  ])
})

test('what a merge has left and a block without an end would be published', () => {
  expect(found('<<<<<<<<< ours\n=========\n>>>>>>>>> theirs\n#+begin_src sh\n')).toEqual([
    ...[1, 2, 3].map((line) => expect.stringContaining(`0.org:${line}: conflict-marker: `)),
    '0.org:4: unclosed-block: #+begin_src is never closed',
  ])
})

test('what is right is not complained about', () => {
  const text =
    '#+caption: Tom\n[[file:a.png]]\n\n#+attr_html: :alt\n[[file:a.png]]\n\n[[file:a.png][words]]\n' +
    '\\rArr{} \\rArr{}\n* A\n** B\n*** C\n* D\n* E :noexport:\n[[file:a.png]]\n***** F\n* COMMENT G\n*** H\n'
  expect(found(text, '')).toEqual([])
  expect(found('** A\n')).toEqual(['0.org:1: order: level 2 follows the first heading'])
})
