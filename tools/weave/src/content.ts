import { dirname, join, relative, sep } from 'node:path'
import type { Element, ElementContent } from 'hast'
import { h } from 'hastscript'
import {
  type AffiliatedNode,
  type Headline,
  type Item,
  type Link,
  type OrgContent,
  type Paragraph,
  type Planning,
  type PropertyDrawer,
  plainText,
  type SrcBlock,
  type Table,
  type TableCell,
  type TableRow,
  type Timestamp,
} from 'org-ast'
import { codeBlock, type Way } from './block.ts'
import type { Colours } from './highlight.ts'
import { anchorId, type Directory, resolveLink } from './links.ts'
import type { PageCode } from './literate.ts'
import type { Page } from './pages.ts'

/** A page with what is needed to write it. */
export interface ContentContext {
  /** Tangle targets are shown relative to this folder; absolute. */
  root: string
  page: Page
  directory: Directory
  colours: Colours
  /** What is known of the page's code; absent where nothing is. */
  code?: PageCode
  /** Takes a dead link, with its 1-based line. */
  problem(line: number, message: string): void
}

interface Writer extends ContentContext {
  /** Labels of footnotes in the order of their first reference. */
  notes: string[]
  definitions: Map<string, readonly OrgContent[]>
  /** What is said of the next image; null when nothing is. */
  image: { alt: string; width?: string } | null
}

type Content = ElementContent[]

/** The body of the page, without its title. */
export function pageContent(context: ContentContext): Element {
  const writer: Writer = { ...context, notes: [], definitions: new Map(), image: null }
  collectDefinitions(context.page.tree.children, writer)
  const content = all(context.page.tree.children, writer)
  return h('div', { className: 'content' }, [...content, ...footnotes(writer)])
}

function all(nodes: readonly OrgContent[], writer: Writer): Content {
  return nodes.flatMap((node) => one(node, writer))
}

function one(node: OrgContent, writer: Writer): Content {
  switch (node.type) {
    case 'section':
    case 'dynamic-block':
      return all(node.children, writer)
    case 'drawer':
      return drawer(node.drawerName, all(node.children, writer))
    case 'planning':
      return planning(node)
    case 'property-drawer':
      return properties(node)
    case 'headline':
      return heading(node, writer)
    case 'paragraph':
      return figure(node, writer)
    case 'plain-list':
      return [list(node.listType, node.children, writer)]
    case 'table':
      return captioned(node, [table(node, writer)], writer)
    case 'src-block':
      return [sourceBlock(node, writer)]
    case 'example-block':
    case 'fixed-width':
      return captioned(node, [h('pre', { tabIndex: 0 }, h('code', node.value))], writer)
    case 'latex-environment':
      return [h('pre', { className: 'latex', tabIndex: 0 }, h('code', node.value))]
    case 'quote-block':
      return [h('blockquote', all(node.children, writer))]
    case 'center-block':
      return [h('div', { className: 'center' }, all(node.children, writer))]
    case 'special-block':
      return [special(node.blockType, all(node.children, writer))]
    case 'verse-block':
      return [h('p', { className: 'verse' }, all(node.children, writer))]
    case 'horizontal-rule':
      return [h('hr')]
    default:
      return object(node, writer)
  }
}

function heading(node: Headline, writer: Writer): Content {
  const id = writer.page.slugs.get(node)
  if (id === undefined) return []
  const level = Math.min(node.level + 1, 6)
  const anchor = h(
    'a',
    { className: 'anchor', href: `#${id}`, ariaLabel: 'Link to this section' },
    '#',
  )
  const title = [...titled(node, writer), ' ', anchor]
  return [h(`h${level}`, { id }, title), ...all(node.children, writer)]
}

function titled(node: Headline, writer: Writer): Content {
  const done = node.todoType === 'done' ? ['todo', 'done'] : 'todo'
  const keyword =
    node.todoKeyword === null ? [] : [h('span', { className: done }, node.todoKeyword)]
  const priority =
    node.priority === null ? [] : [h('span', { className: 'priority' }, `[#${node.priority}]`)]
  const tags = node.tags.map((tag) => h('span', { className: 'tag' }, tag))
  const space = { type: 'text' as const, value: ' ' }
  const before = [...keyword, ...priority].flatMap((word) => [word, space])
  return [...before, ...text(node.title, writer), ...tags.flatMap((tag) => [space, tag])]
}

