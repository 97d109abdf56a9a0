import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { walk } from 'org-ast'
import { expect, test } from 'vitest'
import { codebookOf } from '../../src/code/codebook.ts'
import { createColours } from '../../src/code/highlight.ts'
import { literate } from '../../src/code/literate.ts'
import type { Atlas } from '../../src/code/symbol-index.ts'
import { makePage } from '../../src/pages/pages.ts'

const gate = `* Gates
#+begin_src ts :tangle gate.ts
const open = "<" + open
#+end_src
* Whole
#+begin_src sh :noweb yes
one
  <<part>> # more
<<part>>
#+end_src
#+name: part
#+begin_src sh
two
#+end_src
`
const page = makePage('/b', '/b/gate.org', gate)
const signature = 'const open: "&"'
const open = { name: 'open', kind: 'variable', exported: true, target: 0, offset: 6, signature }
const begin = gate.indexOf('const')
const atlas: Atlas = {
  root: '/b',
  others: [],
  symbols: [{ ...open, summary: 'It opens.' }],
  targets: [
    {
      path: 'gate.ts',
      document: 'gate.org',
      text: 'const open = "<" + open\n',
      runs: [0, begin, 1, 23, begin, 0],
      uses: [6, 4, 0, 13, 4, 0],
    },
  ],
}
const book = codebookOf([page], atlas, '/b', new Map())
const colours = await createColours([])
const code = literate(book, colours, null)(page, () => {})
const print = (content: Parameters<typeof h>[2]) =>
  toHtml(h('div', content), { allowDangerousHtml: true })

function blockAt(index: number) {
  const nodes: Parameters<typeof code.block>[0][] = []
  walk(page.tree, (node) => {
    if (node.type === 'src-block') nodes.push(node)
  })
  return code.block(nodes[index]!)!
}

test('a name leads to its definition, and says what it is', () => {
  const { id, targets, line, code } = blockAt(0)
  expect([id, line]).toEqual(['gates--1', { words: 'line 2', href: '#gates--1' }])
  expect(targets).toEqual([{ words: 'gate.ts', href: 'src/gate.ts.html#L1' }])
  expect(print(code)).toContain(
    '<code>const <a id="_def-open" href="#_def-open">open</a> = "&lt;" + ' +
      '<a href="#_def-open" title="const open: &quot;&amp;&quot;&#10;It opens.">open</a></code>',
  )
})

test('a reference unfolds where it stands alone, and is a link elsewhere', () => {
  const html = print(blockAt(1).code)
  expect(html).toContain('<a class="reference" href="#_name-part">&lt;&lt;part>></a> # more')
  expect(html).toContain(
    '<details class="fragment"><summary><code>&#x3C;&#x3C;part>></code></summary>' +
      '<p><a href="#_name-part">part</a></p><pre tabindex="0"><code>two</code></pre></details>',
  )
  expect(print(blockAt(2).after)).toBe(
    '<div><p class="used-in">Used in <a href="#whole--1">Whole</a>.</p></div>',
  )
})

test('an old name in a sentence is told', () => {
  const told: string[] = []
  const { word } = literate(
    book,
    colours,
    null,
  )(page, (line, message) => told.push(`${line}: ${message}`))
  const links = ['open', 'open()', 'two', 'openGate', 'shut()', 'a b', 'old.words'].map(
    (value, index) => word(value, index + 1) !== null,
  )
  expect(links).toEqual([true, true, false, false, false, false, false])
  expect(told).toEqual([
    '4: =openGate= is no name of this program',
    '5: =shut()= is no name of this program',
  ])
})
