import { ts } from 'ts-morph'
import { expect, test } from 'vitest'
import { hiddenFindings } from '../../src/improve/hidden.ts'

const document = `#+title: A guard

It keeps the agent from speaking of zebras.

#+begin_src ts
const check = ({ action }) => ({ kind: action.payload.text.includes('zebra') ? 'reject' : 'pass' })
gate('animals', 40, check)
#+end_src
`

const found = (from: string, to: string) => {
  const proposed = document.replace(from, () => to)
  expect(proposed).not.toBe(document)
  return [...hiddenFindings(ts, document, proposed)].map(({ kind, rule }) => `${kind} ${rule}`)
}

const empty = '\n'.repeat(14)

test.each([
  ['It keeps', 'It\u200b keeps', 'refusal hidden-characters'],
  ['It keeps', 'It \u202ekeeps', 'refusal hidden-characters'],
  ['It keeps', 'It keeps\u{e0041}', 'refusal hidden-characters'],
  ['It keeps', 'It k\u0435\u0435ps', 'refusal hidden-characters'],
  ['#+title', '#+tit\u04cfe', 'refusal hidden-characters'],
  ["'zebra'", "'z\u0435bra'", 'refusal hidden-characters'],
  ["'zebra'", "'\\u007aebra'", 'refusal hidden-characters'],
  ["'zebra'", "'\\x7aebra'", 'refusal hidden-characters'],
  ['gate(', '\\u0067ate(', 'refusal hidden-characters'],
  ['gate(', `const a = 1;${' '.repeat(40)}gate('x', 1, check)\ngate(`, 'refusal hidden-characters'],
  ['gate(', `(check)\n    :${' '.repeat(40)}x\ngate(`, 'refusal hidden-characters'],
  ['gate(', `/* ${'x'.repeat(600)} */ gate(`, 'refusal hidden-characters'],
  ['gate(', `${empty}gate(`, 'refusal hidden-characters'],
  ['gate(', "check['constructor']('x')\ngate(", 'refusal code-from-text'],
  ['gate(', 'String.fromCharCode(1)\ngate(', 'refusal code-from-text'],
  ['gate(', 'String.prototype.includes = () => true\ngate(', 'refusal language-changed'],
  ['gate(', 'JSON.stringify = String\ngate(', 'refusal language-changed'],
  ['gate(', "String['proto' + 'type']\ngate(", 'refusal language-changed'],
  ['_src ts\n', '_src ts :tangle /home/ann/.bashrc\n', 'refusal outside-folder'],
  ['It keeps', '#+INCLUDE: "/etc/passwd"\nIt keeps', 'refusal outside-folder'],
  ['It keeps', 'See [[elisp:(shell-command "x")]]. It keeps', 'refusal active-content'],
  ['It keeps', '#+begin_src sh\nls\n#+end_src\nIt keeps', 'refusal active-content'],
  ['_src ts\n', '_src ts :var x=(shell-command "x")\n', 'refusal active-content'],
  ['It keeps', '# Local Variables:\n# eval: (x)\n# End:\nIt keeps', 'refusal active-content'],
  [
    '#+begin_src',
    ':NOTES:\n#+begin_src ts\n1\n#+end_src\n:END:\n#+begin_src',
    'refusal folded-code',
  ],
  ['#+title', '#+startup: overview\n#+title', 'refusal folded-code'],
  ['_src ts\n', '_src ts :test yes\n', 'note headers-changed'],
])('%s to %j', (from, to, expected) => {
  expect(found(from, to)).toContain(expected)
})

test.each(['\u0437\u0435\u0431\u0440\u0430', 'naïve façade', '斑馬', 'ΖΕΒΡΑ'])('%s', (animal) => {
  expect(found('It keeps', `${animal}: it keeps`)).toEqual([])
  expect(found("'zebra'", `'${animal}'`)).toEqual([])
})

test('what was there before stays', () => {
  const old = document.replace('It keeps', 'It\u200b keeps')
  expect([...hiddenFindings(ts, old, `${old}More.\n`)]).toEqual([])
})
