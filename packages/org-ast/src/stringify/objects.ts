import { createEnv, noElements } from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import { blanksTo } from '../text/columns.ts'
import type { Draft, ObjectDraft } from '../tree/draft.ts'
import type {
  Citation,
  CitationReference,
  FootnoteReference,
  Link,
  PlainText,
  Script,
} from '../tree/object-nodes.ts'
import { indentLength } from './text.ts'
import { printTimestamp } from './timestamp.ts'

/** How to print; the defaults are those of an Emacs without configuration. */
export interface StringifyOptions {
  /** As `org-tags-column`: -77 aligns tags to end there, 0 puts one space before them. */
  tagsColumn?: number
  /** As `org-src-content-indentation`: columns before the body of a block. */
  contentIndentation?: number
  /** As `indent-tabs-mode`: false indents lists with blanks only. */
  tabs?: boolean
  /** The line ends to write; by default those that the texts of the tree have. */
  lineEnd?: '\n' | '\r\n'
}

const depthMax = 1000

/** The settings of one printing, and what is noticed during it. */
export class Printer {
  readonly tagsColumn: number
  readonly contentIndentation: number
  readonly tabs: boolean
  lineEnd: '\n' | '\r\n'
  #depth = 0

  constructor(options: StringifyOptions = {}) {
    this.tagsColumn = options.tagsColumn ?? -77
    this.contentIndentation = options.contentIndentation ?? 2
    this.tabs = options.tabs ?? true
    this.lineEnd = options.lineEnd ?? '\n'
    this.#fixed = options.lineEnd !== undefined
  }

  readonly #fixed: boolean

  /** A text of a node with plain line ends. */
  text(value: string): string {
    if (!value.includes('\r\n')) return value
    if (!this.#fixed) this.lineEnd = '\r\n'
    return value.replaceAll('\r\n', '\n')
  }

  /** What `print` returns, one level deeper; throws a RangeError below a thousand levels. */
  nested(print: () => string): string {
    if (this.#depth === depthMax) {
      throw new RangeError(`A tree of more than ${depthMax} levels cannot be printed`)
    }
    this.#depth++
    const text = print()
    this.#depth--
    return text
  }
}

/**
 * The objects as Org text, with `shift` columns less before each line; `begins` when they begin a
 * line. Throws a RangeError when they are nested a thousand deep.
 */
export function printObjects(
  objects: readonly ObjectDraft[] | null | undefined,
  printer: Printer,
  shift = 0,
  begins = false,
): string {
  let text = ''
  let first = begins
  for (const object of objects ?? []) {
    if (object.type === 'plain-text') text += shiftText(object, printer, shift, first)
    else {
      text += printer.nested(() => printObject(object, printer, shift))
      text += ' '.repeat(object.postBlank ?? 0)
    }
    first = object.type === 'line-break'
  }
  return text
}

type Marked = Exclude<ObjectDraft, { type: 'plain-text' }>

function printObject(node: Marked, printer: Printer, shift: number): string {
  switch (node.type) {
    case 'bold':
    case 'italic':
    case 'underline':
    case 'strike-through': {
      const mark = emphasisMarks[node.type]
      return mark + printObjects(node.children, printer, shift) + mark
    }
    case 'verbatim':
      return `=${printer.text(node.value)}=`
    case 'code':
      return `~${printer.text(node.value)}~`
    case 'link':
      return printLink(node, printer, shift)
    case 'radio-target':
      return `<<<${printObjects(node.children, printer, shift)}>>>`
    case 'subscript':
    case 'superscript':
      return printScript(node, printer, shift)
    case 'footnote-reference':
      return printFootnote(node, printer, shift)
    case 'citation':
      return printCitation(node, printer)
    case 'citation-reference':
      return printReference(node, printer)
    case 'timestamp':
      return printTimestamp(node)
    default:
      return printer.text(printMark(node) ?? printUnknown(node, printer))
  }
}

function printUnknown(node: object, printer: Printer): string {
  return printObjects((node as { children?: ObjectDraft[] }).children, printer)
}

const emphasisMarks = { bold: '*', italic: '/', underline: '_', 'strike-through': '+' } as const

type Marks =
  | 'line-break'
  | 'target'
  | 'macro'
  | 'entity'
  | 'latex-fragment'
  | 'statistics-cookie'
  | 'export-snippet'
  | 'inline-src-block'
  | 'inline-babel-call'

function printMark(node: Extract<ObjectDraft, { type: Marks }>): string | null {
  switch (node.type) {
    case 'line-break':
      return '\\\\\n'
    case 'target':
      return `<<${node.value}>>`
    case 'macro':
      return `{{{${node.key}${printArguments(node.args ?? [])}}}}`
    case 'entity':
      return `\\${node.name}${node.useBracketsP ? '{}' : ''}`
    case 'latex-fragment':
    case 'statistics-cookie':
      return node.value
    case 'export-snippet':
      return `@@${node.backEnd}:${node.value}@@`
    case 'inline-src-block':
      return `src_${node.language}${bracketed(node.parameters)}{${node.value}}`
    case 'inline-babel-call': {
      const head = `call_${node.call}${bracketed(node.insideHeader)}`
      return `${head}(${node.arguments ?? ''})${bracketed(node.endHeader)}`
    }
    default:
      return null
  }
}

function bracketed(text: string | null | undefined): string {
  return text == null ? '' : `[${text}]`
}

function printArguments(args: readonly string[]): string {
  if (args.length === 0) return ''
  const escaped = args.map((argument, index) => {
    const tail = index < args.length - 1 ? (/(?<!\\)\\+$/.exec(argument)?.[0] ?? '') : ''
    return (argument + tail).replace(
      /(?<!\\)(\\*),/g,
      (_, slashes: string) => `${slashes}${slashes}\\,`,
    )
  })
  return `(${escaped.join(',')})`
}

function printLink(node: Draft<Link>, printer: Printer, shift: number): string {
  if (node.linkType === 'radio') return printer.text(node.path)
  const target = linkTarget(node)
  if ((node.children ?? []).length > 0) {
    return `[[${target}][${printObjects(node.children, printer, shift)}]]`
  }
  const internal = ['coderef', 'custom-id', 'fuzzy'].includes(node.linkType)
  if (internal || (node.format ?? 'bracket') === 'bracket') return `[[${target}]]`
  return node.format === 'angle' ? `<${target}>` : target
}

function linkTarget(node: Draft<Link>): string {
  switch (node.linkType) {
    case 'coderef':
      return `(${node.path})`
    case 'custom-id':
      return `#${node.path}`
    case 'fuzzy':
      return node.path
    case 'file': {
      const application = node.application ? `+${node.application}` : ''
      const type = isTypeExplicit(node) ? `file${application}:` : ''
      return `${type}${node.path}${node.searchOption ? `::${node.searchOption}` : ''}`
    }
    default:
      return `${node.linkType}:${node.path}`
  }
}

function isTypeExplicit(node: Draft<Link>): boolean {
  if (node.typeExplicitP !== undefined) return node.typeExplicitP
  if (node.rawLink !== undefined) return /^file[:+]/i.test(node.rawLink)
  return !/^(?:\/|~|\.\.?\/)/.test(node.path)
}

function printScript(node: Draft<Script>, printer: Printer, shift: number): string {
  const mark = node.type === 'subscript' ? '_' : '^'
  const text = printObjects(node.children, printer, shift)
  return node.useBracketsP ? `${mark}{${text}}` : mark + text
}

function printFootnote(node: Draft<FootnoteReference>, printer: Printer, shift: number): string {
  const inline = (node.children ?? []).length > 0
  const text = inline ? `:${printObjects(node.children, printer, shift)}` : ''
  return `[fn:${node.label ?? ''}${text}]`
}

function printCitation(node: Draft<Citation>, printer: Printer): string {
  const style = node.style ? `/${node.style}` : ''
  const prefix = node.prefix ? `${printObjects(node.prefix, printer)};` : ''
  const references = printObjects(node.children, printer)
  const suffix = node.suffix ? printObjects(node.suffix, printer) : null
  return `[cite${style}:${prefix}${suffix === null ? references.slice(0, -1) : references + suffix}]`
}

function printReference(node: Draft<CitationReference>, printer: Printer): string {
  return `${printObjects(node.prefix, printer)}@${node.key}${printObjects(node.suffix, printer)};`
}

/** The children of a paragraph or a verse, without common indentation. */
export function printLines(
  objects: readonly ObjectDraft[] | undefined,
  printer: Printer,
  behindBullet: boolean,
): string {
  const search = new Indentation(printer)
  const zero = search.scan(objects ?? [], !behindBullet)
  const shift = zero || search.least === Infinity ? 0 : search.least
  return printObjects(objects, printer, shift, !behindBullet)
}

class Indentation {
  least = Infinity
  readonly #printer: Printer

