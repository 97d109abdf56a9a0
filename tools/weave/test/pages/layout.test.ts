import { h } from 'hastscript'
import { expect, test } from 'vitest'
import { layout, sheetOf } from '../../src/pages/layout.ts'
import { makePage } from '../../src/pages/pages.ts'
import { bookOf } from '../../src/pages/sidebar.ts'

const page = (path: string, text: string) => makePage('/book', `/book/${path}`, text)
const pages = [
  page('index.org', '#+title: The Book\n'),
  page('core/index.org', '#+title: The core\n'),
  page('core/gate.org', '#+title: Gates & <doors>\n#+description: What.\n* One\n** Two\n'),
]
const book = bookOf(pages)
const gate = sheetOf(pages[2]!, h('div', 'text'))

test('a page knows where it is, what is on it, and what is around it', () => {
  const html = layout(gate, book)
  expect(html).toMatch(/^<!doctype html><html lang="en"><head><meta charset="utf-8">/)
  expect(html).toContain('<title>Gates &#x26; &#x3C;doors> · The Book</title>')
  expect(html).toContain('href="../style.css"')
  expect(html).toContain('data-root="../"')
  expect(html).toContain('<details open><summary>The core</summary>')
  expect(html).toContain('<a href="gate.html" aria-current="page">')
  expect(html).toContain('<li class="deep"><a href="#two">Two</a></li>')
  expect(html).toContain('<footer><p>Woven from <code>core/gate.org</code>.</p></footer>')
  expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
    /<style|<script>| style=|https?:/,
  )
  expect(layout(sheetOf(pages[0]!, h('div')), book)).toContain('data-root=""')
})

test('a page says who wrote it, and may have no title to be seen', () => {
  const text = '#+title: T\n#+subtitle: S\n#+author: A <b>\n#+email: a@b.org\n#+date: May\n'
  const said = (more: string) => layout(sheetOf(page('x.org', text + more), h('div')), book)
  expect(said('')).toContain('<p class="byline">A &#x3C;b> · May</p>')
  expect(said('#+options: email:t author:nil date:nil')).toContain(
    '<p class="byline"><a href="mailto:a@b.org">a@b.org</a></p>',
  )
  const bare = said('#+options: title:nil author:nil date:nil')
  expect(bare).toContain('<h1 class="unseen">T</h1></header>')
})

test('a document can be changed where the site says', () => {
  const edit = 'https://example.org/edit/org/'
  expect(layout(gate, book, { edit, address: null })).toContain(
    '<a href="https://example.org/edit/org/core/gate.org" rel="noreferrer">Edit this page</a>',
  )
  const index = { ...gate, source: null, sections: [] }
  expect(layout(index, book, { edit, address: null })).not.toMatch(/<footer|On this page/)
})
