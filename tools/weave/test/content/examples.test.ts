import { expect, test } from 'vitest'
import { html } from './woven.ts'

const numbers = (rows: string) => `<pre class="numbers" aria-hidden="true">${rows}</pre>`
test.each([
  [': a <b>', '<pre tabindex="0"><code>a &#x3C;b></code></pre>'],
  ['#+begin_example\n  a\n    b\n#+end_example', '<pre tabindex="0"><code>a\n  b\n</code></pre>'],
  [
    '#+begin_example -n 9\na\nb\n#+end_example',
    `<div class="numbered">${numbers('<span>9\n</span><span>10\n</span>')}<pre tabindex="0"><code>a\nb\n</code></pre></div>`,
  ],
  [
    '[[(l)]]\n#+begin_example -r\na\nb (ref:l)\n#+end_example',
    `<a href="#_line-l">2</a></p><div class="numbered">${numbers('<span>\n</span><span id="_line-l">\n</span>')}<pre tabindex="0"><code>a\nb</code></pre></div>`,
  ],
  [
    '#+begin_src sh -n\na\n#+end_src\n\n#+begin_src sh +n\nb\n#+end_src',
    `<details class="fold" open><summary>Code</summary><div class="numbered">${numbers('<span>2\n</span>')}<pre><code>b`,
  ],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})
