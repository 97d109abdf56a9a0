import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { makePage } from '../../src/pages/pages.ts'
import { bookOf } from '../../src/pages/sidebar.ts'
import { editionSheet } from '../../src/site/single-page-book.ts'

const pages = ['index.org', 'core/index.org', 'core/gate.org'].map((path) =>
  makePage('/book', `/book/${path}`, `#+title: ${path}\n`),
)
const edition = (...html: string[]) =>
  editionSheet(
    pages,
    new Map(pages.map(({ url }, index) => [url, html[index] ?? ''])),
    bookOf(pages),
    'book.html',
  )
const print = (...html: string[]) => toHtml(edition(...html).content, { allowDangerousHtml: true })

test.each([
  ['<h2 id="one">One</h2>', '<h3 id="core/gate/one">One</h3>'],
  ['<a href="#one">x</a>', '<a href="#core/gate/one">x</a>'],
  ['<a class="y" href="../index.html">x</a>', '<a class="y" href="#index">x</a>'],
  ['<a href="index.html#one">x</a>', '<a href="#core/index/one">x</a>'],
  ['<a href="../src/a.html#L1">x</a>', '<a href="src/a.html#L1">x</a>'],
  ['<a href="https://a.org/#b">x</a>', '<a href="https://a.org/#b">x</a>'],
  ['<img src="a.png" alt="id=&#x22;">', '<img src="core/a.png" alt="id=&#x22;">'],
  ['<code>&lt;a id="x" href="#y"></code>', '<code>&lt;a id="x" href="#y"></code>'],
  ['<span class="k1">&lt;h2></span>', '<span class="k1">&lt;h2></span>'],
])('%s', (before, after) => {
  expect(print('', '', before)).toContain(after)
})

test('the list has the rooms and their pages', () => {
  const { sections } = edition()
  expect(sections).toEqual([
    { level: 1, id: 'index', title: 'index.org' },
    { level: 1, id: 'core/index', title: 'core/index.org' },
    { level: 2, id: 'core/gate', title: 'core/gate.org' },
  ])
  expect(print()).toContain('<section id="core/gate"><h2>core/gate.org</h2>')
})