  constructor(printer: Printer) {
    this.#printer = printer
  }

  /** True when a line is not indented; `first` when the objects begin a line. */
  scan(objects: readonly ObjectDraft[], first: boolean): boolean {
    let begins = first
    for (const node of objects) {
      const text = node.type === 'plain-text' ? this.#printer.text(node.value) : null
      if (begins) {
        if (text === null || indentLength(text) === 0) return true
        if (!/^[ \t]*\n/.test(text)) this.least = Math.min(this.least, blankWidth(text))
      }
      begins = node.type === 'line-break'
      if (text !== null) {
        if (this.#scanText(text)) return true
      } else if (shifting.has(node.type) && 'children' in node) {
        if (this.scan(node.children ?? [], false)) return true
      }
    }
    return false
  }

  #scanText(text: string): boolean {
    for (const match of text.matchAll(/\n([ \t]*)(?=([^ \t])?)/g)) {
      const blanks = match[1]!
      if (match[2] === '\n') continue
      if (blanks !== '') this.least = Math.min(this.least, blankWidth(blanks))
      else if (match[2] !== undefined) return true
    }
    return false
  }
}

const shifting: ReadonlySet<string> = new Set([
  'bold',
  'italic',
  'underline',
  'strike-through',
  'subscript',
  'superscript',
  'link',
  'radio-target',
  'footnote-reference',
])

function blankWidth(text: string): number {
  let width = 0
  for (const blank of text.slice(0, indentLength(text))) width += blank === '\t' ? 8 : 1
  return width
}

function shiftText(
  node: Draft<PlainText>,
  printer: Printer,
  shift: number,
  begins: boolean,
): string {
  const text = printer.text(node.value)
  if (shift === 0) return text
  const again = (blanks: string) => blanksTo(0, blankWidth(blanks) - shift, printer.tabs)
  const shifted = text.replace(/\n([ \t]+)(?=(\n)?)/g, (_, blanks: string, next?: string) =>
    next === undefined ? `\n${again(blanks)}` : '\n',
  )
  if (!begins) return shifted
  return shifted.replace(/^[ \t]+(\n)?/, (blanks, next = '') => next || again(blanks))
}

/** The text of a caption, with its objects printed. */
export function printCaption(value: string, printer: Printer): string {
  const objects = parseObjects(createEnv(value, noElements), 0, value.length, 'keyword')
  return printObjects(objects, printer)
}
