import { beginsWord, otherWideClass, spaceClass } from '../text/characters.ts'
import type { Link } from '../tree/object-nodes.ts'
import { container, type Scan } from './scan.ts'

const types: ReadonlySet<string> = new Set(
  (
    'bbdb bibtex docview doi elisp eww file file+emacs file+sys ftp gnus help http https id info ' +
    'irc mailto mhe news rmail shell shortdoc w3m'
  ).split(' '),
)

const typeLengthMax = 'file+emacs'.length

function isType(word: string): boolean {
  return types.has(word) || types.has(word.toLowerCase())
}

function understand(link: Link, target: string): void {
  const colon = target.indexOf(':')
  const isPath = /^(?:\/|~(?:\/|$)|\.\.?\/)/.test(target)
  link.rawLink = target
  link.typeExplicitP =
    !isPath && colon > 0 && colon <= typeLengthMax && isType(target.slice(0, colon))
  if (isPath) point(link, 'file', target)
  else if (link.typeExplicitP) point(link, target.slice(0, colon), target.slice(colon + 1))
  else if (target.startsWith('(') && target.endsWith(')')) {
    point(link, 'coderef', target.slice(1, -1))
  } else if (target.startsWith('#')) point(link, 'custom-id', target.slice(1))
  else point(link, 'fuzzy', target)
}

function point(link: Link, type: string, path: string): void {
  link.linkType = type
  link.path = path
  link.searchOption = null
  link.application = null
  const match = /^file(?:\+(.+))?$/i.exec(type)
  if (match === null) return
  link.linkType = 'file'
  link.application = match[1] ?? null
  const search = /::(.*)$/s.exec(path)
  if (search !== null) link.searchOption = search[1]!
  const bare = search === null ? path : path.slice(0, search.index)
  link.path = bare.replace(/^\/\/\/*(.:)?\//, '$1/')
}

function expandAbbreviation(raw: string, scan: Scan): string {
  const { linkAbbreviations } = scan.env
  if (linkAbbreviations.size === 0) return raw
  const match = /^([^:]*)(?:::?(.*))?$/s.exec(raw)
  const replacement = match === null ? undefined : linkAbbreviations.get(match[1]!)
  if (match === null || replacement === undefined) return raw
  const tag = match[2] ?? ''
  if (/%\([^)]+\)/.test(replacement)) return raw
  if (replacement.includes('%s')) return replacement.replaceAll('%s', () => tag)
  if (replacement.includes('%h')) return replacement.replaceAll('%h', () => hexify(tag))
  return replacement + tag
}

function hexify(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Parses `[[target]]` and `[[target][description]]`. */
export function parseBracketLink(scan: Scan, at: number): Link | null {
  const { text } = scan
  if (scan.find(']]', at + 3) === -1) return null
  const targetEnd = bracketTargetEnd(scan, at + 2)
  if (targetEnd === -1) return null
  const described = text[targetEnd + 1] === '['
  if (!described && text[targetEnd + 1] !== ']') return null
  const close = described ? scan.find(']]', targetEnd + 3) : targetEnd
  if (close === -1) return null
  const link = container(scan, 'link', at, close + 2)
  link.format = 'bracket'
  const target = text.slice(at + 2, targetEnd)
  understand(link, expandAbbreviation(unescapeTarget(target), scan))
  if (described) link.contain(targetEnd + 2, close)
  link.children = described ? scan.inside(targetEnd + 2, close, 'link') : []
  return link
}

function bracketTargetEnd(scan: Scan, from: number): number {
  const { text, end } = scan
  for (let at = from; at + 1 < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === 91) return -1
    else if (code === 93) return at === from ? -1 : at
  }
  return -1
}

function unescapeTarget(target: string): string {
  const line = target.includes('\n') ? target.replace(/[ \t]*\n[ \t]*/g, ' ') : target
  if (!line.includes('\\')) return line
  return line.replace(/(\\+)(?=[[\]]|$)/g, (run) => '\\'.repeat(run.length >> 1))
}

const lineOfNone = /\n[ \t]*[\n>]/g

/** Parses `<type:path>` for a known type. */
export function parseAngleLink(scan: Scan, at: number): Link | null {
  const head = scan.match(/<([A-Za-z][+A-Za-z0-9]*):/y, at)
  if (head === null || !isType(head[1]!)) return null
  const end = scan.find('>', at)
  const stop = scan.find(lineOfNone, at)
  if (end === -1 || (stop !== -1 && stop < end)) return null
  const link = container(scan, 'link', at, end + 1)
  link.format = 'angle'
  link.rawLink = scan.text.slice(at + 1, end)
  link.typeExplicitP = true
  point(link, head[1]!, link.rawLink.slice(head[1]!.length + 1).replace(/[ \t]*\n[ \t]*/g, ''))
  link.children = []
  return link
}

const letter = String.raw`[^\][ \t\n()<>]`
const inner = String.raw`[(<[]${letter}*[\])>]`
const group = String.raw`[(<[](?:${letter}|${inner})*[\])>]`
const last = String.raw`[^!-/:-@[-\x60{-~\n${spaceClass}${otherWideClass}]|-|/|${group}`
const plainPattern = new RegExp(`(?:${letter}|${group})+(?:${last})`, 'uy')

/** Parses a bare address around the colon at `at`; its type must begin at or after `plain`. */
export function parsePlainLink(scan: Scan, at: number, plain: number): Link | null {
  const begin = typeBegin(scan, at, plain)
  if (begin === -1) return null
  const match = scan.match(plainPattern, at + 1)
  if (match === null) return null
  const end = at + 1 + match[0].length
  const link = container(scan, 'link', begin, end)
  link.format = 'plain'
  link.rawLink = scan.text.slice(begin, end)
  link.typeExplicitP = true
  point(link, scan.text.slice(begin, at), match[0])
  link.children = []
  return link
}

function typeBegin(scan: Scan, colon: number, plain: number): number {
  const { text } = scan
  let begin = colon
  while (begin > plain && colon - begin < typeLengthMax && isTypeCode(text.charCodeAt(begin - 1))) {
    begin--
  }
  for (; colon - begin > 1; begin++) {
    if (beginsWord(text, begin, scan.begin) && isType(text.slice(begin, colon))) return begin
  }
  return -1
}

function isTypeCode(code: number): boolean {
  const lower = code | 32
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code === 43
}
