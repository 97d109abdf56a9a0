import { trim } from '../text/characters.ts'
import type { Draft, ObjectDraft } from '../tree/draft.ts'
import type { AffiliatedKeyword } from '../tree/lesser-elements.ts'
import type {
  FootnoteDefinition,
  Headline,
  Inlinetask,
  Item,
  OrgContent,
  PlainList,
  Table,
  TableCell,
  TableRow,
} from '../tree/nodes.ts'
import type { OrgObject } from '../tree/object-nodes.ts'
import { block, printLesser, spaced } from './lesser.ts'
import { repairList } from './list.ts'
import { type Printer, printCaption, printLines, printObjects } from './objects.ts'
import { alignTable } from './table.ts'
import { dedent, normalizeEnd, prefixLines } from './text.ts'

/** Nodes as Org text. Throws a RangeError when they are nested a thousand deep. */
export function printContents(
  nodes: readonly Draft<OrgContent>[] | null | undefined,
  printer: Printer,
  behindBullet = false,
): string {
  let text = ''
  for (const [index, node] of (nodes ?? []).entries()) {
    if (isObject(node)) text += printObjects([node], printer)
    else text += printer.nested(() => withLines(node, printer, behindBullet && index === 0))
    if (!isObject(node)) text += '\n'.repeat(blankLines(node))
  }
  return text
}

function withLines(node: LinesDraft, printer: Printer, behindBullet: boolean): string {
  const lines = printElement(node, printer, behindBullet)
  const end = lines === '' || lines.endsWith('\n') ? '' : '\n'
  return printAffiliated(node, printer) + lines + end
}

function blankLines(node: Draft<OrgContent>): number {
  const count = node.postBlank ?? 0
  return isEmptyLine(node) ? Math.max(count - 1, 0) : count
}

function isEmptyLine(node: Draft<OrgContent>): boolean {
  if (node.type === 'item') return (node.children ?? []).length === 0
  if (node.type !== 'paragraph' || node.children?.length !== 1) return false
  const [only] = node.children
  return only?.type === 'plain-text' && /^\r?\n$/.test(only.value)
}

type LinesDraft = Exclude<Draft<OrgContent>, ObjectDraft>

function isObject(node: Draft<OrgContent>): node is ObjectDraft {
  return objectTypes.has(node.type)
}

const objectTypes: ReadonlySet<string> = new Set<OrgObject['type']>([
  'plain-text',
  'bold',
  'italic',
  'underline',
  'strike-through',
  'verbatim',
  'code',
  'link',
  'target',
  'radio-target',
  'macro',
  'entity',
  'latex-fragment',
  'footnote-reference',
  'line-break',
  'statistics-cookie',
  'subscript',
  'superscript',
  'export-snippet',
  'inline-src-block',
  'inline-babel-call',
  'citation',
  'citation-reference',
  'timestamp',
])

function printElement(node: LinesDraft, printer: Printer, behindBullet: boolean): string {
  switch (node.type) {
    case 'paragraph':
      return printLines(node.children, printer, behindBullet)
    case 'inlinetask':
      return printInlinetask(node, printer)
    case 'plain-list':
      return printList(node, printer)
    case 'item':
      return printItem(node, printer)
    case 'footnote-definition':
      return printDefinition(node, printer)
    case 'table':
      return printTable(node, printer)
    case 'table-row':
      return printRow(node, printer)
    case 'table-cell':
      return printCell(node, printer)
    case 'section':
      return printContents(node.children, printer)
    case 'headline':
      return headlineText(node, printer) + printContents(node.children, printer)
    case 'drawer': {
      const blank = '\n'.repeat(node.preBlank ?? 0)
      return `:${node.drawerName}:\n${blank}${printContents(node.children, printer)}:END:`
    }
    case 'property-drawer':
      return `:PROPERTIES:\n${printContents(node.children, printer)}:END:`
    case 'center-block':
      return block('center', null, printContents(node.children, printer))
    case 'quote-block':
      return block('quote', null, printContents(node.children, printer))
    case 'special-block':
      return block(node.blockType, node.parameters, printContents(node.children, printer))
    case 'verse-block':
      return block('verse', null, printLines(node.children, printer, false))
    case 'dynamic-block': {
      const head = `#+begin: ${node.blockName}${spaced(node.arguments)}`
      return `${head}\n${printContents(node.children, printer)}#+end:`
    }
    default:
      return printLesser(node, printer) ?? printUnknown(node, printer)
  }
}

function printUnknown(node: object, printer: Printer): string {
  return printContents((node as { children?: Draft<OrgContent>[] }).children, printer)
}

interface Above {
  readonly affiliated?: readonly Draft<AffiliatedKeyword>[] | undefined
  readonly name?: string | null | undefined
}

