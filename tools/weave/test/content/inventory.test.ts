import { type OrgContent, parse, walk } from 'org-ast'
import { expect, test } from 'vitest'
import { html } from './woven.ts'

const document = `#+title: Everything
# comment w01
#+begin_comment
w02
#+end_comment
#+html: <b>w03</b>
Text *w04* /w05/ _w06_ +w07+ =w08= ~w09~ a_{w10} a^{w11} \\alpha w12\\\\
[[https://w13.org]] <<w14>> <<<w15>>> <2026-11-21 Sat> src_sh{w16} call_w17() $w18$
@@html:<i>w19</i>@@ a[fn:1] {{{w20}}} [cite:@w21] [1/2]

%%(w22)
- w23
- [X] w24
#+call: w25()
#+begin_src sh
w26
#+end_src
#+begin_example
w27
#+end_example
: w28
#+begin_verse
w29
#+end_verse
#+begin_quote
w30
#+end_quote
#+begin_center
w31
#+end_center
#+begin_note
w32
#+end_note
#+begin: columnview
w33
#+end:
#+begin_export html
<em>w34</em>
#+end_export
\\begin{equation}
w35
\\end{equation}
-----
| w36 |
:DRAWER:
w37
:END:
`
const tasks = `* TODO w38 :tag:
SCHEDULED: <2026-11-21 Sat>
:PROPERTIES:
:Effort: w39
:END:
:LOGBOOK:
CLOCK: [2026-11-21 Sat 09:00]--[2026-11-21 Sat 10:00] =>  1:00
:END:
*************** w40
w41
*************** END
[fn:1] w42
`

test('one of everything is on the page', () => {
  const types = new Set<string>()
  const tree = parse(document + tasks, { inlinetaskLevel: 15 })
  walk(tree, (node) => types.add(node.type))
  const absent = every.filter((type) => !types.has(type))
  expect(absent).toEqual([])
  const page = html(document + tasks)
  const missing = Array.from(
    { length: 42 },
    (_, index) => `w${String(index + 1).padStart(2, '0')}`,
  ).filter((word) => !page.includes(word))
  expect(missing).toEqual(['w01', 'w02', 'w17', 'w22', 'w25'])
  expect(page).toMatch(/<hr>.*<progress|<progress.*<hr>/s)
  expect(page).toContain('α')
  expect(page).toContain('<br>')
})

const every: readonly OrgContent['type'][] = [
  ...([
    'section',
    'headline',
    'inlinetask',
    'planning',
    'property-drawer',
    'node-property',
  ] as const),
  ...(['drawer', 'center-block', 'quote-block', 'special-block', 'dynamic-block'] as const),
  ...(['footnote-definition', 'plain-list', 'item', 'table', 'table-row', 'table-cell'] as const),
  ...(['paragraph', 'verse-block', 'src-block', 'example-block', 'export-block'] as const),
  ...(['comment-block', 'keyword', 'babel-call', 'comment', 'fixed-width'] as const),
  ...(['horizontal-rule', 'latex-environment', 'clock', 'diary-sexp', 'plain-text'] as const),
  ...(['bold', 'italic', 'underline', 'strike-through', 'verbatim', 'code', 'link'] as const),
  ...(['target', 'radio-target', 'macro', 'entity', 'latex-fragment'] as const),
  ...(['footnote-reference', 'line-break', 'statistics-cookie', 'subscript'] as const),
  ...(['superscript', 'export-snippet', 'inline-src-block', 'inline-babel-call'] as const),
  ...(['citation', 'citation-reference', 'timestamp'] as const),
]
