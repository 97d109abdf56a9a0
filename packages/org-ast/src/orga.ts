import { getSettings, parse as parseOrga, type Settings } from 'orga'
import { createEnv } from './env.ts'
import { LineIndex } from './lines.ts'
import type {
  Headline,
  OrgContent,
  OrgData,
  OrgElement,
  OrgObject,
  Planning,
  Section,
} from './nodes.ts'
import { type Engine, type ParseOptions, parse } from './parse.ts'
import { headlines, walk } from './query.ts'
import { parseTimestamp } from './timestamp.ts'

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
  dropped: Dropped[]
}

/** Parses with orga. A section that makes it throw becomes one paragraph of plain text. */
export function parseWithOrga(
  text: string,
  options: Omit<ParseOptions, 'engine'> = {},
): OrgaResult {
  const tree = parse(text, { ...options })
  const work: Work = { text, lines: new LineIndex(text), dropped: [] }
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
  const { start, end } = section.position
  const inside = {
    contentsBegin: start.offset,
    contentsEnd: end.offset,
    position: section.position,
  }
  const children = [plain(work, start.offset, end.offset)]
  return {
    type: 'paragraph',
    ...inside,
    ...noAffiliated,
    postBlank: 0,
    postAffiliated: start.offset,
    children,
  }
}

interface Place {
  begin: number
  end: number
  position: ReturnType<LineIndex['position']>
  postBlank: number
}

function place(work: Work, node: OrgaNode, base: number): Place {
  const begin = base + (node.position?.start.offset ?? 0)
  const end = Math.min(base + (node.position?.end.offset ?? 0), work.text.length)
  return { begin, end, position: work.lines.position(begin, Math.max(begin, end)), postBlank: 0 }
}

const noAffiliated = { affiliated: [], name: null }

function element(work: Work, node: OrgaNode, base: number): OrgElement[] {
  const { begin, end, position, postBlank } = place(work, node, base)
  const common = { position, postBlank, ...noAffiliated, postAffiliated: begin }
  const parent = { ...common, contentsBegin: begin, contentsEnd: end }
  const children = node.children ?? []
  switch (node.type) {
    case 'newline':
    case 'emptyLine':
      return []
    case 'paragraph':
      return [{ type: 'paragraph', ...parent, children: objects(work, children, base) }]
    case 'hr':
      return [{ type: 'horizontal-rule', ...common }]
    case 'keyword':
      return [
        {
          type: 'keyword',
          ...common,
          key: String(node.key).toUpperCase(),
          value: String(node.value),
        },
      ]
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
      const inside = children.filter(({ type }) => type !== 'footnote.label')
      const content = inside.flatMap((child) => element(work, child, base))
      return [
        {
          type: 'footnote-definition',
          ...parent,
          label: String(node.label),
          preBlank: 0,
          children: content,
        },
      ]
    }
    default:
      return [{ type: 'paragraph', ...parent, children: [plain(work, begin, end)] }]
  }
}

function plain(work: Work, begin: number, end: number): OrgObject {
  const value = work.text.slice(begin, end)
  return { type: 'plain-text', value, position: work.lines.position(begin, end), postBlank: 0 }
}

function block(work: Work, node: OrgaNode, base: number): OrgElement {
  const { begin, end, position } = place(work, node, base)
  const common = { position, postBlank: 0, ...noAffiliated, postAffiliated: begin }
  const params = (node.params as string[] | undefined) ?? []
  const value = `${node.value}\n`
  switch (node.name) {
    case 'src': {
      const [language = null, ...rest] = params
      const parameters = rest.length === 0 ? null : rest.join(' ')
      return { type: 'src-block', ...common, language, switches: null, parameters, value }
    }
    case 'example':
      return { type: 'example-block', ...common, switches: null, value }
    case 'export':
      return { type: 'export-block', ...common, backend: params[0]?.toUpperCase() ?? null, value }
    case 'comment':
      return { type: 'comment-block', ...common, value }
    default: {
      const inside = { ...common, contentsBegin: begin, contentsEnd: end }
      const paragraph = {
        type: 'paragraph' as const,
        ...inside,
        children: objects(work, node.children ?? [], base),
      }
      if (node.name === 'quote') return { type: 'quote-block', ...inside, children: [paragraph] }
      if (node.name === 'center') return { type: 'center-block', ...inside, children: [paragraph] }
      if (node.name === 'verse')
        return { type: 'verse-block', ...inside, children: paragraph.children }
      const blockType = String(node.name)
      return {
        type: 'special-block',
        ...inside,
        blockType,
        parameters: params.join(' ') || null,
        children: [paragraph],
      }
    }
  }
}

