import { splitArguments } from '../babel/headers.ts'
import { escapePattern } from '../objects/radio.ts'
import { parse } from '../parse/parse.ts'
import { trim } from '../text/characters.ts'
import { indentTo, stringWidth } from '../text/columns.ts'
import type { CommentBlock, ExampleBlock, ExportBlock, SrcBlock } from '../tree/lesser-elements.ts'
import type { OrgContent, OrgData, OrgParent, Table } from '../tree/nodes.ts'
import { childAt, walk } from '../tree/query.ts'
import { applyPatches, type Patch } from './edit.ts'
import {
  lineEnd,
  linePatches,
  lineStart,
  newlineOf,
  nextLine,
  pathTo,
  smallestPatch,
} from './lines.ts'
import { alignTable } from './table.ts'

/** A block whose text can be edited by itself. */
export type EditableBlock = SrcBlock | ExampleBlock | ExportBlock | CommentBlock

/** The settings of Emacs on which the text in a block depends. */
export interface BodyRequest {
  /** `org-edit-src-content-indentation`, default 2; source and example blocks only. */
  contentIndentation?: number
  /** `org-src-preserve-indentation`, default false; source and example blocks only. */
  preserveIndentation?: boolean
  /** `indent-tabs-mode`, default true. */
  indentTabs?: boolean
}

/** Patches that give a block this text, as leaving Emacs's `org-edit-special` does. */
export function setBlockBody(
  text: string,
  block: EditableBlock,
  body: string,
  request: BodyRequest = {},
): Patch[] {
  const begin = nextLine(text, block.postAffiliated)
  const end = lastLine(text, block)
  const newline = newlineOf(text)
  const column = bodyColumn(text, block, request)
  const blanks = indentTo('', column, request.indentTabs ?? true)
  const escaped = escapeCode(body.replace(/\r\n?/g, '\n')).replace(/(?<![^\n])(?=[^\n])/g, blanks)
  const closed = escaped === '' || escaped.endsWith('\n') ? escaped : `${escaped}\n`
  return linePatches(text, begin, end, closed.replaceAll('\n', newline))
}