function printAffiliated(element: LinesDraft & Above, printer: Printer): string {
  const { affiliated, name } = element
  if (affiliated === undefined && name == null) return ''
  const lines = new Map<string, string[]>()
  for (const keyword of affiliated ?? []) {
    const key = keyword.key.toUpperCase()
    if (key === 'NAME' && name === null) continue
    const value = key === 'NAME' ? (name ?? keyword.value) : keyword.value
    const line = `#+${key.toLowerCase()}${printKeywordValue(key, value, keyword.dual, printer)}\n`
    const known = lines.get(key)
    if (known === undefined) lines.set(key, [line])
    else if (isRepeated(key)) known.push(line)
    else known[0] = line
  }
  if (name != null && !lines.has('NAME')) lines.set('NAME', [`#+name: ${name}\n`])
  return [...lines.values()].flat().join('')
}

function isRepeated(key: string): boolean {
  return key === 'CAPTION' || key === 'HEADER' || key.startsWith('ATTR_')
}

function printKeywordValue(
  key: string,
  value: string,
  dual: string | null | undefined,
  printer: Printer,
): string {
  const print = key === 'CAPTION' ? (text: string) => printCaption(text, printer) : String
  return `${dual == null ? '' : `[${print(dual)}]`}: ${print(value)}`
}

function printItem(node: Draft<Item>, printer: Printer): string {
  const bullet = /[0-9a-zA-Z]/.test(node.bullet ?? '-') ? '1. ' : '- '
  const counter = node.counter == null ? '' : `[@${node.counter}] `
  const box = node.checkbox == null ? '' : `${boxes[node.checkbox]} `
  const tag = node.tag == null ? '' : `${printObjects(node.tag, printer)} :: `
  const head = bullet + counter + box + tag
  if ((node.children ?? []).length === 0) return head
  const blank = linesBefore(node)
  const contents = printContents(node.children, printer, blank === 0)
  const indented = prefixLines(contents, ' '.repeat(tag === '' ? bullet.length : 5))
  if (blank === 0) return head + trim(indented)
  return head + '\n'.repeat(blank) + (node.position ? normalizeEnd(indented) : indented)
}

const boxes = { on: '[X]', off: '[ ]', trans: '[-]' } as const

function printList(node: Draft<PlainList>, printer: Printer): string {
  const lines = printContents(node.children, printer).split('\n')
  if (lines.length < 2) return ''
  return `${repairList(lines.slice(0, -1), printer.tabs).join('\n')}\n`
}

function linesBefore(node: Draft<Item> | Draft<FootnoteDefinition>): number {
  return Math.min(node.preBlank ?? 1, 2)
}

function printDefinition(node: Draft<FootnoteDefinition>, printer: Printer): string {
  const head = `[fn:${node.label}]`
  if ((node.children ?? []).length === 0) return head
  const blank = linesBefore(node)
  const contents = printContents(node.children, printer, blank === 0)
  return head + (blank === 0 ? ` ${trim(contents)}` : '\n'.repeat(blank) + contents)
}

function printTable(node: Draft<Table>, printer: Printer): string {
  if (node.tableType === 'table.el') return dedent(printer.text(node.value ?? ''), printer.tabs)
  const rows = (node.children ?? []).map((row) => printRow(row, printer))
  const formulas = [...(node.tblfm ?? [])].reverse().map((formula) => `#+TBLFM: ${formula}`)
  return [...alignTable(rows), ...formulas].join('\n')
}

function printRow(node: Draft<TableRow>, printer: Printer): string {
  if (node.rowType === 'rule') return '|-'
  return `|${(node.children ?? []).map((cell) => printCell(cell, printer)).join('')}`
}

function printCell(node: Draft<TableCell>, printer: Printer): string {
  return ` ${printObjects(node.children, printer)} |`
}

/** The line of a headline with the empty lines below it. */
export function headlineText(node: Draft<Headline>, printer: Printer): string {
  const title = printObjects(node.title, printer)
  let text = '*'.repeat(node.level)
  if (node.todoKeyword != null) text += ` ${node.todoKeyword}`
  if (node.priority != null) text += ` [#${node.priority.replace(/^0+(?=\d)/, '')}]`
  if (node.commentedp) text += ' COMMENT'
  text += ` ${node.footnoteSectionP ? 'Footnotes' : title}`
  const tags = node.tags ?? []
  if (tags.length > 0) text += alignTags(text, `:${tags.join(':')}:`, printer.tagsColumn)
  return `${text}\n${'\n'.repeat(node.preBlank ?? 0)}`
}

function alignTags(heading: string, tags: string, column: number): string {
  const length = [...heading].length
  if (column === 0) return ` ${tags}`
  const blanks = column < 0 ? -column - length - [...tags].length : column - length
  return ' '.repeat(Math.max(blanks, 1)) + tags
}

function printInlinetask(node: Draft<Inlinetask>, printer: Printer): string {
  const head = headlineText({ ...node, type: 'headline', preBlank: 0, children: [] }, printer)
  const contents = printContents(node.children, printer)
  return contents === '' ? head.trimEnd() : `${head}${contents}${'*'.repeat(node.level)} end`
}
