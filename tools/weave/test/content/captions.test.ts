import { expect, test } from 'vitest'
import { html } from './woven.ts'

test.each([
  [
    '#+caption: a *b*\n#+caption: c\n| d |',
    '</table></div><figcaption><span class="number">Table 1:</span> a <strong>b</strong> c</figcaption></figure>',
  ],
  ['See [[t]].\n\n#+name: t\n#+caption: A\n| a |', 'See <a href="#_name-t">1</a>.'],
  ['See [[t]].\n\n#+name: t\n| a |', 'See <a href="#_name-t">t</a>.'],
  [
    '#+name: q\n#+begin_quote\na\n#+end_quote',
    '<div id="_name-q"><blockquote><p>a</p></blockquote></div>',
  ],
  ['#+name: d\n:RESULTS:\na\n\nb\n:END:', '<div id="_name-d"><p>a</p><p>b</p></div>'],
])('%j', (org, expected) => {
  expect(html(org).replaceAll('\n', '')).toContain(expected)
})
