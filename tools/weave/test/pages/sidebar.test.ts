import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { expect, test } from 'vitest'
import { makePage } from '../../src/pages/pages.ts'
import { bookOf, breadcrumb, neighbours, sidebar } from '../../src/pages/sidebar.ts'

const page = (path: string, text: string) => makePage('/book', `/book/${path}`, text)
const book = () => ({
  ...bookOf([
    page('index.org', '#+title: The Book\n'),
    page('core/index.org', '#+title: The core\n'),
    page('core/gate.org', '#+title: Gates & <doors>\n'),
    page('manual/user.org', '#+title: Use\n'),
  ]),
  indices: [{ url: 'contents.html', title: 'Contents', room: '' }],
})
const print = (content: ReturnType<typeof sidebar> | null) =>
  toHtml(h('div', content), { allowDangerousHtml: true })

test('a page sees the whole book, its own room open and its own entry marked', () => {
  const shared = book()
  for (let round = 0; round < 2; round++) {
    const html = print(sidebar(shared, 'core/gate.html', 'core'))
    expect(html).toContain('<ul><li><a href="../index.html">Front page</a></li></ul>')
    expect(html).toContain('<details open><summary>The core</summary>')
    expect(html).toContain('<a href="index.html">Overview</a>')
    expect(html).toContain('<a href="gate.html" aria-current="page">Gates &#x26; &#x3C;doors></a>')
    expect(html).toContain('<details><summary>Manual</summary>')
    expect(html).toContain('<details><summary>Indices</summary>')
    expect(html.match(/aria-current/g)).toHaveLength(1)
  }
  const top = print(sidebar(shared, 'contents.html', ''))
  expect(top).toContain('<details open><summary>Indices</summary>')
  expect(top).toContain('<a href="core/gate.html">')
  expect(top.match(/aria-current/g)).toHaveLength(1)
})

test('a page of code sees its own room, and a door to each other one', () => {
  const html = print(sidebar(book(), 'code/gate.ts.html', 'core', true))
  expect(html).toContain('<details open><summary>The core</summary>')
  expect(html).not.toContain('<summary>Manual</summary>')
  expect(html).toMatch(/<ul><li><a href="[^"]*">Manual<\/a>/)
})

test('a page of a very large folder has few links', () => {
  const notes = Array.from({ length: 900 }, (_, index) =>
    page(`${index < 300 ? '' : index < 600 ? 'a/' : 'b/'}n${index}.org`, ''),
  )
  const large = {
    ...bookOf(notes),
    indices: [{ url: 'contents.html', title: 'Contents', room: '' }],
  }
  const html = print(sidebar(large, 'a/n450.html', 'a'))
  expect(html.match(/<a /g)!.length).toBeLessThan(80)
  expect(html).toContain('<a href="n450.html" aria-current="page">')
  expect(html).toContain('<a href="n430.html">')
  expect(html).toContain('<a href="../contents.html">All 300 pages</a>')
  expect(html).toContain('<a href="../b/n600.html">B</a>')
  expect(html).not.toContain('b/n601')
})

test('a room stands in the room that it is in', () => {
  const nested = bookOf([
    page('index.org', '#+title: The Book\n'),
    page('core/index.org', '#+title: The core\n'),
    page('core/memory/index.org', '#+title: Memory\n'),
    page('core/memory/store.org', '#+title: Store\n'),
    page('core/wire/index.org', '#+title: Wire\n'),
  ])
  const html = print(sidebar(nested, 'core/memory/store.html', 'core/memory'))
  expect(html).toContain(
    '<details open><summary>The core</summary><ul><li><a href="../index.html">Overview</a></li>' +
      '<li><details open><summary>Memory</summary><ul><li><a href="index.html">Overview</a></li>' +
      '<li><a href="store.html" aria-current="page">Store</a></li></ul></details></li>' +
      '<li><a href="../wire/index.html">Wire</a></li></ul></details>',
  )
  expect(print([breadcrumb(nested, 'core/memory/store.html', 'core/memory')!])).toContain(
    '<li><a href="../index.html">The core</a></li><li><a href="index.html">Memory</a></li>',
  )
})

test('the way back up, and on', () => {
  const up = print([breadcrumb(book(), 'core/gate.html', 'core')!])
  expect(up).toContain(
    '<ol><li><a href="../index.html">The Book</a></li><li><a href="index.html">The core</a></li></ol>',
  )
  expect(breadcrumb(book(), 'index.html', '')).toBeNull()
  expect(print([breadcrumb(book(), 'core/index.html', 'core')!])).not.toContain('The core')
  const on = print([neighbours(book(), 'core/gate.html')!])
  expect(on).toContain('rel="prev"><small>Before</small> Overview</a>')
  expect(on).toContain('href="../manual/user.html" rel="next"><small>Next · Manual</small> Use</a>')
  expect(print([neighbours(book(), 'index.html')!])).not.toContain('prev')
  expect(neighbours(book(), 'contents.html')).toBeNull()
})
