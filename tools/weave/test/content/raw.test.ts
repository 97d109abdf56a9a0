import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findings, html } from './woven.ts'

test.each([
  ['Press @@html:<kbd>@@C-c@@html:</kbd>@@.', '<p>Press <kbd>C-c</kbd>.</p>'],
  ['a@@html:&nbsp;<br/>@@b@@latex:x@@', '<p>a&nbsp;<br>b</p>'],
  [
    '#+begin_export html\n<table><tr><td rowspan="2" onclick="x">a</td></tr></table>\n#+end_export',
    '<table><tr><td rowspan="2">a</td></tr></table>',
  ],
  ['#+html: <div class="x">\n*a*\n#+html: </div>', '<div><p><strong>a</strong></p></div>'],
  ['#+begin_export latex\n<b>a</b>\n#+end_export', '<div class="content"></div>'],
  ['@@html:<a href="javascript:x">@@a@@html:</a>@@', '<p><a>a</a></p>'],
  ['@@html:</p></div></main><i>@@a', '<p><i>a</i></p>'],
  ['@@html:<div>@@a', '<p>a</p>'],
  ['#+html: 1 < 2 <!-- <b> --> <>', '1 &lt; 2  &lt;>'],
])('%j', (org, expected) => {
  expect(html(org)).toContain(expected)
})

test('what acts is gone, and told', () => {
  const page = html(
    'a\n\n#+begin_export html\n<script>b</script><form><input>c</form><svg><b>d\n#+end_export',
  )
  expect(page).toBe('<div class="content"><p>a</p>c</div>')
  expect(findings).toEqual(
    ['script', 'form', 'input', 'svg'].map(
      (name) => `3: a page takes no <${name}> from a document`,
    ),
  )
})

test('nothing else gets through', () => {
  const part = fc.constantFrom(
    '<',
    '>',
    '/',
    'script',
    'b',
    'div',
    ' onload=',
    '"',
    "'",
    '=',
    'x',
    '<!--',
    '-->',
    '</',
    'svg',
    ' href=',
    'javascript:',
    '&lt;',
    'style',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const page = html(`#+html: ${parts.join('')}\n\nlast`)
      expect(page).not.toMatch(/<(?!\/?(?:b|div|p)[\s>])|<[^>]*(?:onload|style|javascript)/i)
      expect(page).toMatch(/<p>last<\/p>(?:<\/(?:b|div)>)*$/)
    }),
  )
})