function planning({ closed, deadline, scheduled }: Planning): Content {
  const dates = [
    ['Closed', closed],
    ['Deadline', deadline],
    ['Scheduled', scheduled],
  ] as const
  const parts = dates.flatMap(([word, date]) => (date === null ? [] : [word, ' ', time(date), ' ']))
  return [h('p', { className: 'planning' }, parts.slice(0, -1))]
}

function time({ rawValue, rangeType, start }: Timestamp): Element {
  if (start === null || rangeType !== null) return h('time', rawValue)
  const { year, month, day, hour, minute } = start
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const clock = hour === null ? '' : `T${two(hour)}:${two(minute ?? 0)}`
  const instant = new Date(`${date}${clock || 'T00:00'}:00Z`)
  const exists = !Number.isNaN(instant.getTime()) && instant.getUTCDate() === day
  return h('time', exists ? { dateTime: `${date}${clock}` } : {}, rawValue)
}

const technical = /^(?:id|custom_id|visibility|unnumbered|header-args\b.*|export_.*)$/i

function properties({ children }: PropertyDrawer): Content {
  const shown = children.filter(({ key }) => !technical.test(key))
  if (shown.length === 0) return []
  const rows = shown.flatMap(({ key, value }) => [h('dt', key), h('dd', value)])
  return [folded('Properties', 'properties', [h('dl', rows)])]
}

function folded(title: string, kind: string, content: Content): Element {
  return h('details', { className: kind }, [h('summary', title), ...content])
}

function drawer(name: string, content: Content): Content {
  const kind = name.toUpperCase()
  if (kind === 'LOGBOOK') return []
  return kind === 'RESULTS' ? content : [folded(name, 'drawer', content)]
}

function paragraph(nodes: readonly OrgContent[], writer: Writer): Element {
  return h('p', text(nodes, writer))
}

function special(name: string, content: Content): Element {
  const known = /^[a-z][a-z-]*$/i.test(name) ? name.toLowerCase() : 'block'
  return h('div', { className: ['special', known] }, content)
}

function captioned(node: AffiliatedNode, content: Content, writer: Writer): Content {
  const id = node.name === null ? {} : { id: anchorId(node.name) }
  const words = caption(node, writer)
  if (words.length > 0) return [h('figure', id, [...content, h('figcaption', words)])]
  return node.name === null ? content : [h('div', id, content)]
}

function caption(node: AffiliatedNode, writer: Writer): Content {
  const lines = node.affiliated.filter(({ children }) => children.length > 0)
  return lines.flatMap(({ children }, index) => [
    ...(index === 0 ? [] : [{ type: 'text' as const, value: ' ' }]),
    ...text(children, writer),
  ])
}

function figure(node: Paragraph, writer: Writer): Content {
  const width = attribute(node, 'width')?.match(/^\d+(?=(?:px)?$)/)?.[0]
  const said = node.affiliated
    .map(({ children }) => plainText(children))
    .join(' ')
    .trim()
  writer.image = { alt: attribute(node, 'alt') ?? said, ...(width === undefined ? {} : { width }) }
  const content = paragraph(node.children, writer)
  writer.image = null
  return captioned(node, [content], writer)
}

function attribute({ affiliated }: AffiliatedNode, name: string): string | null {
  const lines = affiliated.filter(({ key }) => key === 'ATTR_HTML')
  const parts = lines.flatMap(({ value }) => ` ${value}`.split(/\s(?=:[\w-])/))
  const part = parts.findLast((one) => one.startsWith(`:${name} `))
  return part === undefined
    ? null
    : part
        .slice(name.length + 2)
        .trim()
        .replace(/^"(.*)"$/, '$1')
}

function sourceBlock(node: SrcBlock, writer: Writer): Element {
  const block = writer.page.blocks.get(node)
  const view = writer.code?.block(node) ?? null
  const language = block?.language ?? 'text'
  const targets = view?.targets ?? []
  return codeBlock({
    id: view?.id ?? (node.name === null ? null : anchorId(node.name)),
    name: node.name,
    targets: targets.length > 0 ? targets : targetsOf(block?.headers.get('tangle') ?? 'no', writer),
    line: targets.length > 0 ? (view?.line ?? null) : null,
    caption: caption(node, writer),
    language,
    code: view?.code ?? [writer.colours(block?.body ?? node.value, language)],
    after: view?.after ?? [],
  })
}

