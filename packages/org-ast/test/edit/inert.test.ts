import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inertCode, inertLine, inertOrg, obeyed, withoutControls } from '../../src/edit/inert.ts'
import { parse } from '../../src/parse/parse.ts'
import { walk } from '../../src/tree/query.ts'

const plain = (text: string) => text.replaceAll('\u200b', '')

test('nothing is left that a terminal obeys', () => {
  expect(withoutControls('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd')
  expect(withoutControls('\x1b[31m \0 \x7f \x9b')).toBe('␛[31m ␀ ␡ \ufffd')
  expect(withoutControls('a\u202eb\u{e0041}c')).toBe('abc')
  expect(withoutControls('👩‍🔧 \u200fאב tab\there')).toBe('👩‍🔧 \u200fאב tab\there')
})

test.each([
  ['* a\n,* b\n  #+x', ',* a\n,,* b\n  ,#+x'],
  ['# Local Variables:\n', '# Local\u200b Variables:\n'],
  ['%%(shell-command "x")', '\u200b%%(shell-command "x")'],
  ['xLocal Variables:', 'xLocal\u200b Variables:'],
  ['9local variables:\n_Local Variables:', '9local\u200b variables:\n_Local\u200b Variables:'],
  ['a =<%%(x)>=', 'a =<\u200b%%(x)>='],
  [' :end: \n:END: b', ' \u200b:end: \n:END: b'],
  ['-*- eval: (x) -*-', '-\u200b*- eval: (x) -\u200b*-'],
  ['CLOCK: [2026-11-22 Sun 10:00]', 'CLOCK\u200b: [2026-11-22 Sun 10:00]'],
  ['# vim: set ft=x:', '# vim\u200b: set ft=x:'],
  ['a % b, ex: this, vi: that', 'a % b, ex: this, vi: that'],
])('code %j is %j', (text, expected) => {
  expect(inertCode(text)).toBe(expected)
})

const attacks = [
  ['* TODO Mine', '** APPROVED a', '*************** Task', ':PROPERTIES:\n:ID: x\n:END:'],
  [
    '#+INCLUDE: "/etc/passwd"',
    '#+setupfile: x',
    ' #+CALL: x()',
    '#+PROPERTY: header-args :eval yes',
  ],
  ['#+BIND: x 1', '#+MACRO: m (eval (x))', '#+STARTUP: latexpreview', '#+EXPORT_FILE_NAME: x'],
  ['| 1 | :=(x) |\n#+TBLFM: $1=(x)', '#+LINK: x %(x)', '#+FILETAGS: :private:', '#+TODO: A | B'],
  ['call_x()', 'src_sh{x}', 'src_sh[:var a=(x)]{x}', '{{{m}}}', '@@html:<script>@@', '<<<you>>>'],
  ['[[elisp:(x)]]', '[[shell:x][y]]', 'elisp:(x)', '<shell:x>', '[[file+sys:x]]', '<<t>> [fn:1]'],
  ['# [[shell:x]]', '  # see =shell:x=', '=[[shell:x]]=', '[[http://a][b <%%(x)> c]]', '=<%%(x)>='],
  ['[[file:a//ssh:e:/y]]', '[[file:/./ssh:e:/y]]', 'file:../../ssh:e:/y', '[[file:$A/ssh:e:/y]]'],
  ['xLocal Variables:', '~<%%(x)>~', '$<%%(x)>$', '\\(<%%(x)>\\)', '- a\n  # <elisp:(x)>'],
  ['[[file:a::(x)]]', '[[file:/ssh:evil:/x]]', '[[//evil/x]]', '[[eshell:x]]', 'see shell:x now'],
  ['%%(x)', '<%%(x)>', '&%%(x)', '# Local Variables:\n# eval: (x)\n# End:', '# -*- eval: (x) -*-'],
  ['#+RESULTS:', '#+header: :var x=(y)', '#+BEGIN: clocktable', '#+begin_export html', '#+end_src'],
  ['CLOCK: [2026-11-22 Sun 10:00]', 'DEADLINE: <2026-11-22 Sun>', ':LOGBOOK:', '[fn:1] note'],
  [
    '\\input{/etc/passwd}',
    '$\\write18{x}$',
    '\\begin{filecontents}',
    '\x1b]0;x\x07',
    'a\u202eb\0c',
  ],
].flat()

const harmless = [
  [
    '- a\n- [ ] b\n  1. c',
    '| a | b |\n|---+---|',
    '*bold* /it/ =src_sh{x}= ~call_x()~',
    'x^2 \\alpha',
  ],
  ['[[https://a.org][a]] [[id:1][b]] [[*Title]] file:a.org', '<2026-11-22 Sun 10:00>', '$a^2$ $5'],
  ['[[file:a/2026-11-22T10:30:00.pdf]]', '[[file:../10:30.org]]', '# https://a.org [[id:1][b]]'],
  ['# a comment', ': fixed', 'a :tag: b', 'see https://a.org/?x=(1)', '**bold** text', '#hash #+1'],
  ['#+begin_quote\nwords\n#+end_quote', '#+begin_example\n,* a\n#+end_example', '10:30: begin'],
].flat()

test.each(harmless)('%j is left alone', (text) => {
  expect(inertOrg(text)).toBe(text)
})

test.each(attacks)('%j only says something', (text) => {
  for (const made of [inertOrg(text), inertOrg(`Some words\n${text}\nmore`)]) {
    expect(kinds(made)).toEqual([])
    expect(obeyed(made)).toEqual([])
    expect(inertOrg(made)).toBe(made)
  }
  expect(plain(inertOrg(text))).toBe(plain(withoutControls(text)))
  const title = inertLine(text)
  expect(kinds(`* TODO ${title} :tag:\n`)).toEqual(['headline'])
  expect(obeyed(`* TODO ${title} :tag:\n`)).toEqual([])
  expect(obeyed(`* A\n:PROPERTIES:\n:FROM: ${title}\n:END:\n`)).toEqual([])
})

const words = new Set(
  (
    'org-data section paragraph plain-text plain-list item table table-row table-cell quote-block ' +
    'verse-block example-block src-block fixed-width comment horizontal-rule bold italic underline ' +
    'strike-through verbatim code link entity latex-fragment subscript superscript line-break ' +
    'statistics-cookie timestamp citation citation-reference'
  ).split(' '),
)

function kinds(text: string): string[] {
  const found: string[] = []
  walk(parse(text), (node) => {
    if (!words.has(node.type)) found.push(node.type)
    if ('affiliated' in node && node.affiliated.length > 0) found.push('affiliated')
  })
  return found
}

const nasty = fc.array(
  fc.oneof(
    fc.constantFrom(...attacks, ...harmless),
    fc.constantFrom('\n', ' ', '#', '+', '*', ':', '[', ']', '<', '>', '{', '}', '%%(', '@@', '|'),
    fc.constantFrom(
      '#+begin_src sh :tangle x\n',
      '\n#+end_src\n',
      '#+begin_quote\n',
      '\n#+end_quote',
    ),
    fc.string({ unit: 'binary' }),
  ),
)

test('any text becomes words, and leaves what stands around it alone', () => {
  fc.assert(
    fc.property(nasty, fc.constantFrom('', ' ', '\n'), (parts, glue) => {
      const made = inertOrg(parts.join(glue))
      expect(kinds(made)).toEqual([])
      expect(obeyed(made)).toEqual([])
      expect(inertOrg(made)).toBe(made)
      const around = `* Above\n${made}\n* Below\n:PROPERTIES:\n:ID: mine\n:END:\n`
      const own = (text: string) =>
        parse(text).children.map((node) => (node.type === 'headline' ? node.rawValue : node.type))
      expect(own(around)).toEqual(['Above', 'Below'])
      expect(kinds(`* ${inertLine(parts.join(glue)) || 'x'}\n`)).toEqual(['headline'])
    }),
  )
})

test('code stays code', () => {
  const block = '#+begin_src sh -n :tangle ~/.bashrc :var x=(y)\n* a\necho\n#+end_src'
  const head = '#+begin_src sh :tangle no :eval never :noweb-ref no'
  expect(inertOrg(block)).toBe(`${head}\n,* a\necho\n#+end_src`)
  const inQuote = `#+begin_quote\n${block}\n#+end_quote`
  expect(inertOrg(inQuote)).toContain(`${head}\n,* a`)
  const asked = block.replace('* a\n', '')
  expect(obeyed(asked)).toEqual(['#+begin_src sh -n :tangle ~/.bashrc :var x=(y)'])
})

test.each([
  ['#+title: a\n#+filetags: :b:\n* TODO A :c:\nDEADLINE: <2026-11-22 Sun>\n- [[id:1]]\n', []],
  [
    '#+property: header-args :tangle x\n#+property: Effort_ALL 1 2\n',
    ['#+property: header-args :tangle x'],
  ],
  [
    '* A\n:PROPERTIES:\n:EXPORT_FILE_NAME: ~/.bashrc\n:Effort: 1:00\n:END:\n',
    [':EXPORT_FILE_NAME: ~/.bashrc'],
  ],
  [
    '#+header: :tangle x\n#+begin_src sh :tangle no :eval never\n#+end_src\n',
    ['#+header: :tangle x'],
  ],
  ['| 1 |\n#+tblfm: $1=(x)\n', ['#+tblfm: $1=(x)']],
  ['#+begin_src sh :tangle no :eval never\n#+end_src\n', []],
  ['#+name: a\n#+begin_src sh :tangle no :eval never\n#+end_src\n', ['#+name: a']],
  [
    '#+begin_src sh :tangle no :eval never :noweb-ref all\n#+end_src\n',
    ['#+begin_src sh :tangle no :eval never :noweb-ref all'],
  ],
  [
    '* A\n:PROPERTIES:\n:header-args:sh: :noweb-ref all\n:END:\n#+begin_src sh :tangle no :eval never\n#+end_src\n',
    [':header-args:sh: :noweb-ref all', '#+begin_src sh :tangle no :eval never'],
  ],
  [
    '#+property: header-args :noweb-ref all\n#+begin_src sh :tangle no :eval never :noweb-ref no\n#+end_src\n',
    ['#+property: header-args :noweb-ref all'],
  ],
  ['-*- mode: org -*-\n* A\n# Local Variables:\n', ['# Local Variables:', '-*- mode: org -*-']],
  ['#+begin_example\n%%(x)\n#+end_example\n', ['%%(x)']],
  ['# =[[shell:x]]=\n', ['# =[[shell:x]]=']],
  ['* A\n:PROPERTIES:\n:FROM: =[[shell:x]]=\n:END:\n', [':FROM: =[[shell:x]]=']],
  ['* A\n:PROPERTIES:\n:FROM: $<%%(x)>$\n:END:\n', ['<%%(x)>$']],
  ['xLocal Variables:\n', ['xLocal Variables:']],
])('%j is obeyed at %j', (text, expected) => {
  expect(obeyed(text)).toEqual(expected)
})
