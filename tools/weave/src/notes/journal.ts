import { h } from 'hastscript'
import { plainText, walk } from 'org-ast'
import { attribute } from '../code/highlight.ts'
import { plainSheet } from '../pages/extras.ts'
import type { Sheet } from '../pages/layout.ts'
import type { Page } from '../pages/pages.ts'

type Dated = Page & { date: string }

/** The pages that have a day, the newest first. */
export function datedPages(pages: readonly Page[]): Dated[] {
  const dated = pages.filter((page): page is Dated => page.date !== null)
  return dated.sort((a, b) =>
    a.date < b.date ? 1 : a.date > b.date ? -1 : a.path < b.path ? -1 : 1,
  )
}

const wordsMax = 240

/** The first words of a page; empty when it has none. */
function firstWords(page: Page): string {
  if (page.description !== null) return page.description
  let words = ''
  walk(page.tree, (node) => {
    if (words !== '' || (node.type === 'headline' && !page.slugs.has(node))) return false
    if (node.type === 'paragraph') words = plainText(node.children).replace(/\s+/g, ' ').trim()
    return node.type !== 'paragraph'
  })
  if (words.length <= wordsMax) return words
  const end = words.lastIndexOf(' ', wordsMax)
  return `${words.slice(0, end > 0 ? end : wordsMax)} …`
}

/** The page that lists all days. */
export function journalSheet(pages: readonly Page[], url: string): Sheet {
  const months = Map.groupBy(datedPages(pages), ({ date }) => date.slice(0, 7))
  const parts = [...months].flatMap(([month, days]) => [
    h('h2', { id: `month-${month}` }, monthName(month)),
    h(
      'dl',
      { className: 'contents' },
      days.flatMap((page) => [
        h('dt', [
          h('time', { dateTime: page.date }, page.date),
          ' ',
          h('a', { href: page.url }, page.title),
        ]),
        h('dd', firstWords(page)),
      ]),
    ),
  ])
  const content = h('div', { className: 'content' }, parts)
  const sections = [...months.keys()].map((month) => ({
    level: 1,
    id: `month-${month}`,
    title: monthName(month),
  }))
  return { ...plainSheet({ url, kind: 'index', title: 'Journal', content }), sections }
}

const monthNames =
  'January February March April May June July August September October November December'.split(' ')

/** `November 2026` for `2026-11`. */
export function monthName(month: string): string {
  return `${monthNames[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`
}

const feedMax = 50

/** The newest pages as an Atom feed. `site` is the address of the site, with a slash at its end. */
export function feed(pages: readonly Page[], site: string, title: string, url: string): string {
  const newest = datedPages(pages).slice(0, feedMax)
  const at = (path: string) => escaped(new URL(path, site).href)
  const instant = (date: string | undefined) => `${date ?? '1970-01-01'}T00:00:00Z`
  const entries = newest.map((page) => [
    '<entry>',
    `<title>${escaped(page.title)}</title>`,
    `<link href="${at(page.url)}"/>`,
    `<id>${at(page.url)}</id>`,
    `<updated>${instant(page.date)}</updated>`,
    `<summary>${escaped(firstWords(page))}</summary>`,
    '</entry>',
  ])
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<title>${escaped(title)}</title>`,
    `<author><name>${escaped(title)}</name></author>`,
    `<link href="${at('')}"/>`,
    `<link rel="self" href="${at(url)}"/>`,
    `<id>${at('')}</id>`,
    `<updated>${instant(newest[0]?.date)}</updated>`,
    ...entries.flat(),
    '</feed>',
  ]
  return `${lines.join('\n')}\n`
}

function escaped(text: string): string {
  const wrong = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g
  return attribute(text.toWellFormed().replace(wrong, '\uFFFD')).replaceAll('>', '&gt;')
}