function targetsOf(target: string, { page, root }: Writer): Way[] {
  if (target === 'no' || target === '') return []
  const file = join(dirname(page.file), target)
  const shown = relative(root, file).split(sep).join('/')
  return [{ words: shown.startsWith('..') ? target : shown, href: null }]
}

const boxes = { on: '☑', off: '☐', trans: '◪' } as const

function list(kind: string, items: readonly Item[], writer: Writer): Element {
  if (kind === 'descriptive') {
    return h(
      'dl',
      items.flatMap((item) => [
        h('dt', [...checkbox(item), ...text(item.tag ?? [], writer)]),
        h('dd', itemContent(item, writer)),
      ]),
    )
  }
  const start = items[0]?.counter ?? null
  const rows = items.map((item) => {
    const tag = item.tag === null ? [] : [h('strong', text(item.tag, writer)), ' ']
    return h('li', [...checkbox(item), ...tag, ...itemContent(item, writer)])
  })
  return kind === 'ordered' ? h('ol', start === null ? {} : { start }, rows) : h('ul', rows)
}

function checkbox({ checkbox: state }: Item): (Element | string)[] {
  return state === null ? [] : [h('span', { className: 'box' }, boxes[state]), ' ']
}

function itemContent(item: Item, writer: Writer): Content {
  const [first, ...rest] = item.children
  if (first?.type !== 'paragraph') return all(item.children, writer)
  return [...text(first.children, writer), ...all(rest, writer)]
}

function table(node: Table, writer: Writer): Element {
  if (node.value !== null) return h('pre', { tabIndex: 0 }, h('code', node.value))
  const rule = node.children.findIndex(({ rowType }) => rowType === 'rule')
  const sides = alignment(node)
  const rows = node.children
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => row.rowType === 'rule' || !isCookies(row))
  const standard = rows.filter(({ row }) => row.rowType === 'standard')
  const hasHead =
    standard.some(({ index }) => index < rule) && standard.some(({ index }) => index > rule)
  const cells = (tag: 'th' | 'td') => (entry: (typeof rows)[number]) =>
    h(
      'tr',
      entry.row.children.map((cell, column) =>
        h(tag, { className: sides[column] || undefined }, text(cell.children, writer)),
      ),
    )
  const head = standard.filter(({ index }) => hasHead && index < rule).map(cells('th'))
  const body = standard.filter(({ index }) => !hasHead || index > rule).map(cells('td'))
  const parts = [...(head.length === 0 ? [] : [h('thead', head)]), h('tbody', body)]
  return h('div', { className: 'wide', tabIndex: 0 }, h('table', parts))
}

const numeric = /^[<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*$/

const cookieOf = (cell: TableCell) => /^<([lrc]?)\d*>$/.exec(plainText(cell.children).trim())

function isCookies({ children }: TableRow): boolean {
  const filled = children.filter((cell) => plainText(cell.children).trim() !== '')
  return filled.length > 0 && filled.every((cell) => cookieOf(cell) !== null)
}

function alignment({ children: rows }: Table): string[] {
  const sides = { l: '', r: 'right', c: 'centre' }
  const columns = rows.reduce((most, { children }) => Math.max(most, children.length), 0)
  return Array.from({ length: columns }, (_, column) => {
    const cells = rows.flatMap((row) => row.children[column] ?? [])
    const letter = cells.map((cell) => cookieOf(cell)?.[1]).find(Boolean)
    if (letter === 'l' || letter === 'r' || letter === 'c') return sides[letter]
    const words = cells.filter((cell) => cookieOf(cell) === null)
    const filled = words.map((cell) => plainText(cell.children).trim()).filter(Boolean)
    const numbers = filled.filter((word) => numeric.test(word)).length
    return filled.length > 0 && numbers * 2 >= filled.length ? 'right' : ''
  })
}

function text(nodes: readonly OrgContent[], writer: Writer): Content {
  const content = nodes.flatMap((node) => {
    const space = node.type === 'plain-text' ? '' : ' '.repeat(node.postBlank)
    return [
      ...object(node, writer),
      ...(space === '' ? [] : [{ type: 'text' as const, value: space }]),
    ]
  })
  const [first] = content
  const last = content.at(-1)
  if (first?.type === 'text') first.value = first.value.trimStart()
  if (last?.type === 'text') last.value = last.value.trimEnd()
  return content
}

const tags = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  'strike-through': 'del',
  subscript: 'sub',
  superscript: 'sup',
} as const

