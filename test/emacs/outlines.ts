import fc from 'fast-check'
import type { Headline, OrgData } from 'org-ast'
import { headlines, parse } from 'org-ast'

const titles = [
  'a',
  'b c',
  '漢字',
  'é😀',
  'Ärger\tx',
  'x '.repeat(40).trim(),
  'DONE? :no',
  '[1/2] n',
  '',
]
const tagged = [
  '',
  '',
  '',
  ' :t:',
  '  :t:漢字:',
  '\t:a_b:@c:',
  `${' '.repeat(60)}:x:`,
  ' :ARCHIVE:  ',
]
const planned = [
  '',
  '',
  'SCHEDULED: <2026-11-22 Sun>\n',
  '         DEADLINE: <2026-11-22 Sun>\n',
  '  CLOSED: [2026-01-02 Fri 10:00]\n',
]
const drawers = [
  '',
  '',
  ':PROPERTIES:\n:ID:       7\n:END:\n',
  '  :PROPERTIES:\n\t:ARCHIVE_TIME: x\n    :a: b\n  :END:\n',
  ' :PROPERTIES:\n :END:\n',
]
const logged = [
  '',
  '',
  ':LOGBOOK:\n- State "DONE"       from "TODO"       [2026-01-02 Fri 10:00]\n:END:\n',
]
const bodies = [
  '',
  '',
  'Text.\n',
  '\tTabbed *bold*\n',
  '- [ ] item\n  more\n',
  '#+begin_src sh\nls\n#+end_src\n',
]
const blanks = ['', '', '\n', '\n\n', ' \n\t\n']

const headline = fc
  .record({
    level: fc.integer({ min: 1, max: 4 }),
    todo: fc.constantFrom('', '', 'TODO ', 'DONE '),
    priority: fc.constantFrom('', '', '[#A] ', '[#C] '),
    comment: fc.constantFrom('', '', '', 'COMMENT '),
    title: fc.constantFrom(...titles),
    tags: fc.constantFrom(...tagged),
    planned: fc.constantFrom(...planned),
    drawer: fc.constantFrom(...drawers),
    logged: fc.constantFrom(...logged),
    body: fc.constantFrom(...bodies),
    blank: fc.constantFrom(...blanks),
  })
  .map(
    (part) =>
      `${'*'.repeat(part.level)} ${part.todo}${part.priority}${part.comment}${part.title}${part.tags}\n` +
      part.planned +
      part.drawer +
      part.logged +
      part.body +
      part.blank,
  )

/** A file and one of its headlines. */
export interface OutlineCase {
  text: string
  tree: OrgData
  all: Headline[]
  headline: Headline
}

const preambles = [
  '',
  '',
  '\n',
  'Text.\n',
  '#+title: x\n\n',
  '#+STARTUP: odd\n',
  '#+TODO: TODO(t!) WAIT(w@/!) | DONE(d!/@) NEVER(n@)\n\n',
  '#+CATEGORY: cat\n#+FILETAGS: :ft:\n',
]

const outline = fc
  .record({
    preamble: fc.constantFrom(...preambles),
    parts: fc.array(headline, { minLength: 1, maxLength: 7 }),
    unended: fc.constantFrom(false, false, true),
    windows: fc.constantFrom(false, false, false, true),
    pick: fc.nat(),
  })
  .map(({ preamble, parts, unended, windows, pick }) => {
    const whole = preamble + parts.join('')
    const unix = unended ? whole.replace(/\n$/, '') : whole
    const text = windows ? unix.replaceAll('\n', '\r\n') : unix
    const tree = parse(text)
    const all = [...headlines(tree)]
    return { text, tree, all, headline: all[pick % all.length]! }
  })

/** That many files, the same ones each time for a seed. */
export function outlines(count: number, seed: number): OutlineCase[] {
  return fc.sample(outline, { numRuns: count, seed })
}

/** The command at a headline, in a buffer that is saved as the command left it. */
export function atHeadline(headline: Headline, command: string): string {
  const { line } = headline.position.start
  return `(progn
    (setq mode-require-final-newline nil)
    (setq-local require-final-newline nil)
    (goto-char (point-min))
    (forward-line ${line - 1})
    ${command})`
}
