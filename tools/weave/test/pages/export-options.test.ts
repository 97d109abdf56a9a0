import { headlines, parse } from 'org-ast'
import { expect, test } from 'vitest'
import { exportOptions, isPublished } from '../../src/pages/export-options.ts'

const options = (line: string) => exportOptions(parse(`#+options: ${line}\n`))
function published(text: string): string[] {
  const tree = parse(text)
  const wanted = exportOptions(tree)
  return [...headlines(tree)].filter((one) => isPublished(one, wanted)).map((one) => one.rawValue)
}

test('the line of options is read as Emacs reads it', () => {
  expect(options('')).toMatchObject({ contents: 2, numbers: 0, scripts: 'all', planning: true })
  expect(options('toc:nil num:2 H:3 ^:{} p:nil tasks:todo')).toMatchObject({
    contents: 0,
    numbers: 2,
    depth: 3,
    scripts: 'braces',
    planning: false,
    tasks: 'todo',
  })
  expect(options("^:nil -:nil ':t \\n:t tex:verbatim")).toMatchObject({
    scripts: 'none',
    specialStrings: false,
    smartQuotes: true,
    keepLines: true,
    latex: 'verbatim',
  })
  expect(options('d:(not "a" "LOGBOOK")').drawers).toEqual({
    names: new Set(['A', 'LOGBOOK']),
    shown: false,
  })
  expect(options('prop:("Effort")').properties).toEqual(new Set(['EFFORT']))
})

test.each([
  ['* A\n* COMMENT B\n* C :noexport:\n* D :ARCHIVE:\n* Footnotes\n', ['A']],
  ['#+options: arch:t\n* D :ARCHIVE:\n', ['D']],
  ['#+exclude_tags: secret\n* A :noexport:\n* B :secret:\n', ['A']],
  ['* A\n** B :export:\n*** C\n** D\n* E\n', ['A', 'B', 'C']],
  ['#+options: tasks:done\n* TODO A\n* DONE B\n* C\n', ['B', 'C']],
  ['#+options: tasks:nil\n* TODO A\n* C\n', ['C']],
  ['#+options: tasks:("TODO")\n* TODO A\n* DONE B\n', ['A']],
])('%j', (text, expected) => {
  expect(published(text)).toEqual(expected)
})