function object(node: OrgContent, writer: Writer): Content {
  switch (node.type) {
    case 'plain-text':
      return [{ type: 'text', value: node.value }]
    case 'bold':
    case 'italic':
    case 'underline':
    case 'strike-through':
    case 'subscript':
    case 'superscript':
      return [h(tags[node.type], text(node.children, writer))]
    case 'code':
      return [h('code', node.value)]
    case 'verbatim':
      return [writer.code?.word(node.value, node.position.start.line) ?? h('code', node.value)]
    case 'link':
      return link(node, writer)
    case 'entity':
      return [{ type: 'text', value: node.utf8 }]
    case 'timestamp':
      return [time(node)]
    case 'target':
      return [h('span', { id: anchorId(node.value) })]
    case 'radio-target':
      return [h('span', { id: anchorId(node.value) }, text(node.children, writer))]
    default:
      return rareObject(node, writer)
  }
}

function rareObject(node: OrgContent, writer: Writer): Content {
  switch (node.type) {
    case 'line-break':
      return [h('br')]
    case 'statistics-cookie':
      return [h('span', { className: node.type }, node.value)]
    case 'latex-fragment':
      return [h('code', { className: node.type }, node.value)]
    case 'inline-src-block':
      return [h('code', node.value)]
    case 'footnote-reference':
      return [footnoteReference(node.label, node.children, writer)]
    case 'macro':
      if (node.key === 'results') return results(node.args.join(','))
      return [{ type: 'text', value: source(node, writer) }]
    case 'citation':
      return [{ type: 'text', value: source(node, writer) }]
    default:
      return []
  }
}

function results(value: string): Content {
  const literal = /^[=~](.*)[=~]$/s.exec(value.trim())
  return literal === null ? [{ type: 'text', value }] : [h('code', literal[1]!)]
}

function source({ position, postBlank }: OrgContent, writer: Writer): string {
  return writer.page.text.slice(position.start.offset, position.end.offset - postBlank)
}

function link(node: Link, writer: Writer): Content {
  const words = node.children.length > 0 ? text(node.children, writer) : linkText(node)
  const found = resolveLink(node, writer.page, writer.directory)
  if (typeof found === 'string') {
    writer.problem(node.position.start.line, found)
    return words
  }
  if (found.kind === 'image' && node.children.length === 0) return [image(found.href, writer)]
  const rel = found.kind === 'external' ? { rel: 'noreferrer' } : {}
  return [h('a', { href: found.href, ...rel }, words)]
}

function image(src: string, writer: Writer): Element {
  const said = writer.image ?? { alt: '' }
  writer.image = null
  return h('img', { src, ...said })
}

function linkText({ rawLink, path, searchOption }: Link): Content {
  const value =
    searchOption?.replace(/^[*#]/, '') ??
    (rawLink.startsWith('*') ? path.replace(/^\*/, '') : rawLink)
  return [{ type: 'text', value }]
}

function collectDefinitions(nodes: readonly OrgContent[], writer: Writer): void {
  for (const node of nodes) {
    if (node.type === 'footnote-definition') writer.definitions.set(node.label, node.children)
    else if ('children' in node) collectDefinitions(node.children as OrgContent[], writer)
  }
}

function footnoteReference(
  label: string | null,
  inline: readonly OrgContent[],
  writer: Writer,
): Element {
  const name = label ?? `inline-${writer.notes.length + 1}`
  if (inline.length > 0) writer.definitions.set(name, inline)
  const first = !writer.notes.includes(name)
  if (first) writer.notes.push(name)
  const number = writer.notes.indexOf(name) + 1
  const id = first ? { id: `_ref-${number}` } : {}
  return h('sup', h('a', { ...id, href: `#_note-${number}`, role: 'doc-noteref' }, String(number)))
}

function footnotes(writer: Writer): Content {
  const rows: Element[] = []
  for (let index = 0; index < writer.notes.length; index++) {
    const definition = writer.definitions.get(writer.notes[index]!) ?? []
    const back = h(
      'a',
      { href: `#_ref-${index + 1}`, role: 'doc-backlink', ariaLabel: 'Back' },
      '↩',
    )
    rows.push(h('li', { id: `_note-${index + 1}` }, [...all(definition, writer), ' ', back]))
  }
  return rows.length === 0
    ? []
    : [h('section', { className: 'footnotes', ariaLabel: 'Footnotes' }, h('ol', rows))]
}
