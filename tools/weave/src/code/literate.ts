import type { Element, ElementContent, Text } from 'hast'
import { h } from 'hastscript'
import type { OrgContent } from 'org-ast'
import type { Page } from '../pages/pages.ts'
import type { Way } from './block.ts'
import { addressFrom, type Codebook, type Explained, named, type PlacedBlock } from './codebook.ts'
import { type Fragments, fragmentsOf, references } from './fragments.ts'
import { type Around, attribute, type Colours, htmlLines } from './highlight.ts'

/** The code of one page. */
export interface PageCode {
  /** What is known of a block, or null for one that the book does not have. */
  block(node: OrgContent): BlockView | null
  /** A word of a sentence, marked as literal; null when it means nothing in the code. */
  word: (value: string, line: number) => Element | null
}

/** What a page shows of a block; the line leads to the document, or else to the block itself. */
interface BlockView {
  id: string
  targets: Way[]
  line: Way
  code: ElementContent[]
  after: ElementContent[]
}

/** Prepares the code of all pages. `edit` is where a document can be changed, up to its path. */
export function literate(
  book: Codebook,
  colours: Colours,
  edit: string | null,
): (page: Page, problem: (line: number, message: string) => void) => PageCode {
  const fragments = fragmentsOf(book)
  return (page, problem) => ({
    block: (node) => {
      const placed = book.byNode.get(node)
      return placed === undefined ? null : viewOf(book, fragments, placed, colours, edit)
    },
    word: (value, line) => wordOf(book, page, value, (message) => problem(line, message)),
  })
}

function viewOf(
  book: Codebook,
  fragments: Fragments,
  placed: PlacedBlock,
  colours: Colours,
  edit: string | null,
): BlockView {
  const { id, page, block, lines } = placed
  const targets = [...lines].flatMap(([target, line]): Way[] => {
    const url = book.files.get(target)
    if (url === undefined) return []
    return [{ words: target.path, href: addressFrom(page.url, url, `L${line}`) }]
  })
  const { file, line: at } = page.place(block.line)
  const isThere = edit !== null && file === page.file
  const href = isThere ? editAddress(edit, page.path, at) : `#${id}`
  const after = [...usedIn(fragments, placed), ...usedBy(book, placed)]
  const code = pieces(fragments, placed, colours, aroundOf(book, placed, page.url, true))
  return { id, targets, line: { words: `line ${at}`, href }, code, after }
}

function editAddress(edit: string, path: string, line: number): string {
  const place = path.split('/').map(encodeURIComponent).join('/')
  return `${new URL(place, edit).href}#L${line}`
}

/** What is put around the names of a block, on the page at `url`; `titles` are the tooltips. */
export function aroundOf(
  book: Codebook,
  placed: PlacedBlock,
  url: string,
  titles: boolean,
): Around[] {
  return placed.marks.flatMap(({ at, length, symbol }) => {
    const explained = book.explained.get(symbol)
    if (explained === undefined) return []
    const isHere = explained.from.page.url === url
    const isDefinition = isHere && explained.from === placed && explained.at === at
    const href = attribute(addressFrom(url, explained.from.page.url, explained.id))
    const id = isDefinition ? ` id="${attribute(explained.id)}"` : ''
    const title = titles && !isDefinition ? ` title="${attribute(aboutSymbol(explained))}"` : ''
    return [{ at, length, before: `<a${id} href="${href}"${title}>`, after: '</a>' }]
  })
}

/** The declaration of a symbol, and the first sentence about it below. */
export function aboutSymbol({ symbol: { signature, summary } }: Explained): string {
  return summary === null ? signature : `${signature}\n${summary}`
}

function pieces(
  fragments: Fragments,
  placed: PlacedBlock,
  colours: Colours,
  around: readonly Around[],
): ElementContent[] {
  const { page, block } = placed
  const { body, language } = block
  const found = references(fragments, placed)
  const links = found.map(({ at, length, blocks: [first] }) => {
    const href = attribute(addressFrom(page.url, page.url, first!.id))
    return { at, length, before: `<a class="reference" href="${href}">`, after: '</a>' }
  })
  const all = [...around, ...links].sort((a, b) => a.at - b.at)
  const whole = colours(body, language, all)
  const alone = new Map(found.flatMap((one) => (one.isAlone ? [[one.line, one] as const] : [])))
  if (alone.size === 0) return [whole]
  const lines = htmlLines(whole)
  const parts: ElementContent[] = []
  let begin = 0
  const cut = (end: number) => {
    if (end > begin) parts.push(preOf(whole, lines.slice(begin, end).join('\n')))
    begin = end + 1
  }
  for (const [line, { blocks }] of alone) {
    cut(line)
    const text = body.split('\n')[line]!
    parts.push(unfolding(text, blocks, colours))
  }
  cut(lines.length)
  return parts
}

