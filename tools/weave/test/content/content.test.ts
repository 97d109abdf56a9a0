import { expect, test } from 'vitest'
import { html } from './woven.ts'

test.each([
  ['one\ntwo', '<p>one\ntwo</p>'],
  ['#+begin_quote\nq\n#+end_quote', '<blockquote><p>q</p></blockquote>'],
  [
    '#+begin_note\nn\n#+end_note',
    '<div class="special note"><p class="admonition">Note</p><p>n</p></div>',
  ],
  ['#+begin_x_y\nn\n#+end_x_y', '<div class="special block"><p>n</p></div>'],
  [
    '#+begin_details\n#+begin_summary\ns\n#+end_summary\nn\n#+end_details',
    '<details><summary>s</summary><p>n</p></details>',
  ],
  ['#+begin_verse\n  a\n    b\n#+end_verse', '<p class="verse">  a\n    b</p>'],
  ['-----', '<hr>'],
  [
    '#+toc: headlines 1\n* a\n** b\n* c',
    '<ul class="list-of"><li><a href="#a">a</a></li><li><a href="#c">c</a></li></ul>',
  ],
  [
    '* a\n#+toc: headlines 1 local\n** b\n*** c\n* d',
    '<ul class="list-of"><li><a href="#b">b</a></li></ul>',
  ],
  [
    '#+toc: tables\n\n#+name: t\n#+caption: A\n| a |',
    '<ul class="list-of"><li><a href="#_name-t"><span class="number">Table 1:</span> A</a></li></ul>',
  ],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})

test('what speaks to Emacs is not on the page', () => {
  const hidden =
    '#+options: toc:nil\n# remark\n:LOGBOOK:\na\n:END:\n* COMMENT a\nb\n* c :noexport:\nd\n'
  expect(html(hidden)).toBe('<div class="content"></div>')
})

test('a block says where it goes', () => {
  const page = html('#+name: one\n#+begin_src sh :tangle ../src/a.sh\n,* a\n#+end_src\n')
  expect(page).toBe(
    '<div class="content"><figure class="code" id="_name-one"><figcaption><span class="name">one</span>' +
      '<span class="target">src/a.sh</span><span class="language">sh</span></figcaption>' +
      '<details class="fold" open><summary>Code</summary><pre><code>* a</code></pre></details></figure></div>',
  )
})

test.each([
  ['', ['echo', 'printed']],
  [' :exports code', ['echo']],
  [' :exports results', ['printed']],
  [' :exports none', []],
])('a block with%s', (exports, expected) => {
  const page = html(`#+begin_src sh${exports}\necho\n#+end_src\n\n#+RESULTS:\n: printed\n\n: other`)
  expect(page.match(/echo|printed/g) ?? []).toEqual(expected)
  expect(page).toContain('other')
})