function escapeCode(code: string): string {
  return code.replace(/(?<![^\n])([ \t]*)(?=,*(?:\*|#\+))/g, '$1,')
}

function lastLine(text: string, block: OrgContent): number {
  return lineStart(text, contentEnd(text, block))
}

/** Where an element ends, without the blank lines after it and its last line break. */
function contentEnd(text: string, node: OrgContent): number {
  let end = node.position.end.offset
  while (end > 0 && ' \t\r\n'.includes(text[end - 1]!)) end--
  return end
}

function bodyColumn(text: string, block: EditableBlock, request: BodyRequest): number {
  const { contentIndentation = 2, preserveIndentation = false } = request
  const depth = blockColumn(text, block)
  if (block.type !== 'src-block' && block.type !== 'example-block') return depth
  if (preserveIndentation || /-i(?![a-z\d])/i.test(block.switches ?? '')) return 0
  return depth + contentIndentation
}

function blockColumn(text: string, block: EditableBlock): number {
  const begin = block.position.start.offset
  const start = lineStart(text, begin)
  const before = text.slice(start, begin)
  if (/[^ \t]/.test(before)) return stringWidth(/^[ \t]*\S+/.exec(before)![0]) + 1
  return stringWidth(lineIndent(text, start))
}

function lineIndent(text: string, start: number): string {
  return /^[ \t]*/.exec(text.slice(start, lineEnd(text, start)))![0]
}

/**
 * Patches that set a header argument on a block's first line, or remove it for null:
 * `org-babel-insert-header-arg`. Throws a RangeError for a name or value that is none.
 */
export function setHeaderArgument(
  text: string,
  block: SrcBlock,
  name: string,
  value: string | null,
): Patch[] {
  if (!/^[^\s:]+$/.test(name)) throw new RangeError(`${JSON.stringify(name)} is no argument's name`)
  if (/[\r\n]/.test(value ?? '')) throw new RangeError('A header argument has no line break')
  const end = lineEnd(text, block.postAffiliated)
  const put = value === null ? '' : value === '' ? `:${name}` : `:${name} ${value}`
  const span = argumentSpan(text, block, name)
  if (span === null && value === null) return []
  if (span === null) {
    const gap = text[end - 1] === ' ' ? '' : ' '
    return [{ begin: end, end, text: gap + put }]
  }
  let begin = span.begin
  if (value === null) while (/[ \t]/.test(text[begin - 1]!)) begin--
  return smallestPatch(text, begin, span.end, put)
}

function argumentSpan(
  text: string,
  block: SrcBlock,
  name: string,
): { begin: number; end: number } | null {
  if (block.parameters === null) return null
  const end = lineEnd(text, block.postAffiliated)
  const line = text.slice(block.postAffiliated, end)
  let at = line.lastIndexOf(block.parameters)
  let found: { begin: number; end: number } | null = null
  for (const part of splitArguments(block.parameters)) {
    const begin = line.indexOf(part, at)
    at = begin + part.length
    if (part !== `:${name}` && !part.startsWith(`:${name} `) && !part.startsWith(`:${name}\t`))
      continue
    found = { begin: block.postAffiliated + begin, end: block.postAffiliated + at }
  }
  return found
}

/** One value of a table or a list. */
export type ResultCell = string | number

/** The rows of a table, null for a rule; or the items of a list. Without any row in it, one row. */
export type ResultRows = readonly (ResultCell | readonly ResultCell[] | null)[]

/** How the output of a program is written into the file. */
export interface ResultRequest {
  /** What the output is; rows are a table and a string is a text unless this is given. */
  type?: 'table' | 'list' | 'file'
  /** The value of `:file-desc`, the description of the link to a file. */
  description?: string
  /** The output's form; `verbatim` unless given. */
  format?: 'verbatim' | 'raw' | 'drawer' | 'html' | 'latex' | 'org' | 'code'
  /** The value of `:wrap`: the name of a block around the output, which overrides the form. */
  wrap?: string
  /** Replace the output that is there, or put this after or before it; `replace` unless given. */
  placement?: 'replace' | 'append' | 'prepend'
  /** The hash of a cached result, which is written into the keyword. */
  hash?: string
  /** `indent-tabs-mode`, default true. */
  indentTabs?: boolean
}

/**
 * Patches that write the output of a source block below it: `org-babel-insert-result` for a
 * string or a list, or for null no output. Empty when it stands there already.
 */
export function setBlockResult(
  text: string,
  tree: OrgData,
  block: SrcBlock,
  output: string | ResultRows | null,
  request: ResultRequest = {},
): Patch[] {
  const newline = newlineOf(text)
  const { text: placed, line, end } = resultPlace(text, tree, block, request)
  const begin = nextLine(placed, line)
  const { placement = 'replace' } = request
  const [from, to] =
    placement === 'replace' ? [begin, end] : placement === 'append' ? [end, end] : [begin, begin]
  const isTable = output !== null && typeof output !== 'string' && request.type !== 'list'
  const joins = isTable && placement === 'prepend' ? rowsEnd(placed, to) : to
  const below = placed.slice(to, joins).replace(/\r/g, '')
  const after = placed.slice(joins)
  const put = written(output, block, { ...request, below }, after)
  const alone = typeof output !== 'string' && placement === 'append'
  const indent = alone ? 0 : stringWidth(lineIndent(placed, line))
  const moved = indent === 0 ? put : indented(put, indent, request.indentTabs ?? true)
  const lead = moved !== '' && from > 0 && placed[from - 1] !== '\n' ? newline : ''
  const result = placed.slice(0, from) + lead + moved.replaceAll('\n', newline) + after
  const joined = alone && moved.startsWith('|') ? alignedAt(result, from + lead.length) : result
  return linePatches(text, 0, text.length, joined)
}

function isRow(text: string, start: number): boolean {
  return /^[ \t]*\|/.test(text.slice(start, lineEnd(text, start)))
}

function rowsEnd(text: string, begin: number): number {
  let end = begin
  while (end < text.length && isRow(text, end)) end = nextLine(text, end)
  return end
}

function alignedAt(text: string, offset: number): string {
  let begin = offset
  while (begin > 0 && isRow(text, lineStart(text, begin - 1))) begin = lineStart(text, begin - 1)
  const end = rowsEnd(text, offset)
  const blanks = lineIndent(text, begin)
  const rows = text.slice(begin, end).replace(/(?<![^\n])[ \t]*(?=\|)/g, blanks)
  return text.slice(0, begin) + alignedTable(rows) + text.slice(end)
}

interface OldResult {
  /** Where the keyword's line begins. */
  line: number
  node: OrgContent
}

function oldResult(text: string, tree: OrgData, block: SrcBlock): OldResult | null {
  if (block.name !== null) return namedResult(text, tree, block.name)
  const parent = pathTo(tree, block).at(-2) as OrgParent
  const next = parent.children[parent.children.indexOf(block) + 1]
  if (next === undefined) return null
  const begin = next.position.start.offset
  const head = text.slice(begin, lineEnd(text, ownBegin(next)))
  const match = resultPattern.exec(head)
  return match === null ? null : { line: begin + match.index, node: next }
}

const resultPattern =
  /(?<![^\n])[ \t]*#\+results(?:\[(?:\(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\) )?([\da-f]+)\])?:[ \t]*(?![^\r\n])/i

/** Where an element begins, after the keywords that belong to it. */
function ownBegin(node: OrgContent): number {
  return node.postAffiliated
}

function namedResult(text: string, tree: OrgData, name: string): OldResult | null {
  const quoted = escapePattern(name)
  const pattern = `(?<![^\\n])[ \\t]*#\\+results[^\\n]*?:[ \\t]*${quoted}[ \\t]*(?![^\\r\\n])`
  for (const { index, 0: found } of text.matchAll(new RegExp(pattern, 'gi'))) {
    const node = elementAt(tree, index)
    if (node === null) continue
    const before = index + found.length < node.postAffiliated
    if (node.type === 'keyword' || before) return { line: index, node }
  }
  return null
}

/** The innermost element around an offset whose own contents do not begin after it. */
function elementAt(tree: OrgData, offset: number): OrgContent | null {
  let found: OrgContent | null = null
  let children: readonly OrgContent[] = tree.children
  for (;;) {
    const next = childAt(children, offset)
    if (next === undefined || next.position.start.offset > offset) return found
    if (next.position.end.offset <= offset) return found
    found = next
    if (next.type === 'paragraph' || !('children' in next)) return found
    children = next.children
  }
}

interface ResultPlace {
  text: string
  /** Where the keyword's line begins. */
  line: number
  /** Where the old output ends; the line after the keyword if there is none. */
  end: number
}

function resultPlace(
  text: string,
  tree: OrgData,
  block: SrcBlock,
  request: ResultRequest,
): ResultPlace {
  const old = oldResult(text, tree, block)
  if (old === null) {
    const newline = newlineOf(text)
    const end = lineEnd(text, contentEnd(text, block))
    const at = nextLine(text, end)
    const lead = at === end ? newline + newline : newline
    const start = lineStart(text, block.position.start.offset)
    const column = stringWidth(lineIndent(text, start))
    const placed = text.slice(0, at) + lead + text.slice(at)
    return withKeyword(placed, at + lead.length, column, block, request)
  }
  const { hash } = request
  const had = resultPattern.exec(text.slice(old.line, lineEnd(text, old.line)))?.[1]
  if (hash === undefined || had === hash) return { text, line: old.line, end: outputEnd(text, old) }
  const post = ownBegin(old.node)
  const gone = nextLine(text, contentEnd(text, old.node))
  const own =
    post === old.line ? [] : [{ begin: old.line, end: nextLine(text, old.line), text: '' }]
  const cleared = applyPatches(text, [...own, { begin: post, end: gone, text: '' }])
  const at = post - (own[0] === undefined ? 0 : own[0].end - own[0].begin)
  return withKeyword(cleared, at, columnAt(text, tree, old), block, request)
}

function withKeyword(
  text: string,
  at: number,
  column: number,
  block: SrcBlock,
  { hash, indentTabs = true }: ResultRequest,
): ResultPlace {
  const newline = newlineOf(text)
  const indent = indentTo('', column, indentTabs)
  const name = block.name === null ? '' : ` ${block.name}`
  const keyword = `${indent}#+RESULTS${hash === undefined ? '' : `[${hash}]`}:${name}${newline}`
  const blank = /^[ \t]*(?![^\r\n])/.test(text.slice(at, lineEnd(text, at)))
  const after = (blank ? '' : newline) + text.slice(at)
  return { text: text.slice(0, at) + keyword + after, line: at, end: at + keyword.length }
}

function columnAt(text: string, tree: OrgData, { node, line }: OldResult): number {
  const column = (offset: number) => {
    const start = lineStart(text, offset)
    return stringWidth(lineIndent(text, start))
  }
  const parent = pathTo(tree, node).at(-2) as OrgParent & OrgContent
  const before = parent.children[parent.children.indexOf(node) - 1]
  if (before === undefined)
    return parent.type === 'section' ? 0 : column(parent.position.start.offset)
  const end = contentEnd(text, before)
  const ended = text.slice(end, line).split('\n').length > 3
  const last = before.type === 'paragraph' || (before.type === 'plain-list' && !ended)
  return column(last ? end : before.position.start.offset)
}

const replaced = new Set([
  'drawer',
  'example-block',
  'export-block',
  'fixed-width',
  'special-block',
  'src-block',
  'plain-list',
  'table',
  'latex-environment',
])

function outputEnd(text: string, { line, node }: OldResult): number {
  const begin = nextLine(text, line)
  const first = text.slice(begin, lineEnd(text, begin))
  if (/^[ \t]*$/.test(first)) return begin
  if (/^[ \t]*\[\[[^[\]]+\](?:\[[^\n]+?\])?\][ \t]*$/.test(first)) return nextLine(text, begin)
  return replaced.has(node.type) ? nextLine(text, contentEnd(text, node)) : begin
}

const exampleLines = 10

/** The output in its form, with line feeds, ready to be indented. */
function written(
  output: string | ResultRows | null,
  block: SrcBlock,
  request: ResultRequest & { below: string },
  after: string,
): string {
  const closed = outputText(output ?? '', request)
  const { format = 'verbatim', wrap } = request
  if (wrap !== undefined) return wrapped(closed, wrap)
  if (format === 'html' || format === 'latex') return wrapped(closed, `export ${format}`)
  if (format === 'code') return wrapped(closed, `src ${block.language ?? 'none'}`)
  if (format === 'verbatim') {
    return typeof output !== 'string' || request.type === 'file' ? closed : verbatim(closed, after)
  }
  const aligned = alignedTable(closed)
  if (format === 'org') return wrapped(aligned, 'src org')
  return format === 'raw' ? aligned : `:results:\n${aligned}:end:\n`
}

function outputText(
  output: string | ResultRows,
  { type, description, below }: ResultRequest & { below: string },
): string {
  if (typeof output !== 'string') {
    if (output.length === 0) return ''
    return type === 'list' ? listText(output) : tableText(output, below)
  }
  const text = output.replace(/\r\n?/g, '\n')
  if (type === 'list') return listText(text.split('\n').filter((line) => line !== ''))
  if (type === 'file') return `[[file:${text}]${description ? `[${description}]` : ''}]\n`
  return /\S/.test(text) && !text.endsWith('\n') ? `${text}\n` : text
}

function listText(rows: ResultRows): string {
  const items = rows.map((row) => {
    const values = Array.isArray(row) ? row : [row]
    const lines = values.map((value) => String(value ?? 'hline')).join('\n')
    return `- ${lines
      .trimEnd()
      .trimStart()
      .replace(/\r\n?|\n/g, '\n  ')}`
  })
  return `${trim(items.join('\n'))}\n`
}

function tableText(rows: ResultRows, below: string): string {
  const whole = rows.every((row) => row === null || Array.isArray(row))
  const lines = (whole ? rows : [rows.map(cellText)]).map((row) => {
    if (row === null) return '|-\n'
    const cells = row as readonly ResultCell[]
    return cells.length === 0 ? '' : `| ${cells.map(cellText).join(' | ')} |\n`
  })
  if (below === '') return alignedTable(lines.join('') || '\n')
  return alignedTable(lines.join('') + below.replace(/(?<![^\n])[ \t]*/g, ''))
}

function cellText(value: ResultRows[number]): string {
  if (value === null) return 'hline'
  const text = Array.isArray(value) ? `(${value.join(' ')})` : String(value)
  return text.replace(/[ \t]*[\r\n]+[ \t]*/g, ' ').replaceAll('|', '\\vert{}')
}

function verbatim(text: string, after: string): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length < exampleLines) {
    const end = text.endsWith('\n') ? '\n' : ''
    return lines.map((line) => `: ${line}`).join('\n') + (lines.length > 0 ? end : '')
  }
  return `#+begin_example\n${escapeCode(text)}#+end_example${/^\r?\n/.test(after) ? '' : '\n'}`
}

function wrapped(text: string, head: string): string {
  const [type = ''] = head.trim().split(/\s+/)
  if (/^(?:nil|no)$/i.test(type)) return text
  const inner = /^(?:export|example|src)$/i.test(type) ? escapeCode(text) : text
  return `#+begin_${head}\n${inner}#+end_${type}\n`
}

function alignedTable(text: string): string {
  if (!/^[ \t]*\|/.test(text)) return text
  const tables: Table[] = []
  walk(parse(text), (node) => {
    if (node.type === 'table') tables.push(node)
    return tables.length === 0
  })
  return tables[0] === undefined ? text : applyPatches(text, alignTable(text, tables[0]))
}

function indented(text: string, column: number, tabs: boolean): string {
  return text
    .split('\n')
    .map((line) => {
      const [blanks] = /^[ \t]*/.exec(line)!
      if (blanks.length === line.length) return ''
      return indentTo('', stringWidth(blanks) + column, tabs) + line.slice(blanks.length)
    })
    .join('\n')
}
