import { posix } from 'node:path'
import type { Element, ElementContent, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import type { Page } from './pages.ts'

/** A page as the sidebar knows it. */
interface Entry {
  /** Relative to the site. */
  url: string
  title: string
  /** The folder it belongs to; empty at the top. */
  room: string
}

/** What every page of a site knows of the others. */
export interface Book {
  title: string
  /** The address of the front page. */
  front: string
  /** In reading order, rooms together, the front page first. */
  chapters: readonly Entry[]
  /** Pages that no document is behind, in the order in which they are offered. */
  indices: readonly Entry[]
  /** The names of the rooms. */
  rooms: ReadonlyMap<string, string>
  /** The chapters of each room. */
  byRoom: ReadonlyMap<string, readonly Entry[]>
  /** Lists that were printed before. */
  printed: Map<string, string>
}

/** The book of these pages, which are in reading order. `named` is what the settings say of it. */
export function bookOf(
  pages: readonly Page[],
  named: { title?: string | null; front?: string } = {},
): Book {
  const titles = new Map(pages.map(({ path, title }) => [path, title]))
  const rooms = new Map<string, string>()
  for (const { room } of pages)
    rooms.set(room, titles.get(`${room}/index.org`) ?? capital(posix.basename(room)))
  const chapters = pages.map(({ url, title, room, path }) => ({
    url,
    title: path === 'index.org' ? 'Front page' : path === `${room}/index.org` ? 'Overview' : title,
    room,
  }))
  const byRoom = Map.groupBy(chapters, ({ room }) => room)
  const title = named.title ?? pages[0]?.title ?? ''
  const front = named.front ?? pages[0]?.url ?? 'index.html'
  return { title, front, chapters, indices: [], rooms, byRoom, printed: new Map() }
}

/** The word with a capital. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The room in which a room stands in the list; itself when it stands in none. */
function outermost(book: Book, room: string): string {
  const steps = room.split('/').map((_step, at, all) => all.slice(0, at + 1).join('/'))
  return steps.find((step) => book.rooms.has(step)) ?? room
}

/** The rooms in a room, as links to their first pages. */
function innerRooms(book: Book, outer: string): Entry[] {
  return [...book.rooms].flatMap(([name, title]) => {
    const isInner = name !== outer && outermost(book, name) === outer
    return isInner ? [{ ...book.byRoom.get(name)![0]!, title }] : []
  })
}

const listMax = 200
const bookMax = 300
const nearMax = 20

/** The lists of all pages, as they are seen from the page at `url`, which is in `room`. */
export function sidebar(book: Book, url: string, room: string, isCode = false): ElementContent[] {
  const folder = posix.dirname(url)
  const isLarge = isCode || book.chapters.length > bookMax
  const outer = [...book.rooms.keys()].filter((name) => outermost(book, name) === name)
  const at = outer.indexOf(outermost(book, room))
  const groups = outer.map((name, index) => {
    const title = book.rooms.get(name)!
    const entries = book.byRoom.get(name)!
    if (index !== at && name !== '' && (entries.length > listMax || isLarge))
      return list(book, folder, `door ${name}`, title, [{ ...entries[0]!, title }])
    const html = roomList(book, url, name, innerRooms(book, name))
    return index === at && name !== room ? withRoomOpen(book, url, room, html) : html
  })
  const more = list(book, folder, 'indices', 'Indices', book.indices)
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

function roomList(book: Book, url: string, name: string, inner: readonly Entry[] = []): string {
  const entries = book.byRoom.get(name)!
  const isLong = entries.length > listMax
  const key = isLong ? `near ${name} ${url}` : `room ${name}`
  const shown = isLong ? near(book, entries, url) : entries
  return list(book, posix.dirname(url), key, book.rooms.get(name)!, [...shown, ...inner])
}

function withRoomOpen(book: Book, url: string, room: string, html: string): string {
  const folder = posix.dirname(url)
  const door = toHtml(item(folder, { ...book.byRoom.get(room)![0]!, title: book.rooms.get(room)! }))
  const open = roomList(book, url, room).replace('<details>', '<details open>')
  return html.replace(door, () => `<li>${open}</li>`)
}

function item(folder: string, { url, title }: Entry): Element {
  return h('li', h('a', { href: posix.relative(folder, url) }, title))
}

function near(book: Book, entries: readonly Entry[], url: string): Entry[] {
  const at = Math.max(
    entries.findIndex((entry) => entry.url === url),
    0,
  )
  const all = book.indices.find((entry) => entry.url === 'contents.html')
  const more = all === undefined ? [] : [{ ...all, title: `All ${entries.length} pages` }]
  return [...entries.slice(Math.max(0, at - nearMax), at + nearMax + 1), ...more]
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
  const items = entries.map((entry) => item(folder, entry))
  const isPlain = key === 'room ' || key.startsWith('near  ') || key.startsWith('door ')
  const html = toHtml(isPlain ? h('ul', items) : h('details', [h('summary', name), h('ul', items)]))
  if (!key.startsWith('near ')) book.printed.set(`${folder}\n${key}`, html)
  return html
}

/** Where a page belongs, or null for the front page. */
export function breadcrumb(book: Book, url: string, room: string): Element | null {
  if (book.front === url) return null
  const folder = posix.dirname(url)
  const steps = [{ url: book.front, title: book.title }]
  for (const name of new Set([outermost(book, room), room])) {
    const first = book.byRoom.get(name)?.[0]
    if (name !== '' && first !== undefined && first.url !== url)
      steps.push({ url: first.url, title: book.rooms.get(name)! })
  }
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
