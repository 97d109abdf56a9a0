import { getSettings, parse as parseOrga, type Settings } from 'orga'
import { readSwitches } from '../elements/src-block.ts'
import { createEnv, noElements } from '../environment/env.ts'
import { parseTimestamp } from '../objects/timestamp.ts'
import { type Engine, type ParseOptions, parse } from '../parse/parse.ts'
import { LineIndex } from '../text/lines.ts'
import { Origin, Run } from '../text/origin.ts'
import { OrgContainer, type OrgNode } from '../tree/base-node.ts'
import {
  CommentBlock,
  ExampleBlock,
  ExportBlock,
  HorizontalRule,
  Keyword,
  Paragraph,
  SrcBlock,
  VerseBlock,
} from '../tree/lesser-elements.ts'
import {
  CenterBlock,
  Drawer,
  FootnoteDefinition,
  type Headline,
  Item,
  NodeProperty,
  type OrgData,
  type OrgElement,
  PlainList,
  Planning,
  PropertyDrawer,
  QuoteBlock,
  type Section,
  SpecialBlock,
  Table,
  TableCell,
  TableRow,
} from '../tree/nodes.ts'
import {
  Emphasis,
  FootnoteReference,
  LatexFragment,
  Link,
  Literal,
  type OrgObject,
  PlainText,
} from '../tree/object-nodes.ts'
import { headlines, walk } from '../tree/query.ts'

/** Something in the text that orga gave no meaning to. */
export interface Dropped {
  /** org-element's type of what is missing, or `error` for a section that orga could not read. */
  type: string
  /** 1-based. */
  line: number
}

/** The tree, and what is not in it. */
export interface OrgaResult {
  tree: OrgData
  dropped: Dropped[]
}

/** The engine for `parse(text, { engine: orga })`. Never throws. */
export const orga: Engine = (text, options) => parseWithOrga(text, options).tree

interface Work {
  text: string
  lines: LineIndex
  origin: Origin
  dropped: Dropped[]
}

/** Parses with orga. A section that makes it throw becomes one paragraph of plain text. */
export function parseWithOrga(
  text: string,
  options: Omit<ParseOptions, 'engine'> = {},
): OrgaResult {
  const tree = parse(text, { ...options })
  const lines = new LineIndex(text)
  const work: Work = {
    text,
    lines,
    origin: new Origin(lines, 0, text.length, new Run()),
    dropped: [],
  }
  const settings = getSettings(text)
  const preamble = tree.children[0]
  if (preamble?.type === 'section') readPiece(work, null, preamble, settings)
  for (const headline of headlines(tree)) {
    const section = headline.children[0]
    readPiece(work, headline, section?.type === 'section' ? section : null, settings)
  }
  return { tree, dropped: work.dropped }
}

function readPiece(
  work: Work,
  headline: Headline | null,
  section: Section | null,
  settings: Settings,
): void {
  const begin = headline?.position.start.offset ?? section!.position.start.offset
  const titleEnd = work.text.indexOf('\n', begin) + 1 || work.text.length
  const end = section?.position.end.offset ?? titleEnd
  const nodes = orgaNodes(work, begin, end, settings)
  if (nodes === null) {
    if (section !== null) section.children = [unread(work, section)]
    return
  }
  const expected = inventory(headline, section)
  if (headline !== null) {
    const own = nodes.find(({ type }) => type === 'headline')
    headline.title = objects(work, own?.children ?? [], begin)
  }
  if (section !== null) {
    const content = nodes.filter(({ type }) => type !== 'headline')
    section.children = content.flatMap((node) => element(work, node, begin))
  }
  for (const missing of lessThan(expected, inventory(headline, section))) work.dropped.push(missing)
}

const uncounted = new Set(['plain-text', 'paragraph', 'section', 'headline'])

function inventory(headline: Headline | null, section: Section | null): Map<string, number> {
  const counts = new Map<string, number>()
  for (const root of [...(headline?.title ?? []), ...(section === null ? [] : [section])]) {
    walk(root, ({ type, position }) => {
      const key = `${position.start.line} ${type}`
      if (!uncounted.has(type)) counts.set(key, (counts.get(key) ?? 0) + 1)
    })
  }
  return counts
}

function* lessThan(expected: Map<string, number>, found: Map<string, number>): Generator<Dropped> {
  for (const [key, count] of expected) {
    const [line, type] = key.split(' ') as [string, string]
    for (let missing = count - (found.get(key) ?? 0); missing > 0; missing--) {
      yield { type, line: Number(line) }
    }
  }
}

