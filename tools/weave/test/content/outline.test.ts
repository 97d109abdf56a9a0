import { expect, test } from 'vitest'
import { html } from './woven.ts'

test.each([
  [
    '* TODO A *b*',
    '<h2 id="a-b"><span class="todo">TODO</span> A <strong>b</strong> <a class="anchor"',
  ],
  [
    '* DONE [#A] x :a:b:',
    '<h2 id="x"><span class="todo done">DONE</span> <span class="priority">[#A]</span> x ' +
      '<span class="tag">a</span> <span class="tag">b</span> <a',
  ],
  ['#+options: todo:nil pri:nil tags:nil\n* DONE [#A] x :a:', '<h2 id="x">x <a'],
  ['#+options: num:t\n* a\n** b', '<h3 id="b"><span class="number">1.1.</span> b <a'],
  ['#+options: H:1\n* a\n** b\nc', '<ul class="deep"><li id="b"><p><b>b <a'],
  [
    '*************** TODO a :b:\nc\n*************** END',
    '<div class="inlinetask"><p><b><span class="todo">TODO</span> a <span class="tag">b</span></b></p><p>c</p></div>',
  ],
  [
    '* x\n:PROPERTIES:\n:ID: 1\n:Effort: 2h\n:END:',
    '<details class="properties"><summary>Properties</summary><dl><dt>Effort</dt><dd>2h</dd></dl></details>',
  ],
  [':NOTES:\na\n:END:', '<details class="drawer"><summary>NOTES</summary><p>a</p></details>'],
  [':RESULTS:\na\n:END:', '<div class="content"><p>a</p></div>'],
  ['#+options: d:("LOGBOOK")\n:LOGBOOK:\na\n:END:', '<summary>LOGBOOK</summary>'],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})

test.each([
  ['#+options: prop:nil\n* x\n:PROPERTIES:\n:Effort: 2h\n:END:'],
  ['#+options: d:nil\n:NOTES:\na\n:END:'],
  ['#+options: p:nil\n* x\nCLOSED: [2024-01-02 Tue]'],
])('%j hides it', (org) => {
  expect(html(org)).not.toMatch(/<details|planning/)
})
