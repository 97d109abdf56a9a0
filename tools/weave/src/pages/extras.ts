import { posix } from 'node:path'
import { h } from 'hastscript'
import type { Sheet } from './layout.ts'
import type { Page } from './pages.ts'
import type { Book } from './sidebar.ts'

/** A sheet that no document is behind. */
export function plainSheet(sheet: Pick<Sheet, 'url' | 'kind' | 'title' | 'content'>): Sheet {
  const none = { subtitle: null, description: null, source: null }
  return { room: '', sections: [], after: [], ...none, ...sheet }
}

/** The page that lists all pages. */
export function contentsSheet(pages: readonly Page[], book: Book, url: string): Sheet {
  const rooms = [...book.rooms].filter(([room]) => room !== '')
  const listed = (room: string) =>
    pages
      .filter((page) => page.room === room)
      .flatMap((page) => [
        h('dt', h('a', { href: posix.relative(posix.dirname(url), page.url) }, page.title)),
        h('dd', page.description ?? page.subtitle ?? ''),
      ])
  const ids = new Map(rooms.map(([room], index) => [room, `room-${index + 1}`]))
  const parts = rooms.flatMap(([room, title]) => [
    h('h2', { id: ids.get(room) }, title),
    h('dl', { className: 'contents' }, listed(room)),
  ])
  const top = listed('')
  const content = h('div', { className: 'content' }, [
    ...(top.length === 0 ? [] : [h('dl', { className: 'contents' }, top)]),
    ...parts,
  ])
  const sheet = plainSheet({ url, kind: 'index', title: 'Contents', content })
  const sections = rooms.map(([room, title]) => ({ level: 1, id: ids.get(room)!, title }))
  return { ...sheet, description: `All ${pages.length} pages, in the order of the book.`, sections }
}

/** The page for an address that does not exist. */
export function missingSheet(contents: string): Sheet {
  const words = [
    'The address you followed leads to no page of this book. ',
    'The page may have been given another name. You will find it in the ',
    h('a', { href: contents }, 'list of all pages'),
    ', or by searching for what it is about.',
  ]
  const content = h('div', { className: 'content' }, h('p', words))
  return plainSheet({ url: '404.html', kind: 'missing', title: 'There is no such page', content })
}
