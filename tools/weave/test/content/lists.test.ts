import { expect, test } from 'vitest'
import { html } from './woven.ts'

const box = (sign: string, label: string) =>
  `<span class="box" role="img" aria-label="${label}">${sign}</span>`
test.each([
  ['- [X] a\n- b\n\n  c', `<ul><li>${box('☑', 'done')} a</li><li>b<p>c</p></li></ul>`],
  [
    '- [-] a\n  - [ ] b',
    `<ul><li>${box('◪', 'partly done')} a<ul><li>${box('☐', 'to do')} b</li></ul></li></ul>`,
  ],
  ['3. [@3] a\n   - b', '<ol start="3"><li>a<ul><li>b</li></ul></li></ol>'],
  ['1. a\n2. [@7] b', '<ol><li>a</li><li value="7">b</li></ol>'],
  ['- a\n- b :: c', '<ul><li>a</li><li><strong>b</strong> c</li></ul>'],
  ['- [X] a :: c', `<dl><dt>${box('☑', 'done')} a</dt><dd>c</dd></dl>`],
  ['- term :: means', '<dl><dt>term</dt><dd>means</dd></dl>'],
  ['a [1/2]', '[1/2] <progress value="1" max="2" aria-label="1 of 2 done"></progress>'],
  ['a [50%]', '[50%] <progress value="50" max="100" aria-label="50 percent done"></progress>'],
  [
    'a [/] [0/0]',
    '<p>a <span class="statistics-cookie">[/]</span> <span class="statistics-cookie">[0/0]</span></p>',
  ],
])('%j', (org, expected) => {
  expect(html(org).replace(/\n/g, '')).toContain(expected)
})
