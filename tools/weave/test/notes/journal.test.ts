import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { datedPages, feed, journalSheet } from '../../src/notes/journal.ts'
import { makePage } from '../../src/pages/pages.ts'

const page = (path: string, text: string) => makePage('/n', `/n/${path}`, text)
const pages = [
  page('a.org', '#+title: A\n#+date: <2026-10-02 Fri>\nFirst words & more.\n'),
  page('b.org', '#+title: B\n'),
  page('daily/2026-11-20.org', '#+title: Friday <1>\n#+description: What was.\n'),
  page('daily/2026-11-21.org', '* A heading\nText.\n'),
]

test('the days by months, the newest first', () => {
  expect(datedPages(pages).map(({ path }) => path)).toEqual([
    ...['daily/2026-11-21.org', 'daily/2026-11-20.org', 'a.org'],
  ])
  const sheet = journalSheet(pages, 'journal.html')
  const html = toHtml(sheet.content)
  expect(sheet.sections.map(({ title }) => title)).toEqual(['November 2026', 'October 2026'])
  expect(html).toContain('<time datetime="2026-10-02">2026-10-02</time> <a href="a.html">A</a>')
  expect(html).toContain('<dd>First words &#x26; more.</dd>')
})

test('a feed has whole addresses and no markup', () => {
  const xml = feed(pages, 'https://a.org/n/', 'Me & "you"\u0001\uD800', 'feed.xml')
  expect(xml).toContain('<title>Me &amp; &quot;you&quot;\uFFFD\uFFFD</title>')
  expect(xml).toContain(
    '<title>Friday &lt;1&gt;</title>\n<link href="https://a.org/n/daily/2026-11-20.html"/>',
  )
  expect(xml).toContain('<updated>2026-11-21T00:00:00Z</updated>')
  expect(xml.match(/<entry>/g)).toHaveLength(3)
  expect(xml).toContain('<summary>What was.</summary>')
})
