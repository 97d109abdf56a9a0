import { parse } from '../parse/parse.ts'
import { escapeCode } from '../text/escape.ts'
import type { Keyword, SrcBlock } from '../tree/lesser-elements.ts'
import type { OrgContent, OrgData } from '../tree/nodes.ts'
import type { LatexFragment, Link } from '../tree/object-nodes.ts'
import { walk } from '../tree/query.ts'

const lineEnds = /\r\n|[\r\v\f\u0085\u2028\u2029]/g
const hiddenCharacters = /[\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
const controls = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g

/** The text without characters that a terminal or an editor obeys; lines end with a line feed. */
export function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replace(lineEnds, '\n')
    .replace(hiddenCharacters, '')
    .replace(controls, pictureOf)
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
}

const guard = '\u200b'

const obeyedWords: readonly RegExp[] = [
  /local(?=[ \t]+variables[ \t]*:)/gi,
  /<(?=%%\()/g,
  /-(?=\*-)/g,
  /(?<![^\s\u200b])(?:vi|vim[<=>]?\d*|ex)(?=:[ \t]*(?:set?[ \t]|[a-z]+(?:=|[ \t]*:)))/gi,
  /\b(?:scheduled|deadline|closed|clock)(?=:[ \t]*(?:[<[]|=>))/gi,
]

function withoutWords(text: string): string {
  return obeyedWords.reduce((rest, words) => rest.replace(words, `$&${guard}`), text)
}

const obeyedInCode = /^[ \t]*(?:&?%%\(|:ID:[ \t]|:END:[ \t]*$)/i

/** A text between the lines of a block, with the commas that it needs and nothing to obey. */
export function inertCode(text: string): string {
  const code = withoutWords(withoutControls(text)).split('\n').map(codeLine)
  return escapeCode(code.join('\n'))
}

function codeLine(line: string): string {
  return obeyedInCode.test(line) ? guarded(line) : line
}

function guarded(line: string): string {
  return line.replace(/^[ \t]*/, `$&${guard}`)
}

const obeyedLine = /^(?:\*+[ \t]|\[fn:|[ \t]*(?:#\+|:[^\s:]\S*:(?:\s|$)|:END:|&?%%\(|\\begin\{))/i

function plainLine(line: string): string {
  if (obeyedLine.test(line)) return guarded(line)
  if (!/^[ \t]*\|/.test(line)) return line
  return line.replace(/(\|[ \t]*)(?=:?=)/g, `$1${guard}`)
}

const keptBlock = /^([ \t]*)#\+begin_(src|example|quote|verse)(?:[ \t]+(.*))?$/i

function inertLines(lines: readonly string[]): string[] {
  const made: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const [, indent = '', kind = '', rest = ''] = keptBlock.exec(line) ?? []
    const end = kind === '' ? -1 : endOf(lines, at, kind)
    if (end === -1) made.push(plainLine(line))
    else {
      made.push(indent + blockLine(kind.toLowerCase(), rest))
      made.push(...blockBody(kind.toLowerCase(), lines.slice(at + 1, end)))
      made.push(`${indent}#+end_${kind.toLowerCase()}`)
      at = end
    }
  }
  return made
}

function endOf(lines: readonly string[], from: number, kind: string): number {
  const end = new RegExp(`^[ \\t]*#\\+end_${kind}[ \\t]*$`, 'i')
  return lines.findIndex((line, at) => at > from && end.test(line))
}

function blockLine(kind: string, rest: string): string {
  if (kind !== 'src') return `#+begin_${kind}`
  const [language = 'text'] = /^[\w+#.-]+/.exec(rest) ?? []
  return `#+begin_src ${language} :tangle no :eval never :noweb-ref no`
}

function blockBody(kind: string, lines: readonly string[]): string[] {
  if (kind === 'quote') return inertLines(lines)
  if (kind === 'verse') return lines.map(plainLine)
  return lines.map((line) => codeLine(line).replace(/^([ \t]*)(?=\*|#\+)/, '$1,'))
}

const plainLinks: ReadonlySet<string> = new Set(
  'http https ftp mailto news doi id file fuzzy custom-id coderef radio info help'.split(' '),
)
const otherLink = /^(?:eshell|elisp|shell|org-protocol|attachment\+\w+|file\+\w+):/i

const remotePath = /^\\\\|^\/\/|(?:^|\/)\/[^/]*:|(?:^|\/)(?:\.\.?|[^/]*\$[^/]*)\/[\w-]+:[^/]*:/

function runs({ application, linkType, path, rawLink, searchOption }: Link): boolean {
  if (application !== null || otherLink.test(rawLink)) return true
  if (!plainLinks.has(linkType.toLowerCase())) return true
  const isRemote = linkType === 'file' && remotePath.test(path)
  return isRemote || /^\s*\(/.test(searchOption ?? '')
}

const texCommand =
  /\^\^|\\(?:input|include|InputIfFileExists|open(?:in|out)|read|write|immediate|special|usepackage|RequirePackage|documentclass|catcode|csname|[egx]?def|let|(?:re)?newcommand|directlua|latelua|luaexec|luadirect|shellescape|ShellEscape|verbatiminput|lstinputlisting|scantokens|expandafter|everypar|pdf\w+|@)/g

/** Where in a fragment its commands begin, behind their first character. */
function texGuards({ value }: LatexFragment): number[] {
  return Array.from(value.matchAll(texCommand), ({ index }) => index + 1)
}

/** Where the links of lines that run something begin, whatever the parser sees around them. */
function bareLinks(words: string): number[] {
  const lead = 'x'
  const bare = words.replace(/^([ \t]*)#/gm, '$1 ').replace(/[=~$\\|{}@]/g, ' ')
  const lines = bare.split('\n')
  const found: number[] = []
  let begin = 0
  for (const line of lines) {
    walk(parse(`${lead} ${line}`), (node) => {
      if (node.type !== 'link' || !runs(node)) return
      const at = begin + node.startOffset - lead.length - 1
      found.push(...linkGuards(node).map((shift) => at + shift))
    })
    begin += line.length + 1
  }
  return found
}

/** `words` is the text of the node. */
function guardsIn(node: OrgData | OrgContent, words: string): number[] {
  switch (node.type) {
    case 'inline-src-block':
      return [3]
    case 'inline-babel-call':
      return [4]
    case 'macro':
      return [1, 2]
    case 'target':
    case 'radio-target':
      return [1, 2]
    case 'export-snippet':
    case 'footnote-reference':
      return [1]
    case 'comment':
    case 'node-property':
      return bareLinks(words)
    case 'latex-fragment':
      return texGuards(node)
    case 'link':
      return runs(node) ? linkGuards(node) : []
    default:
      return []
  }
}

function linkGuards({ format, rawLink }: Link): number[] {
  if (format === 'bracket') return [1]
  return [rawLink.indexOf(':') + (format === 'angle' ? 1 : 0)]
}

const roundsMax = 10

function withoutObjects(text: string, lead = ''): string {
  let rest = text
  for (let round = 0; round < roundsMax; round++) {
    const at: number[] = lead === '' ? [] : bareLinks(rest)
    const source = lead + rest
    walk(parse(source), (node) => {
      const shifts = guardsIn(node, source.slice(node.startOffset, node.endOffset))
      at.push(...shifts.map((shift) => node.startOffset + shift - lead.length))
    })
    if (at.length === 0) return rest
    for (const place of [...new Set(at)].sort((one, other) => other - one)) {
      rest = rest.slice(0, place) + guard + rest.slice(place)
    }
  }
  return withoutWords(rest)
    .split('\n')
    .map((line) => `: ${line}`)
    .join('\n')
}

declare const inert: unique symbol

/** A text in which Org finds nothing but words; made by `inertOrg` only. */
export type InertOrg = string & { readonly [inert]: true }

/**
 * The text as Org that only says something: paragraphs, lists, tables, quotations, examples, and code
 * that is neither tangled nor run. Zero-width spaces and commas guard the rest. Twice is as once.
 */
export function inertOrg(text: string): InertOrg {
  const lines = withoutWords(withoutControls(text)).split('\n')
  return withoutObjects(inertLines(lines).join('\n')) as InertOrg
}

/** The text as one line, for the title of a headline or the value of a property. */
export function inertLine(text: string): string {
  const line = withoutControls(text).replace(/\s+/g, ' ').trim()
  return withoutObjects(withoutWords(line), '* ')
    .replace(/^(?=(?:COMMENT(?: |$)|\[#))/, guard)
    .replace(/(?<= |^)(?=:[\p{L}\p{N}_@#%:]+:$)/u, guard)
}

const plainKeywords: ReadonlySet<string> = new Set(
  (
    'TITLE SUBTITLE AUTHOR EMAIL DATE CREATOR DESCRIPTION KEYWORDS LANGUAGE CATEGORY FILETAGS TAGS ' +
    'TODO SEQ_TODO TYP_TODO PRIORITIES COLUMNS OPTIONS NAME CAPTION TOC RESULTS PROVENANCE STARTUP ' +
    'TRANSCLUDE INDEX CINDEX IDENTIFIER'
  ).split(' '),
)
const obeyedProperty = /^(?:header-args.*|var|dir|archive|export_.*|latex_.*|html_.*)\+?$/i

function keywordObeyed({ key, value }: Keyword): boolean {
  const name = key.toUpperCase()
  if (name === 'STARTUP') return /preview|inlineimages|plain/i.test(value)
  if (name === 'PROPERTY') return obeyedProperty.test(value.trim().split(/\s/)[0] ?? '')
  return !plainKeywords.has(name)
}

const nowebInherited = /^[ \t]*(?:#\+property:[ \t]+|:)header-args\S*[ \t].*:noweb-ref\s/im

function blockObeyed({ affiliated, parameters }: SrcBlock, inherits: boolean): boolean {
  const own = parameters ?? ''
  const isKept =
    /(?:^|\s):tangle no(?=\s|$)/.test(own) && /(?:^|\s):eval (?:never|no)(?=\s|$)/.test(own)
  const isTwice =
    /:tangle .*:tangle |:eval .*:eval |:noweb-ref (?!no(?:\s|$))|:noweb-ref .*:noweb-ref /.test(own)
  const isCollected = inherits && !own.includes(':noweb-ref ')
  return !isKept || isTwice || isCollected || affiliated.some(({ key }) => isHeaderOrName(key))
}

/**
 * Each place in an Org text at which Emacs runs, reads or writes something, by its words; in order.
 * `file` is the file that the text is a part of.
 */
export function obeyed(text: string, file: string = text): string[] {
  const found: string[] = []
  const inherits = nowebInherited.test(file)
  walk(parse(text), (node) => {
    const words = text.slice(node.startOffset, node.endOffset)
    if (isObeyed(node, words, inherits)) found.push(firstLine(words))
    if (node.type === 'table') found.push(...formulasIn(words))
  })
  for (const pattern of obeyedText) {
    found.push(...Array.from(text.matchAll(pattern), ([words]) => words.trim()))
  }
  return found
}

function isHeaderOrName(key: string): boolean {
  return /^(?:headers?|name)$/i.test(key)
}

function isObeyed(node: OrgData | OrgContent, words: string, inherits: boolean): boolean {
  switch (node.type) {
    case 'src-block':
      return blockObeyed(node, inherits)
    case 'keyword':
      return keywordObeyed(node)
    case 'node-property':
      return obeyedProperty.test(node.key) || guardsIn(node, words).length > 0
    case 'latex-environment':
      return node.value.search(texCommand) >= 0
    case 'target':
    case 'radio-target':
    case 'footnote-reference':
      return false
    case 'babel-call':
    case 'dynamic-block':
    case 'export-block':
    case 'diary-sexp':
      return true
    default:
      return guardsIn(node, words).length > 0
  }
}

/** The places of a text that Emacs obeys and that were not in it before, each as often as it is new. */
export function newlyObeyed(before: string, after: string): string[] {
  const places = obeyed(after)
  if (places.length === 0) return []
  const left = new Map<string, number>()
  for (const words of obeyed(before)) left.set(words, (left.get(words) ?? 0) + 1)
  return places.filter((words) => {
    const count = left.get(words) ?? 0
    left.set(words, count - 1)
    return count <= 0
  })
}

function firstLine(words: string): string {
  const [line = ''] = words.trimStart().split('\n', 1)
  return line.trim()
}

function formulasIn(table: string): string[] {
  return Array.from(table.matchAll(/^[ \t]*#\+tblfm:.*$|\|[ \t]*:?=[^|\n]+/gim), ([words]) => words)
}

const obeyedText: readonly RegExp[] = [
  /^.*local variables:.*$/gim,
  /<%%\(.*$/gm,
  /^(?:#!.*\n)?.*-\*-.*-\*-.*/g,
  /^&?%%\(.*$/gm,
  /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu,
]