interface OrgaNode {
  type: string
  position?: { start: { offset: number }; end: { offset: number } }
  children?: OrgaNode[]
  [field: string]: unknown
}

/** Null, and reported, when orga throws. */
function orgaNodes(work: Work, begin: number, end: number, settings: Settings): OrgaNode[] | null {
  const piece = work.text.slice(begin, end)
  try {
    const document = parseOrga(piece, { settings }) as unknown as OrgaNode
    return (document.children ?? []).flatMap((node) =>
      node.type === 'section' ? (node.children ?? []) : [node],
    )
  } catch {
    work.dropped.push({ type: 'error', line: work.lines.point(begin).line })
    return null
  }
}

function unread(work: Work, section: Section): OrgElement {
  const begin = section.startOffset
  const end = section.endOffset
  const children = [plain(work, begin, end)]
  return filled(new Paragraph('paragraph', work.origin, begin, end), { ...noKeywords, children })
}

interface Place {
  begin: number
  end: number
}

function place(work: Work, node: OrgaNode, base: number): Place {
  const begin = base + (node.position?.start.offset ?? 0)
  const end = Math.min(base + (node.position?.end.offset ?? 0), work.text.length)
  return { begin, end: Math.max(begin, end) }
}

const noKeywords = { affiliated: [], name: null }

function filled<T extends OrgNode>(node: T, properties: Partial<T>): T {
  if (node instanceof OrgContainer && 'children' in properties) {
    node.contain(node.startOffset, node.endOffset)
  }
  return Object.assign(node, properties)
}

function element(work: Work, node: OrgaNode, base: number): OrgElement[] {
  const { begin, end } = place(work, node, base)
  const { origin } = work
  const children = node.children ?? []
  switch (node.type) {
    case 'newline':
    case 'emptyLine':
      return []
    case 'paragraph':
      return [paragraph(work, begin, end, objects(work, children, base))]
    case 'hr':
      return [filled(new HorizontalRule('horizontal-rule', origin, begin, end), noKeywords)]
    case 'keyword': {
      const key = String(node.key).toUpperCase()
      const value = String(node.value)
      return [filled(new Keyword('keyword', origin, begin, end), { ...noKeywords, key, value })]
    }
    case 'block':
      return [block(work, node, base)]
    case 'drawer':
      return [drawer(work, node, base)]
    case 'list':
      return [list(work, node, base)]
    case 'table':
      return [table(work, node, base)]
    case 'planning':
      return [planningOf(work, node, base)]
    case 'footnote': {
      const definition = new FootnoteDefinition('footnote-definition', origin, begin, end)
      const inside = children.filter(({ type }) => type !== 'footnote.label')
      const content = inside.flatMap((child) => element(work, child, base))
      const label = String(node.label)
      return [filled(definition, { ...noKeywords, label, preBlank: 0, children: content })]
    }
    default:
      return [paragraph(work, begin, end, [plain(work, begin, end)])]
  }
}

function paragraph(work: Work, begin: number, end: number, children: OrgObject[]): Paragraph {
  return filled(new Paragraph('paragraph', work.origin, begin, end), { ...noKeywords, children })
}

function plain(work: Work, begin: number, end: number, value?: string): PlainText {
  const text = new PlainText('plain-text', work.origin, begin, end)
  text.value = value ?? work.text.slice(begin, end)
  return text
}

function block(work: Work, node: OrgaNode, base: number): OrgElement {
  const { begin, end } = place(work, node, base)
  const { origin } = work
  const params = (node.params as string[] | undefined) ?? []
  const value = `${String(node.value)}\n`
  switch (node.name) {
    case 'src': {
      const [language = null, ...rest] = params
      const parameters = rest.length === 0 ? null : rest.join(' ')
      const code = new SrcBlock('src-block', origin, begin, end)
      readSwitches(code, null)
      return filled(code, { ...noKeywords, language, switches: null, parameters, value })
    }
    case 'example': {
      const example = new ExampleBlock('example-block', origin, begin, end)
      readSwitches(example, null)
      return filled(example, { ...noKeywords, switches: null, value })
    }
    case 'export': {
      const backend = params[0]?.toUpperCase() ?? null
      const exported = new ExportBlock('export-block', origin, begin, end)
      return filled(exported, { ...noKeywords, backend, value })
    }
    case 'comment':
      return filled(new CommentBlock('comment-block', origin, begin, end), { ...noKeywords, value })
    default:
      return greaterBlock(work, node, base, params)
  }
}

