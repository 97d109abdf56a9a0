import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { contentsSheet, missingSheet } from '../../src/pages/extras.ts'
import { layout } from '../../src/pages/layout.ts'
import { makePage } from '../../src/pages/pages.ts'
import { bookOf } from '../../src/pages/sidebar.ts'

const page = (path: string, text: string) => makePage('/book', `/book/${path}`, text)
const pages = [
  page('index.org', '#+title: Book\n'),
  page('core/index.org', '#+title: The core\n'),
  page('core/gate.org', '#+title: Gates\n#+description: What they are.\n'),
]
const book = bookOf(pages)

test('every page is listed with what it says of itself', () => {
  const html = toHtml(contentsSheet(pages, book, 'contents.html').content)
  expect(html).toContain('<dt><a href="index.html">Book</a></dt><dd></dd>')
  expect(html).toContain('<h2 id="room-1">The core</h2>')
  expect(html).toContain('<dt><a href="core/gate.html">Gates</a></dt><dd>What they are.</dd>')
})

test('a page that is shown under any address has no relative one', () => {
  const sheet = missingSheet('contents.html')
  const html = layout(sheet, book, { edit: null, address: 'https://example.org/book/' })
  const addresses = [...html.matchAll(/ (?:href|src|data-root)="([^"]*)"/g)].map(([, url]) => url!)
  const own = addresses.filter((url) => !/^(?:#|data:)/.test(url))
  expect(own.length).toBeGreaterThan(5)
  expect(own.filter((url) => !url.startsWith('https://example.org/book/'))).toEqual([])
})
