import { posix } from 'node:path'
import type { Element, ElementContent, Root, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { h } from 'hastscript'
import { headlines, plainText } from 'org-ast'
import type { Place } from './config.ts'
import type { Byline, Page } from './pages.ts'
import { type Book, breadcrumb, neighbours, sidebar } from './sidebar.ts'

/** A page on its way into the frame. */
export interface Sheet {
  /** Relative to the site. */
  url: string
  /** The name of its kind, a class of the page: `chapter`, `code`, `index`, `edition`, `missing`. */
  kind: string
  /** The folder it belongs to; empty at the top. */
  room: string
  title: string
  subtitle: string | null
  description: string | null
  /** What a document says below its title; absent for a page that no document is behind. */
  byline?: Byline
  /** False when the title is only for those who listen and for the row of tabs. */
  isTitled?: boolean
  /** What is listed beside the text, in order. */
  sections: readonly Section[]
  /** Where it comes from, relative to the documents, or null when it is from nowhere. */
  source: string | null
  content: ElementContent
  /** What comes behind the text, before the neighbours. */
  after: readonly ElementContent[]
}

/** A place on a page; `level` is 1 or 2. */
export interface Section {
  level: number
  id: string
  title: string
}

/** The sheet of a document. */
export function sheetOf(page: Page, content: ElementContent): Sheet {
  const { url, room, title, subtitle, description, byline, path, slugs } = page
  const sections = [...headlines(page.tree)].flatMap((headline) => {
    const id = slugs.get(headline)
    if (id === undefined || headline.level > page.options.contents) return []
    return [{ level: headline.level, id, title: plainText(headline.title) }]
  })
  const rest = { byline, isTitled: page.options.title, sections, source: path, content, after: [] }
  return { url, kind: 'chapter', room, title, subtitle, description, ...rest }
}

/** What a site wants of its frame. Whatever may be left out is what a book has none of. */
export interface Frame {
  /** The address under which a document can be changed, up to its path, or null. */
  edit: string | null
  /** The address of the site, with a slash at its end, or null when it may be anywhere. */
  address: string | null
  /** The language of the texts; English when nobody says so. */
  language?: string
  /** The address of the owner's style sheet within the site. */
  theme?: string | null
  /** The address of the feed within the site. */
  feed?: string | null
  /** A script for every page, within the site; for a site that is being written. */
  live?: string | null
  /** What the settings have for this place of the page at this address. */
  fragment?(place: Place, url: string): ElementContent | null
}

const anywhere: Frame = { edit: null, address: null }

/** The page as an HTML document. */
export function layout(sheet: Sheet, book: Book, frame: Frame = anywhere): string {
  const { kind, room, url } = sheet
  const up = (url: string) => posix.relative(posix.dirname(sheet.url), url)
  const lists = { id: '_book', className: 'book', popover: 'auto', ariaLabel: 'The book' }
  const root: Root = {
    type: 'root',
    children: [
      { type: 'doctype' },
      h('html', { lang: frame.language ?? 'en' }, [
        head(sheet, book, frame),
        h('body', { className: sheet.kind }, [
          h('a', { className: 'skip', href: '#_text' }, 'Skip to the text'),
          h('div', { className: 'left' }, [
            barOf(sheet, book, up),
            h('nav', lists, [...fragment('navigation', sheet, frame), hole]),
          ]),
          main(sheet, book, frame),
        ]),
      ]),
    ],
  }
  const [before = '', between = '', after = ''] = print(root).split(hole.value)
  const inside = [print({ type: 'root', children: sidebar(book, url, room, kind === 'code') })]
  const html = [before, ...inside, between, print(sheet.content), after, '\n'].join('')
  return sheet.kind === 'missing' && frame.address !== null ? fixed(html, frame.address) : html
}

const hole = { type: 'raw', value: '\u0000' } as unknown as Text

function print(tree: Root | ElementContent): string {
  return toHtml(tree, { allowDangerousHtml: true })
}

function kept(book: Book, key: string, make: () => Element[]): Text {
  const value = book.printed.get(key) ?? print({ type: 'root', children: make() })
  book.printed.set(key, value)
  return { type: 'raw', value } as unknown as Text
}

function fixed(html: string, address: string): string {
  return html.replace(/ (href|src|data-root)="(?!#|[a-z]+:)/g, ` $1="${address}`)
}

const policy = [
  "default-src 'none'",
  "script-src 'self' file:",
  "style-src 'self' file:",
  "font-src 'self' file:",
  "img-src 'self' file: data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const favicon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Cpath d='M2 2h12v12H2zm3 3v6h6V5z' fill='%23a4512a' fill-rule='evenodd'/%3E%3C/svg%3E"

function head(sheet: Sheet, book: Book, frame: Frame): Element {
  const up = (url: string) => posix.relative(posix.dirname(sheet.url), url)
  const { feed = null, live = null, theme = null } = frame
  const follow = { rel: 'alternate', type: 'application/atom+xml', title: book.title }
  const title = sheet.title === book.title ? sheet.title : `${sheet.title} · ${book.title}`
  const described =
    sheet.description === null
      ? []
      : [h('meta', { name: 'description', content: sheet.description })]
  const first = kept(book, 'head', () => [
    h('meta', { charSet: 'utf-8' }),
    h('meta', {
      httpEquiv: 'Content-Security-Policy',
      content: live === null ? policy : `${policy}; connect-src 'self'`,
    }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
  ])
  const last = kept(book, `head ${up('.')}`, () => [
    h('script', { src: up('theme.js') }),
    h('link', { rel: 'stylesheet', href: up('style.css') }),
    ...(theme === null ? [] : [h('link', { rel: 'stylesheet', href: up(theme) })]),
    ...(feed === null ? [] : [h('link', { ...follow, href: up(feed) })]),
    h('script', { src: up('reader.js'), defer: true }),
    ...(live === null ? [] : [h('script', { src: up(live), defer: true })]),
    h('link', { rel: 'icon', href: favicon }),
  ])
  return h('head', [first, ...described, h('title', title), last])
}

function barOf(sheet: Sheet, book: Book, up: (url: string) => string): Text {
  const isFront = sheet.url === (book.chapters[0]?.url ?? 'index.html')
  return kept(book, `bar ${up('.')} ${isFront}`, () => [bar(sheet, book, up)])
}

function bar(sheet: Sheet, book: Book, up: (url: string) => string): Element {
  const { front } = book
  const current = sheet.url === front ? { ariaCurrent: 'page' } : {}
  const menu = { type: 'button', className: 'menu', popoverTarget: '_book', ariaLabel: 'The book' }
  const keys = { ariaKeyShortcuts: '/ Control+K', ariaLabel: 'Search' }
  const search = { type: 'button', className: 'search', ...keys }
  const theme = { type: 'button', className: 'theme', ariaLabel: 'Change the light' }
  const root = up('.') === '' ? '' : `${up('.')}/`
  return h('header', { className: 'bar', dataRoot: root }, [
    h('button', menu, icon('M2 4h12M2 8h12M2 12h12')),
    h('a', { className: 'home', href: up(front), ...current }, book.title),
    h('button', search, [
      icon('M7 2a5 5 0 1 0 0 10a5 5 0 0 0 0-10zM10.6 10.6L14 14'),
      h('span', 'Search'),
      h('kbd', '/'),
    ]),
    h('button', theme, icon('M8 2a6 6 0 1 0 0 12zV14', 'M8 2a6 6 0 0 1 0 12')),
  ])
}

function icon(...shapes: string[]): Text {
  const open = '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">'
  const paths = shapes.map((d) => `<path d="${d}"></path>`)
  return { type: 'raw', value: `${open}${paths.join('')}</svg>` } as unknown as Text
}

function main(sheet: Sheet, book: Book, frame: Frame): Element {
  const { title, subtitle, description } = sheet
  const above = breadcrumb(book, sheet.url, sheet.room)
  const around = neighbours(book, sheet.url)
  return h('main', { id: '_text', tabIndex: -1 }, [
    ...fragment('header', sheet, frame),
    h('header', { className: 'top' }, [
      ...(above === null ? [] : [above]),
      h('h1', sheet.isTitled === false ? { className: 'unseen' } : {}, title),
      ...(subtitle === null || sheet.isTitled === false
        ? []
        : [h('p', { className: 'subtitle' }, subtitle)]),
      ...bylineOf(sheet),
      ...(description === null ? [] : [h('p', { className: 'description' }, description)]),
    ]),
    ...sections(sheet),
    hole,
    ...sheet.after,
    ...(around === null ? [] : [around]),
    ...foot(sheet, frame),
  ])
}

function bylineOf({ byline }: Sheet): Element[] {
  const { author = null, email = null, date = null } = byline ?? {}
  const address = email === null ? null : h('a', { href: `mailto:${email}` }, email)
  const parts = [author, address, date].filter((part) => part !== null)
  const words = parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]))
  return words.length === 0 ? [] : [h('p', { className: 'byline' }, words)]
}

function foot(sheet: Sheet, frame: Frame): Element[] {
  const words = [...said(sheet, frame), ...fragment('footer', sheet, frame)]
  return words.length === 0 ? [] : [h('footer', words)]
}

function fragment(place: Place, { url }: Sheet, frame: Frame): Element[] {
  const content = frame.fragment?.(place, url) ?? null
  return content === null ? [] : [h('div', { className: `around ${place}` }, content)]
}

function said({ source }: Sheet, { edit }: Frame): Element[] {
  if (source === null) return []
  const from = ['Woven from ', h('code', source), '.']
  if (edit === null) return [h('p', from)]
  const href = new URL(source.split('/').map(encodeURIComponent).join('/'), edit).href
  return [h('p', [...from, ' ', h('a', { href, rel: 'noreferrer' }, 'Edit this page')])]
}

function sections(sheet: Sheet): Element[] {
  if (sheet.sections.length < 2) return []
  const entries = sheet.sections.map(({ level, id, title }) =>
    h('li', { className: level === 1 ? undefined : 'deep' }, h('a', { href: `#${id}` }, title)),
  )
  const open = { type: 'button', className: 'here', popoverTarget: '_sections' }
  const list = {
    id: '_sections',
    className: 'sections',
    popover: 'auto',
    ariaLabel: 'On this page',
  }
  return [
    h('button', open, [icon('M2 4h12M5 8h9M5 12h9'), 'On this page']),
    h('nav', list, [h('p', 'On this page'), h('ul', entries)]),
  ]
}
