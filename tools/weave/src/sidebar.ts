import { posix } from 'node:path'
import type { Element, ElementContent, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import type { Page } from './pages.ts'

/** A page as the sidebar knows it. */
export interface Entry {
  /** Relative to the site. */
  url: string
  title: string
  /** The folder it belongs to; empty at the top. */
  room: string
}

/** What every page of a site knows of the others. */
export interface Book {
  title: string
  /** In reading order, rooms together, the front page first. */
  chapters: readonly Entry[]
  /** Pages that no document is behind, in the order in which they are offered. */
  indices: readonly Entry[]
  /** The names of the rooms. */
  rooms: ReadonlyMap<string, string>
  /** Lists that were printed before. */
  printed: Map<string, string>
}

/** The book of these pages, which are in reading order. */
export function bookOf(pages: readonly Page[]): Book {
  const rooms = new Map<string, string>()
  for (const { room } of pages) {
    const index = pages.find(({ path }) => path === `${room}/index.org`)
    rooms.set(room, index?.title ?? capital(posix.basename(room)))
  }
  const chapters = pages.map(({ url, title, room, path }) => ({
    url,
    title: path === 'index.org' ? 'Front page' : path === `${room}/index.org` ? 'Overview' : title,
    room,
  }))
  const title = pages[0]?.title ?? ''
  return { title, chapters, indices: [], rooms, printed: new Map() }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The lists of all pages, as they are seen from the page at `url`, which is in `room`. */
export function sidebar(book: Book, url: string, room: string): ElementContent[] {
  const folder = posix.dirname(url)
  const groups = [...book.rooms.keys()].map((name) => {
    const entries = book.chapters.filter((entry) => entry.room === name)
    return list(book, folder, `room ${name}`, book.rooms.get(name)!, entries)
  })
  const more = list(book, folder, 'indices', 'Indices', book.indices)
  const at = [...book.rooms.keys()].indexOf(room)
  const here = `<a href="${escapeHref(posix.relative(folder, url))}"`
  const isIndex = book.indices.some((entry) => entry.url === url)
  const values = [...groups, more].map((html, index) => {
    const isOpen = isIndex ? index === groups.length : index === at
    if (!isOpen) return html
    return html
      .replace('<details>', '<details open>')
      .replace(`${here}>`, `${here} aria-current="page">`)
  })
  return values.map((value) => ({ type: 'raw', value }) as unknown as Text)
}

function escapeHref(href: string): string {
  const html = toHtml(h('a', { href }))
  return html.slice('<a href="'.length, -'"></a>'.length)
}

function list(
  book: Book,
  folder: string,
  key: string,
  name: string,
  entries: readonly Entry[],
): string {
  if (entries.length === 0) return ''
  const known = book.printed.get(`${folder}\n${key}`)
  if (known !== undefined) return known
  const items = entries.map(({ url, title }) =>
    h('li', h('a', { href: posix.relative(folder, url) }, title)),
  )
  const element =
    key === 'room ' ? h('ul', items) : h('details', [h('summary', name), h('ul', items)])
  const html = toHtml(element)
  book.printed.set(`${folder}\n${key}`, html)
  return html
}

/** Where a page belongs, or null for the front page. */
export function breadcrumb(book: Book, url: string, room: string): Element | null {
  const front = book.chapters[0]
  if (front === undefined || front.url === url) return null
  const folder = posix.dirname(url)
  const steps = [{ url: front.url, title: book.title }]
  const first = book.chapters.find((entry) => entry.room === room)
  if (room !== '' && first !== undefined && first.url !== url)
    steps.push({ url: first.url, title: book.rooms.get(room)! })
  const items = steps.map((step) =>
    h('li', h('a', { href: posix.relative(folder, step.url) }, step.title)),
  )
  return h('nav', { className: 'breadcrumb', ariaLabel: 'Where this page belongs' }, h('ol', items))
}

/** The links to the chapters before and after the one at `url`, or null where there is neither. */
export function neighbours(book: Book, url: string): Element | null {
  const at = book.chapters.findIndex((entry) => entry.url === url)
  const current = book.chapters[at]
  if (current === undefined || book.chapters.length < 2) return null
  const link = (entry: Entry | undefined, rel: 'prev' | 'next', word: string) => {
    if (entry === undefined) return []
    const href = posix.relative(posix.dirname(url), entry.url)
    const room = entry.room === '' ? '' : (book.rooms.get(entry.room) ?? '')
    const where = entry.room === current.room || room === '' ? word : `${word} · ${room}`
    return [h('a', { className: rel, href, rel }, [h('small', where), ' ', entry.title])]
  }
  return h('nav', { className: 'neighbours', ariaLabel: 'Before and after' }, [
    ...link(book.chapters[at - 1], 'prev', 'Before'),
    ...link(book.chapters[at + 1], 'next', 'Next'),
  ])
}
