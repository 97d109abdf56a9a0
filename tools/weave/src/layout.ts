import { posix } from 'node:path'
import type { Element, Root, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { headlines, plainText } from 'org-ast'
import type { Page } from './pages.ts'

/**
 * The page as an HTML document. `book` is all pages in reading order.
 * `rooms` keeps what pages of one folder share; give the same map for all pages of a book.
 */
export function layout(
  page: Page,
  content: Element,
  book: readonly Page[],
  rooms: Map<string, string> = new Map(),
): string {
  const up = (url: string) => posix.relative(posix.dirname(page.url), url)
  const site = book[0]?.title ?? page.title
  const title = page === book[0] ? page.title : `${page.title} · ${site}`
  const root: Root = {
    type: 'root',
    children: [
      { type: 'doctype' },
      h('html', { lang: 'en' }, [
        h('head', [
          h('meta', { charSet: 'utf-8' }),
          h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
          h('meta', { name: 'color-scheme', content: 'light dark' }),
          ...(page.description === null
            ? []
            : [h('meta', { name: 'description', content: page.description })]),
          h('title', title),
          h('link', { rel: 'stylesheet', href: up('style.css') }),
          h('link', { rel: 'icon', href: 'data:,' }),
        ]),
        h('body', [
          h('a', { className: 'skip', href: '#_text' }, 'Skip to the text'),
          h('a', { className: 'contents', href: '#_book' }, 'Contents'),
          sidebar(page, book, up, rooms),
          main(page, content, book, up),
          sections(page),
        ]),
      ]),
    ],
  }
  return `${toHtml(root, { allowDangerousHtml: true })}\n`
}

function sidebar(
  page: Page,
  book: readonly Page[],
  up: (url: string) => string,
  rooms: Map<string, string>,
): Element {
  const entry = (other: Page) => {
    const current = other === page ? { ariaCurrent: 'page' } : {}
    const name = other.room !== '' && other.path.endsWith('/index.org') ? 'Overview' : other.title
    return h('li', h('a', { href: up(other.url), ...current }, name))
  }
  const group = (room: string) => {
    const entries = h('ul', book.filter((other) => other.room === room).map(entry))
    if (room === '') return entries
    const summary = h('summary', roomTitle(room, book))
    return h('details', { open: room === page.room }, [summary, entries])
  }
  const groups = [...new Set(book.map(({ room }) => room))].map((room) => {
    if (room === page.room) return group(room)
    const key = `${page.room}\n${room}`
    const value = rooms.get(key) ?? toHtml(group(room), { allowDangerousHtml: true })
    rooms.set(key, value)
    return { type: 'raw', value } as unknown as Text
  })
  const nav = h('nav', { id: '_book', className: 'side', ariaLabel: 'The book' })
  return { ...nav, children: groups }
}

/** What a room is called: as its first page is, or else by its folder. */
export function roomTitle(room: string, book: readonly Page[]): string {
  const index = book.find(({ path }) => path === `${room}/index.org`)
  return index?.title ?? room.charAt(0).toUpperCase() + room.slice(1)
}

function main(
  page: Page,
  content: Element,
  book: readonly Page[],
  up: (url: string) => string,
): Element {
  const at = book.indexOf(page)
  const neighbour = (other: Page | undefined, rel: 'prev' | 'next', word: string) =>
    other === undefined
      ? h('span')
      : h('a', { href: up(other.url), rel }, [h('small', word), other.title])
  return h('main', { id: '_text' }, [
    h('header', [
      h('h1', page.title),
      ...(page.subtitle === null ? [] : [h('p', { className: 'subtitle' }, page.subtitle)]),
      ...(page.description === null
        ? []
        : [h('p', { className: 'description' }, page.description)]),
    ]),
    content,
    h('nav', { className: 'neighbours', ariaLabel: 'Neighbours' }, [
      neighbour(book[at - 1], 'prev', 'Before'),
      neighbour(book[at + 1], 'next', 'Next'),
    ]),
    h('footer', h('p', ['Woven from ', h('code', page.path), '.'])),
  ])
}

function sections(page: Page): Element {
  const shown = [...headlines(page.tree)].filter(
    (headline) => headline.level <= 2 && page.slugs.has(headline),
  )
  if (shown.length < 2) return h('div', { className: 'side' })
  const entries = shown.map((headline) => {
    const href = `#${page.slugs.get(headline)}`
    return h(
      'li',
      { className: `level-${headline.level}` },
      h('a', { href }, plainText(headline.title)),
    )
  })
  const list = h('nav', { ariaLabel: 'On this page' }, [h('p', 'On this page'), h('ul', entries)])
  return h('aside', { className: 'side' }, list)
}