function preOf(whole: Element, html: string): Element {
  const raw = { type: 'raw', value: html } as unknown as Text
  return { ...whole, children: [{ ...h('code'), children: [raw] }] }
}

function unfolding(text: string, blocks: readonly PlacedBlock[], colours: Colours): Element {
  const inside = blocks.flatMap(({ block: { body, language }, id, title }) => [
    h('p', h('a', { href: `#${id}` }, title)),
    colours(body, language),
  ])
  return h('details', { className: 'fragment' }, [h('summary', h('code', text)), ...inside])
}

function usedIn(fragments: Fragments, placed: PlacedBlock): ElementContent[] {
  const users = fragments.users.get(placed) ?? []
  if (users.length === 0) return []
  const links = users.map((user) => h('a', { href: `#${user.id}` }, user.title))
  return [h('p', { className: 'used-in' }, ['Used in ', ...joined(links), '.'])]
}

function joined(links: readonly Element[]): (Element | string)[] {
  return links.flatMap((link, index) => (index === 0 ? [link] : [', ', link]))
}

function usedBy(book: Codebook, placed: PlacedBlock): ElementContent[] {
  const rows = placed.defines.flatMap((number) => {
    const explained = book.explained.get(number)!
    const uses = explained.uses.filter(({ from }) => from !== placed)
    return uses.length === 0 ? [] : [{ explained, uses }]
  })
  if (rows.length === 0) return []
  const uses = rows.flatMap((row) => row.uses)
  const pagesOf = (isTest: boolean) =>
    new Set(uses.filter((use) => use.isTest === isTest).map(({ from }) => from.page)).size
  const pages = (count: number) => (count === 1 ? 'one page' : `${count} pages`)
  const parts = [
    ...(pagesOf(false) === 0 ? [] : [`on ${pages(pagesOf(false))}`]),
    ...(pagesOf(true) === 0 ? [] : [`in tests on ${pages(pagesOf(true))}`]),
  ]
  const list = rows.flatMap((row) => [
    h('dt', h('a', { href: `#${row.explained.id}` }, h('code', row.explained.symbol.name))),
    ...places(
      row.uses.filter(({ isTest }) => !isTest),
      '',
      placed,
    ),
    ...places(
      row.uses.filter(({ isTest }) => isTest),
      'Tests: ',
      placed,
    ),
  ])
  const summary = h('summary', `Used ${parts.join(' and ')}`)
  return [h('details', { className: 'uses' }, [summary, h('dl', list)])]
}

function places(uses: Explained['uses'], label: string, { page }: PlacedBlock): Element[] {
  if (uses.length === 0) return []
  const counts = new Map<Page, { first: PlacedBlock; count: number }>()
  for (const { from } of uses) {
    const entry = counts.get(from.page) ?? { first: from, count: 0 }
    counts.set(from.page, { ...entry, count: entry.count + 1 })
  }
  const links = [...counts].map(([at, { first, count }]) => {
    const words = at === page ? 'this page' : at.title
    const href = addressFrom(page.url, at.url, first.id)
    return h('a', { href }, count === 1 ? words : `${words} (${count})`)
  })
  return [h('dd', [label, ...joined(links)])]
}

const nameLike = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\(\))?$/
const plainlyName = /\(\)$|^(?:[A-Za-z]\w*\.)?[a-z]+(?:[A-Z][a-z0-9]+)+$/

function wordOf(
  book: Codebook,
  page: Page,
  value: string,
  problem: (message: string) => void,
): Element | null {
  if (book.explained.size === 0 || !nameLike.test(value)) return null
  const name = value.replace(/\(\)$/, '')
  const meant = named(book, name, page)
  if (meant === null) {
    const isKnown = name.split('.').every((part) => book.words().has(part))
    if (!isKnown && plainlyName.test(value)) problem(`=${value}= is no name of this program`)
    return null
  }
  const href = addressFrom(page.url, meant.from.page.url, meant.id)
  return h('a', { className: 'symbol', href, title: aboutSymbol(meant) }, h('code', value))
}
