import { dedent, MapBuilder, type OrgContent, type OrgData, walk } from 'org-ast'
import { expandFileName, fileNameDirectory } from '../project/paths.ts'
import { readArgument } from './evaluate.ts'
import { elements, type Lisp, LispSymbol, listOf, printLisp, symbol } from './lisp.ts'
import { LispError, type LispWorld } from './lisp-functions.ts'

/** A document to look in. */
export interface Library {
  tree: OrgData
  text: string
  world: LispWorld
}

/** The value of a named element. Throws a LispError when there is none, or none without running. */
export function resolveReference(reference: string, library: Library): Lisp {
  const { name, index, contents } = splitReference(reference)
  const node = findNamed(library.tree, name)
  if (node === null) throw new LispError(`nothing here is named ${name}`)
  if (node.type === 'babel-call' || (node.type === 'src-block' && !contents)) {
    throw new LispError(`${name} would have to be evaluated`)
  }
  const value = readElement(node, library)
  if (value === null) throw new LispError(`${name} is a ${node.type}, which has no value`)
  if (value instanceof LispSymbol) return printLisp(value)
  const list = index === null ? null : elements(value)
  return list === null ? value : indexed(index!, list)
}

function splitReference(text: string): { name: string; index: string | null; contents: boolean } {
  const match = /^(.*)\[([^[\\]*)\]$/s.exec(text)
  const count = (part: string, mark: string) => part.split(mark).length
  const indexed = match !== null && count(match[1]!, '(') === count(match[1]!, ')')
  const name = indexed ? match[1]! : text
  const index = indexed && match[2] !== '' ? match[2]! : null
  const call = /^(.+?)\(.*\)$/s.exec(name)
  return { name: call?.[1] ?? name, index, contents: indexed && match[2] === '' }
}

function findNamed(tree: OrgData, name: string): OrgContent | null {
  let found: OrgContent | null = null
  walk(tree, (node) => {
    if (found !== null) return false
    if (node.type === 'headline' && node.commentedp) return false
    if ('name' in node && node.name === name) found = node as OrgContent
    return undefined
  })
  return found
}

function readElement(node: OrgContent, { text, world }: Library): Lisp | null {
  const cell = (value: string) => readArgument(value, world, true)
  switch (node.type) {
    case 'fixed-width': {
      const value = node.value.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')
      const number = cell(value)
      return typeof number === 'string' ? value : number
    }
    case 'table':
      if (node.tableType === 'table.el') return null
      return listOf(
        node.children.map((row) => {
          if (row.rowType === 'rule') return symbol('hline')
          return listOf(row.children.map((inner) => cell(contents(inner, text))))
        }),
      )
    case 'plain-list':
      return listOf(node.children.map((item) => cell(itemText(item, text))))
    case 'example-block':
    case 'src-block':
      return node.preserveIndent ? unix(node.value) : undented(unix(node.value))
    case 'export-block':
      return undented(unix(node.value))
    case 'paragraph':
    case 'verse-block':
    case 'quote-block':
    case 'center-block':
    case 'special-block': {
      const inner = unix(contents(node, text))
      return node.type === 'paragraph' ? (linkValue(inner, world) ?? inner) : undented(inner)
    }
    default:
      return null
  }
}

function linkValue(paragraph: string, world: LispWorld): string | null {
  const link = /^\s*\[\[([^\]]+)\](?:\[[^\]]*\])?\]\s*$/.exec(paragraph)?.[1]
  if (link === undefined) return null
  const type = /^([a-z][a-z0-9+-]*):/i.exec(link)?.[1]
  if (type !== undefined && type !== 'file') return link
  const folder = fileNameDirectory(world.file) ?? '/'
  return expandFileName(link.replace(/^file:/, ''), folder, world.home)
}

function contents(node: OrgContent, text: string): string {
  return node.contentsBegin === null ? '' : text.slice(node.contentsBegin, node.contentsEnd ?? 0)
}

function itemText(item: OrgContent & { type: 'item' }, text: string): string {
  const inner = item.children.find(({ type }) => type === 'plain-list')
  const line = text.lastIndexOf('\n', item.startOffset - 1) + 1
  const bullet = /^[ \t]*\S+[ \t]*/.exec(text.slice(line, item.endOffset))![0]
  const begin = line + bullet.length
  const body = unix(text.slice(begin, inner?.startOffset ?? item.endOffset))
  return undented(' '.repeat(bullet.length) + body.replace(/\n$/, ''))
}

function unix(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function undented(text: string): string {
  const builder = new MapBuilder()
  builder.make(text, 0)
  return dedent(builder.finish()).text
}

function indexed(index: string, list: readonly Lisp[]): Lisp {
  const comma = index.indexOf(',')
  const portion = comma === -1 ? index : index.slice(0, comma)
  const rest = comma === -1 ? '' : index.slice(comma + 1)
  const wrap = (text: string) => (Number(text) < 0 ? list.length + Number(text) : Number(text))
  const range = /([-\d]+):([-\d]+)|\*/.exec(portion)
  let chosen: readonly Lisp[]
  if (portion !== '' && range === null) chosen = list.slice(wrap(portion)).slice(0, 1)
  else chosen = range?.[1] === undefined ? list : list.slice(wrap(range[1]), wrap(range[2]!) + 1)
  const values = chosen.map((value) => {
    const inner = elements(value)
    return inner === null || inner.length === 0 || rest === '' ? value : indexed(rest, inner)
  })
  return values.length === 1 ? values[0]! : listOf(values)
}
