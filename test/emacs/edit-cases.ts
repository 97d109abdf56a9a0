import fc from 'fast-check'
import { type Headline, headlines, type OrgData, parse } from 'org-ast'
import { applyPatches, type Patch } from 'org-ast/edit'
import { askEmacs } from './emacs.ts'

const { constantFrom } = fc

/** One of the values; the first is as likely as all the others together. */
function mostly(usual: string, ...odd: string[]): fc.Arbitrary<string> {
  return fc.oneof(fc.constant(usual), constantFrom(...odd))
}

const title = constantFrom(
  ...['x', 'Call Ana', '水をやる', 'a *b* =c=', '😀 ok', 'a: b', 'see [[file:x.org][x]] [0/1]'],
  ...['', ':b', 'TODOs', 'DONE x', 'e\u0301te\u0301', 'a\tb', 'a [#?] :c: d', '\u00a0'],
)
const tags = mostly('', ' :a:', '  :a:b_2:', '\t:home:', `${' '.repeat(70)}:a:`, ' :家:', ' :a:  ')

/** The line of a headline. */
export function headLine(keywords: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      mostly(' ', '  ', ' ', ' \t'),
      fc.oneof(fc.constant(''), constantFrom(...keywords)),
      mostly(' ', '  ', '\t'),
      mostly('', '[#A] ', '[#B]  ', '[#C] '),
      mostly('', '', '', '', 'COMMENT '),
      title,
      tags,
    )
    .map(([gap, keyword, space, priority, comment, words, end]) => {
      if (comment !== '') {
        const parts = [keyword, priority.trim(), comment.trim(), words.trim()]
        return ` ${parts.filter((part) => part !== '').join(' ')}${words.trim() === '' ? '' : end}`
      }
      const state = keyword === '' ? '' : keyword + space
      return gap + state + priority + comment + words + end
    })
}

const indent = mostly('', '  ', '\t', '          ')

/** Lines that stand together and are indented together. */
export function block(...choices: string[][]): fc.Arbitrary<string[]> {
  return fc
    .tuple(indent, fc.oneof(fc.constant([] as string[]), constantFrom(...choices)))
    .map(([blanks, lines]) => lines.map((line) => (line === '' ? line : blanks + line)))
}

const note = '- State "WAIT"       from "TODO"       [2026-11-01 Sun 10:00]'

const clock = 'CLOCK: [2026-11-01 Sun 10:00]--[2026-11-01 Sun 11:00] =>  1:00'

const logbook = block(
  [':LOGBOOK:', ':END:'],
  [':LOGBOOK:', note, ':END:'],
  [':logbook:', clock, ':END:'],
  [':LOGBOOK:', '', note, '', ':END:'],
  [':LOGBOOK:', note, '', '', ':END:'],
  [':LOGBOOK:', clock, `  ${note}`, '    Why?', '    - because', ':END:'],
  [':LOGBOOK:', 'Words', '  and more', '', ':END:'],
  ['- item', '  :LOGBOOK:', '  - in it', '  :END:'],
  [note, '- State "TODO"       from              [2026-10-01 Thu 10:00]'],
  ['', note, '  with a text', '', '- other'],
  [note, '', '', note],
  ['   ', `  ${note}`, '    - State "A" from "B" [2026-11-01]', '1. one'],
  ['- State "A" from "B" [2026-11-01] and words', '  State', '+ State "A" from "B" [2026-11-01]'],
  [clock, note],
)
const body = block(
  ['Text.'],
  ['', 'Text.', ''],
  ['', ''],
  ['- a', '- [ ] b'],
  ['# comment', ''],
  ['| a | b |'],
  [':LOGBOOK:', note, ':END:', 'After.'],
)

/** Lines of an entry below its headline, with these dates and properties. */
export function entryLines(
  dates: fc.Arbitrary<string[]>,
  properties: fc.Arbitrary<string[]>,
): fc.Arbitrary<string[]> {
  return fc.tuple(dates, properties, logbook, body).map((parts) => parts.flat())
}

/** A file and the line (from 0) of the headline that is to be edited. */
interface FileCase {
  text: string
  line: number
  /** Other files beside it, by name, such as one that it names with `#+SETUPFILE:`. */
  files?: Record<string, string>
  /** The first version of Org that is compared with; an older one did something else. */
  since: string
}