function greaterBlock(work: Work, node: OrgaNode, base: number, params: string[]): OrgElement {
  const { begin, end } = place(work, node, base)
  const { origin } = work
  const words = objects(work, node.children ?? [], base)
  const inside = { ...noKeywords, children: [paragraph(work, begin, end, words)] }
  switch (node.name) {
    case 'quote':
      return filled(new QuoteBlock('quote-block', origin, begin, end), inside)
    case 'center':
      return filled(new CenterBlock('center-block', origin, begin, end), inside)
    case 'verse':
      return filled(new VerseBlock('verse-block', origin, begin, end), {
        ...noKeywords,
        children: words,
      })
    default: {
      const blockType = String(node.name)
      const parameters = params.join(' ') || null
      const special = new SpecialBlock('special-block', origin, begin, end)
      return filled(special, { ...inside, blockType, parameters })
    }
  }
}

function drawer(work: Work, node: OrgaNode, base: number): OrgElement {
  const { begin, end } = place(work, node, base)
  const { origin } = work
  if (node.name !== 'PROPERTIES') {
    const children = [paragraph(work, begin, end, [plain(work, begin, end)])]
    const drawerName = String(node.name)
    const own = new Drawer('drawer', origin, begin, end)
    return filled(own, { ...noKeywords, drawerName, preBlank: 0, children })
  }
  const lines = (node.children ?? []).filter(({ type }) => type === 'text')
  const children = lines.flatMap((line) => {
    const match = /^:(\S+):(?:\s+(.*))?$/.exec(String(line.value))
    if (match === null) return []
    const at = place(work, line, base)
    const property = new NodeProperty('node-property', origin, at.begin, at.end)
    return [filled(property, { key: match[1]!, value: match[2] ?? '' })]
  })
  return filled(new PropertyDrawer('property-drawer', origin, begin, end), { children })
}

function list(work: Work, node: OrgaNode, base: number): PlainList {
  const { begin, end } = place(work, node, base)
  const children: Item[] = []
  for (const child of node.children ?? []) {
    if (child.type === 'list') children.at(-1)?.children.push(list(work, child, base))
    if (child.type === 'list.item') children.push(item(work, child, base))
  }
  const tagged = children[0]?.tag !== null && children[0]?.tag !== undefined
  const listType = tagged ? 'descriptive' : node.ordered === true ? 'ordered' : 'unordered'
  const own = new PlainList('plain-list', work.origin, begin, end)
  return filled(own, { ...noKeywords, listType, children })
}

function item(work: Work, node: OrgaNode, base: number): Item {
  const { begin, end } = place(work, node, base)
  const parts = node.children ?? []
  const part = (type: string) => parts.find((child) => child.type === `list.item.${type}`)
  const box = part('checkbox')
  const tag = part('tag')
  const words = objects(
    work,
    parts.filter(({ type }) => !type.startsWith('list.item.')),
    base,
  )
  return filled(new Item('item', work.origin, begin, end), {
    bullet: `${work.text.slice(begin, end).trimStart().split(/\s/)[0]} `,
    counter: null,
    checkbox: box === undefined ? null : box.checked === true ? 'on' : 'off',
    tag: tag === undefined ? null : objects(work, [{ ...tag, type: 'text' }], base),
    preBlank: 0,
    children: words.length === 0 ? [] : [paragraph(work, begin, end, words)],
  })
}

function table(work: Work, node: OrgaNode, base: number): Table {
  const { begin, end } = place(work, node, base)
  const rows = (node.children ?? []).filter(({ type }) => type.startsWith('table.'))
  return filled(new Table('table', work.origin, begin, end), {
    ...noKeywords,
    tableType: 'org',
    tblfm: [],
    value: null,
    children: rows.map((row) => tableRow(work, row, base)),
  })
}

function tableRow(work: Work, row: OrgaNode, base: number): TableRow {
  const { begin, end } = place(work, row, base)
  const cells = (row.children ?? []).filter(({ type }) => type === 'table.cell')
  const children = cells.map((cell) => {
    const at = place(work, cell, base)
    const own = new TableCell('table-cell', work.origin, at.begin, at.end)
    return filled(own, { children: trimmed(objects(work, cell.children ?? [], base)) })
  })
  const rowType = row.type === 'table.hr' ? 'rule' : 'standard'
  return filled(new TableRow('table-row', work.origin, begin, end), { rowType, children })
}

