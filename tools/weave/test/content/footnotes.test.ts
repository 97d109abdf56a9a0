import { expect, test } from 'vitest'
import { findings, html } from './woven.ts'

const ref = (n: number) =>
  `<sup><a id="_ref-${n}" href="#_note-${n}" role="doc-noteref">${n}</a></sup>`
test.each([
  ['a[fn:1] b\n\n[fn:1] Note.', `a${ref(1)} b`],
  ['a[fn::/one/] b[fn::two]', `a${ref(1)} b${ref(2)}`],
  ['a[fn::/one/]', '<li id="_note-1"><em>one</em> <a'],
  ['a[fn:x] b[fn:x:later]', '<li id="_note-1">later <a'],
  ['a[fn:1]\n\n[fn:1] One.\n\n- two\n', '<li id="_note-1"><p>One.</p><ul><li>two</li></ul> <a'],
  ['a[fn:1]\n\n[fn:1] See[fn:2].\n\n[fn:2] Two.', '<li id="_note-2"><p>Two.</p> <a'],
])('%j', (org, expected) => {
  expect(html(org).replaceAll('\n', '')).toContain(expected)
})

test('a note referred to twice has one way back', () => {
  const page = html('a[fn:1] b[fn:1]\n\n[fn:1] Note.')
  expect(page.match(/id="_ref-1"/g)).toHaveLength(1)
  expect(page.match(/href="#_note-1"/g)).toHaveLength(2)
})

test('a note that nobody wrote is told, and one that nobody wants is not printed', () => {
  expect(html('a\n\nb[fn:x]\n\n[fn:y] Y')).not.toContain('Y')
  expect(findings).toEqual(['3: there is no footnote x'])
  expect(html('#+options: f:nil\na[fn:x]')).toBe('<div class="content"><p>a</p></div>')
})