function drawer(work: Work, node: OrgaNode, base: number): OrgElement {
  const { begin, end, position } = place(work, node, base)
  const inside = { position, postBlank: 0, contentsBegin: begin, contentsEnd: end }
  if (node.name !== 'PROPERTIES') {
    const value = plain(work, begin, end)
    const paragraph = {
      type: 'paragraph' as const,
      ...inside,
      ...noAffiliated,
      postAffiliated: begin,
      children: [value],
    }
    return {
      type: 'drawer',
      ...inside,
      ...noAffiliated,
      postAffiliated: begin,
      drawerName: String(node.name),
      children: [paragraph],
    }
  }
  const lines = (node.children ?? []).filter(({ type }) => type === 'text')
  const children = lines.flatMap((line) => {
    const match = /^:(\S+):(?:\s+(.*))?$/.exec(String(line.value))
    if (match === null) return []
    const at = place(work, line, base)
    return [
      {
        type: 'node-property' as const,
        position: at.position,
        postBlank: 0,
        key: match[1]!,
        value: match[2] ?? '',
      },
    ]
  })
  return { type: 'property-drawer', ...inside, children }
}

function list(work: Work, node: OrgaNode, base: number): OrgElement {
  const { begin, end, position } = place(work, node, base)
  const inside = { position, postBlank: 0, contentsBegin: begin, contentsEnd: end }
  const items: Extract<OrgContent, { type: 'item' }>[] = []
  for (const child of node.children ?? []) {
    if (child.type === 'list') items.at(-1)?.children.push(list(work, child, base))
    if (child.type === 'list.item') items.push(item(work, child, base))
  }
  const tagged = items[0]?.tag !== null && items[0]?.tag !== undefined
  const listType = tagged ? 'descriptive' : node.ordered === true ? 'ordered' : 'unordered'
  return {
    type: 'plain-list',
    ...inside,
    ...noAffiliated,
    postAffiliated: begin,
    listType,
    children: items,
  }
}

function item(work: Work, node: OrgaNode, base: number): Extract<OrgContent, { type: 'item' }> {
  const { begin, end, position } = place(work, node, base)
  const inside = { position, postBlank: 0, contentsBegin: begin, contentsEnd: end }
  const parts = node.children ?? []
  const part = (type: string) => parts.find((child) => child.type === `list.item.${type}`)
  const box = part('checkbox')
  const tag = part('tag')
  const words = parts.filter(({ type }) => !type.startsWith('list.item.'))
  const paragraph = {
    type: 'paragraph' as const,
    ...inside,
    ...noAffiliated,
    postAffiliated: begin,
    children: objects(work, words, base),
  }
  return {
    type: 'item',
    ...inside,
    bullet: `${work.text.slice(begin, end).trimStart().split(/\s/)[0]} `,
    counter: null,
    checkbox: box === undefined ? null : box.checked === true ? 'on' : 'off',
    tag: tag === undefined ? null : objects(work, [{ ...tag, type: 'text' }], base),
    preBlank: 0,
    children: paragraph.children.length === 0 ? [] : [paragraph],
  }
}

function table(work: Work, node: OrgaNode, base: number): OrgElement {
  const { begin, end, position } = place(work, node, base)
  const rows = (node.children ?? []).filter(({ type }) => type.startsWith('table.'))
  const children = rows.map((row) => {
    const at = place(work, row, base)
    const inside = {
      position: at.position,
      postBlank: 0,
      contentsBegin: at.begin,
      contentsEnd: at.end,
    }
    const cells = (row.children ?? []).filter(({ type }) => type === 'table.cell')
    const rowType = row.type === 'table.hr' ? ('rule' as const) : ('standard' as const)
    const content = cells.map((cell) => {
      const where = place(work, cell, base)
      const bounds = {
        position: where.position,
        postBlank: 0,
        contentsBegin: where.begin,
        contentsEnd: where.end,
      }
      return {
        type: 'table-cell' as const,
        ...bounds,
        children: trimmed(objects(work, cell.children ?? [], base)),
      }
    })
    return { type: 'table-row' as const, ...inside, rowType, children: content }
  })
  const inside = { position, postBlank: 0, contentsBegin: begin, contentsEnd: end }
  return {
    type: 'table',
    ...inside,
    ...noAffiliated,
    postAffiliated: begin,
    tableType: 'org',
    tblfm: [],
    value: null,
    children,
  }
}