type PlanningKey = 'scheduled' | 'deadline' | 'closed'

function planningKey(word: string): PlanningKey | null {
  const keys: PlanningKey[] = ['scheduled', 'deadline', 'closed']
  return keys.find((key) => key === word.toLowerCase()) ?? null
}

function planningOf(work: Work, node: OrgaNode, base: number): Planning {
  const { begin, end } = place(work, node, base)
  const none = { scheduled: null, deadline: null, closed: null }
  const planning = filled(new Planning('planning', work.origin, begin, end), none)
  const env = {
    ...createEnv('', noElements),
    text: work.text,
    lines: work.lines,
    origin: work.origin,
  }
  let key: PlanningKey | null = null
  for (const part of node.children ?? []) {
    if (part.type === 'planning.keyword') key = planningKey(String(part.value))
    if (part.type !== 'planning.timestamp' || key === null) continue
    const at = place(work, part, base)
    const first = at.begin + /^\s*/.exec(work.text.slice(at.begin, at.end))![0].length
    planning[key] = parseTimestamp(env, first, at.end)
  }
  return planning
}

const emphases = {
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  strikeThrough: 'strike-through',
} as const

function objects(work: Work, nodes: readonly OrgaNode[], base: number): OrgObject[] {
  const result: OrgObject[] = []
  for (const node of nodes) {
    const next = object(work, node, base)
    const last = result.at(-1)
    if (next === null) continue
    if (next.type === 'plain-text' && last?.type === 'plain-text') {
      last.value += next.value
      last.endAt(next.endOffset, 0)
    } else if (next.type !== 'plain-text' || last === undefined) result.push(next)
    else {
      const rest = withoutBlanks(work, last, next)
      if (rest !== null) result.push(rest)
    }
  }
  return result
}

function withoutBlanks(work: Work, before: OrgObject, text: PlainText): PlainText | null {
  const blanks = /^[ \t]*/.exec(text.value)![0].length
  const begin = before.endOffset + blanks
  before.endAt(begin, blanks)
  const value = text.value.slice(blanks)
  return value === '' ? null : plain(work, begin, Math.max(begin, text.endOffset), value)
}

function object(work: Work, node: OrgaNode, base: number): OrgObject | null {
  const { begin, end } = place(work, node, base)
  const { origin } = work
  switch (node.type) {
    case 'text':
      return styled(work, node, base)
    case 'newline':
      return plain(work, begin, end, '\n')
    case 'link': {
      const words = (node.children ?? []).filter(({ type }) => type === 'text')
      const path = node.path as { protocol?: string; value: string }
      return filled(new Link('link', origin, begin, end), {
        format: 'bracket',
        linkType: path.protocol ?? 'fuzzy',
        path: path.value,
        rawLink: path.value,
        searchOption: null,
        application: null,
        typeExplicitP: path.protocol !== undefined,
        children: objects(work, words, base),
      })
    }
    case 'footnote.reference': {
      const label = String(node.label)
      const own = new FootnoteReference('footnote-reference', origin, begin, end)
      return filled(own, { label, referenceType: 'standard', children: [] })
    }
    case 'latex': {
      const value = (node.value as string | undefined) ?? ''
      return filled(new LatexFragment('latex-fragment', origin, begin, end), { value })
    }
    case 'emptyLine':
    case 'stars':
    case 'todo':
    case 'priority':
    case 'tags':
    case 'opening':
    case 'closing':
      return null
    default:
      return plain(work, begin, end)
  }
}

function styled(work: Work, node: OrgaNode, base: number): OrgObject {
  const { begin, end } = place(work, node, base)
  const { origin } = work
  const value = String(node.value)
  const style = (node.style as string | undefined) ?? ''
  if (style === 'verbatim' || style === 'code') {
    return filled(new Literal(style, origin, begin, end), { value })
  }
  const text = plain(work, begin, end, value)
  if (!(style in emphases)) return text
  const type = emphases[style as keyof typeof emphases]
  return filled(new Emphasis(type, origin, begin, end), { children: [text] })
}

function trimmed(cell: OrgObject[]): OrgObject[] {
  const [first] = cell
  const last = cell.at(-1)
  if (first?.type === 'plain-text') first.value = first.value.trimStart()
  if (last?.type === 'plain-text') last.value = last.value.trimEnd()
  return cell
}