const drawer = (line: string) => [':PROPERTIES:', line, ':END:']
const parents = constantFrom<string[]>(
  ...[[], [], ['* Top'], ['* Top [/] [%] :t:', '', '** Mid [1/1]', 'Text.'], ['* A', '* B [50%]']],
  ['* [/] [#A] Late', 'Text.'],
  ['* A [/]   :x:', '** TODO B', '** C =[1/1]= [%][/]   :y:', '*** DONE D', '*** TODO E'],
  ['* Top [/]', ...drawer(':COOKIE_DATA: todo recursive'), '** Mid [5/7]', '*** DONE Low'],
  ['* Top [%]', '** Mid [/]', ...drawer(':cookie_data: recursive'), '*** Low [%]'],
  ['* Top [/]', ...drawer(':COOKIE_DATA: checkbox recursive'), '** Mid [/] [33%]'],
  ['* Top [/]', ...drawer(':LOGGING:  DONE(!) lognoterepeat')],
  ['* Top', ...drawer(':LOG_INTO_DRAWER: t'), '** Mid [/]'],
)
const after = constantFrom<string[]>(...[[], [], ['* Next', 'Text.'], ['*** Deep', '** TODO Flat']])

/** A file with these settings above, and such a headline in it. */
export function fileCase(
  settings: fc.Arbitrary<string[]>,
  head: fc.Arbitrary<string>,
  lines: fc.Arbitrary<string[]>,
): fc.Arbitrary<FileCase> {
  return fc
    .tuple(settings, parents, head, lines, after, mostly('\n', '\r\n'), mostly('end', 'none'))
    .map(([above, outline, title, inside, below, newline, end]) => {
      const before = [...above, ...outline]
      const level = outline.filter((line) => line.startsWith('*')).length + 1
      const all = [...before, '*'.repeat(level) + title, ...inside, ...below]
      const text = all.join(newline) + (end === 'end' ? newline : '')
      const indented = inside.some((line) => indentedPattern.test(line))
      const openEnd = !text.endsWith('\n') && metaPattern.test(all.at(-1)!)
      return {
        text,
        line: before.length,
        since: indented || openEnd || text.includes('=[') ? '9.8' : '',
      }
    })
}

const indentedPattern = /^[ \t]+(?::PROPERTIES|DEADLINE|SCHEDULED|CLOSED):/i
const metaPattern = /^\*+ |^[ \t]*:?(?:DEADLINE|SCHEDULED|CLOSED|END):/i

/** An edit of ours, and what it is called in Emacs. */
export interface EditCase extends FileCase {
  command: string
  edit: (text: string, tree: OrgData, headline: Headline) => Patch[]
}

const prelude = `
(setq org-use-fast-todo-selection nil
      this-command 'org-todo
      org-log-buffer-setup-hook
      (list (lambda () (insert (or (bound-and-true-p test-note) "")) (org-store-log-note))))
(advice-add 'y-or-n-p :override (lambda (&rest _) t))
(goto-char (point-min))`

/** What differs between Emacs and us, and the version of Org that was asked. */
export function differences(cases: readonly EditCase[]): { version: string; wrong: string[] } {
  const asked = cases.map(({ text, line, command, files = {} }) => ({
    text,
    files,
    at: 0,
    command: `(progn ${prelude} (forward-line ${line}) ${command})`,
  }))
  const { version, results } = askEmacs(asked)
  const wrong = cases.flatMap((one, index) => {
    if (version.localeCompare(one.since, 'en', { numeric: true }) < 0) return []
    const result = results[index]!
    const emacs = 'error' in result ? `error: ${result.error}` : result['a.org']!
    const ours = editedBy(one)
    if (closed(ours) === closed(emacs) || (ours.startsWith('error') && emacs.startsWith('error')))
      return []
    const [before, theirs, mine] = [one.text, emacs, ours].map((text) => JSON.stringify(text))
    return [`${one.command} at line ${one.line} of\n${before}\nEmacs\n${theirs}\nours\n${mine}\n`]
  })
  return { version, wrong }
}

function closed(text: string): string {
  return /\n$|^$/.test(text) ? text : `${text}${text.includes('\r\n') ? '\r\n' : '\n'}`
}

function editedBy({ text, line, edit, files = {} }: EditCase): string {
  const tree = parse(text, { readFile: (path) => files[path] ?? null })
  const headline = [...headlines(tree)].find(({ position }) => position.start.line === line + 1)!
  try {
    return applyPatches(text, edit(text, tree, headline))
  } catch (problem) {
    return `error: ${String(problem)}`
  }
}
