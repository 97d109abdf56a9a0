import { posix } from 'node:path'
import type { Text } from 'hast'
import { h } from 'hastscript'
import { plainSheet } from '../pages/extras.ts'
import type { Section, Sheet } from '../pages/layout.ts'
import type { Page } from '../pages/pages.ts'
import type { Book } from '../pages/sidebar.ts'

/** All pages on one. `contents` is the content of each page, as HTML, by its address. */
export function editionSheet(
  pages: readonly Page[],
  contents: ReadonlyMap<string, string>,
  book: Book,
  url: string,
): Sheet {
  const names = new Map(pages.map((page) => [page.url, nameOf(page.url)]))
  const chapters = pages.map((page) => {
    const value = moved(contents.get(page.url) ?? '', page.url, url, names)
    const title = h('h2', page.title)
    const said =
      page.description === null ? [] : [h('p', { className: 'description' }, page.description)]
    return h('section', { id: names.get(page.url) }, [
      title,
      ...said,
      { type: 'raw', value } as unknown as Text,
    ])
  })
  const sections = pages.flatMap((page, index): Section[] => {
    const id = names.get(page.url)!
    const entry = { level: 2, id, title: page.title }
    if (page.room === '') return [{ ...entry, level: 1 }]
    const isFirst = pages[index - 1]?.room !== page.room
    return isFirst ? [{ level: 1, id, title: book.rooms.get(page.room)! }] : [entry]
  })
  const content = h('div', { className: 'content' }, chapters)
  const sheet = plainSheet({ url, kind: 'edition', title: 'The book on one page', content })
  return { ...sheet, sections }
}

function nameOf(url: string): string {
  return url.replace(/\.html$/, '')
}

const tag = /<(?!span class="k|\/span)(\/?)([a-z][a-z0-9]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>/g
const attribute = / (id|href|src|title)="([^"]*)"/g

function moved(html: string, from: string, to: string, names: ReadonlyMap<string, string>): string {
  return html.replace(tag, (_, slash: string, name: string, attributes: string) => {
    const level = /^h[1-5]$/.test(name) ? `h${Number(name[1]) + 1}` : name
    const changed = attributes.replace(attribute, (_whole, key: string, value: string) => {
      if (key === 'id') return ` id="${names.get(from)}/${value}"`
      if (key === 'title') return ''
      return ` ${key}="${movedAddress(value, from, to, names)}"`
    })
    return `<${slash}${level}${changed}>`
  })
}

function movedAddress(
  address: string,
  from: string,
  to: string,
  names: ReadonlyMap<string, string>,
): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return address
  const [path = '', place] = address.split('#')
  const target = path === '' ? from : posix.join(posix.dirname(from), path)
  const name = names.get(target)
  const end = place === undefined ? '' : `#${place}`
  if (name === undefined) return `${posix.relative(posix.dirname(to), target)}${end}`
  return place === undefined ? `#${name}` : `#${name}/${place}`
}