type PlanningKey = 'scheduled' | 'deadline' | 'closed'

function planningKey(word: string): PlanningKey | null {
  const keys: PlanningKey[] = ['scheduled', 'deadline', 'closed']
  return keys.find((key) => key === word.toLowerCase()) ?? null
}

function planningOf(work: Work, node: OrgaNode, base: number): OrgElement {
  const { position } = place(work, node, base)
  const planning: Planning = {
    type: 'planning',
    position,
    postBlank: 0,
    scheduled: null,
    deadline: null,
    closed: null,
  }
  let key: PlanningKey | null = null
  for (const part of node.children ?? []) {
    if (part.type === 'planning.keyword') key = planningKey(String(part.value))
    if (part.type !== 'planning.timestamp' || key === null) continue
    const { begin, end } = place(work, part, base)
    const first = begin + /^\s*/.exec(work.text.slice(begin, end))![0].length
    planning[key] = parseTimestamp(work.text, first, createEnv(''), end)
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
    if (next.type === 'plain-text' && last?.type === 'plain-text') last.value += next.value
    else if (next.type !== 'plain-text' || last === undefined) result.push(next)
    else if (withoutBlanks(work, last, next)) result.push(next)
  }
  return result
}

function withoutBlanks(
  work: Work,
  before: OrgObject,
  text: OrgObject & { value: string },
): boolean {
  const blanks = /^[ \t]*/.exec(text.value)![0].length
  const { start, end } = before.position
  before.postBlank = blanks
  before.position = work.lines.position(start.offset, end.offset + blanks)
  text.value = text.value.slice(blanks)
  text.position = work.lines.position(end.offset + blanks, text.position.end.offset)
  return text.value !== ''
}

function object(work: Work, node: OrgaNode, base: number): OrgObject | null {
  const { begin, end, position, postBlank } = place(work, node, base)
  const inside = { position, postBlank, contentsBegin: begin, contentsEnd: end }
  const value = String(node.value ?? '')
  switch (node.type) {
    case 'text':
      return styled(work, node, base)
    case 'newline':
      return { type: 'plain-text', value: '\n', position, postBlank }
    case 'link': {
      const words = (node.children ?? []).filter(({ type }) => type === 'text')
      const path = node.path as { protocol?: string; value: string }
      const shared = { format: 'bracket' as const, searchOption: null, application: null }
      const linkType = path.protocol ?? 'fuzzy'
      const children = objects(work, words, base)
      return {
        type: 'link',
        ...inside,
        ...shared,
        linkType,
        path: path.value,
        rawLink: path.value,
        children,
      }
    }
    case 'footnote.reference':
      return {
        type: 'footnote-reference',
        ...inside,
        label: String(node.label),
        referenceType: 'standard',
        children: [],
      }
    case 'latex':
      return { type: 'latex-fragment', position, postBlank, value }
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
  const { begin, end, position, postBlank } = place(work, node, base)
  const value = String(node.value)
  const style = String(node.style ?? '')
  const text: OrgObject = { type: 'plain-text', value, position, postBlank }
  if (style === 'verbatim' || style === 'code') return { type: style, value, position, postBlank }
  if (!(style in emphases)) return text
  const type = emphases[style as keyof typeof emphases]
  return { type, position, postBlank, contentsBegin: begin, contentsEnd: end, children: [text] }
}

function trimmed(cell: OrgObject[]): OrgObject[] {
  const [first] = cell
  const last = cell.at(-1)
  if (first?.type === 'plain-text') first.value = first.value.trimStart()
  if (last?.type === 'plain-text') last.value = last.value.trimEnd()
  return cell
}
