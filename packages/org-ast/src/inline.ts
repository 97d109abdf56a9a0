import { entities } from './entities.ts'
import type { Found, Scan } from './objects.ts'

/** The offset of the bracket that closes the one at `at`, or -1. */
function balanced(scan: Scan, at: number, open: string, close: string): number {
  const { slice } = scan
  const key = `balanced ${open}`
  if (scan.failed(key, at)) return -1
  let depth = 0
  const openCode = open.charCodeAt(0)
  const closeCode = close.charCodeAt(0)
  for (let end = at; end < slice.length; end++) {
    const code = slice.charCodeAt(end)
    if (code === openCode) depth++
    else if (code === closeCode && --depth === 0) return end
  }
  // With one bracket left open to the end, every deeper one may still close, but the next
  // search would scan as far: remember the place, and ask again only where a close is near.
  if (slice.indexOf(close, at) === -1) scan.fail(key, at)
  return -1
}

function sticky(pattern: RegExp, slice: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(slice)
}

const entityPattern = /\\(?:(_ +)|(there4|sup[123]|frac[13][24]|[a-zA-Z]+)(\{\}|(?![a-zA-Z])))/y

/** Parses `\name`. */
export function parseEntity(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('entity')) return null
  const match = sticky(entityPattern, scan.slice, at)
  if (match === null) return null
  const name = match[1] ?? match[2]!
  const entity = entities.get(name)
  if (entity === undefined) return null
  const node = { type: 'entity', name, useBracketsP: match[3] === '{}', ...entity } as const
  return { begin: at, end: at + match[0].length, node }
}

const commandPattern = /\\[a-zA-Z]+\*?(?:\[[^\][\n{}]*\]|\{[^{}\n]*\})*/y

/** Parses a LaTeX fragment that begins with a backslash or a dollar sign. */
export function parseLatexFragment(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('latex-fragment')) return null
  const end = latexEnd(scan, at)
  if (end === -1) return null
  return { begin: at, end, node: { type: 'latex-fragment', value: scan.slice.slice(at, end) } }
}

function latexEnd(scan: Scan, at: number): number {
  const { slice } = scan
  if (slice.charCodeAt(at) === 36) return dollarEnd(scan, at)
  const pair = slice[at + 1] === '(' ? '\\)' : slice[at + 1] === '[' ? '\\]' : null
  if (pair !== null) {
    const close = scan.find(pair, at + 2)
    return close === -1 ? -1 : close + 2
  }
  const match = sticky(commandPattern, slice, at)
  return match === null ? -1 : at + match[0].length
}

function dollarEnd(scan: Scan, at: number): number {
  const { slice } = scan
  if (slice[at + 1] === '$') {
    const close = scan.find('$$', at + 2)
    return close === -1 ? -1 : close + 2
  }
  if (at > 0 && slice[at - 1] === '$') return -1
  if (/[\s,.;]/.test(slice[at + 1] ?? ' ')) return -1
  const close = scan.find('$', at + 1)
  if (close === -1 || /[\s,.]/.test(slice[close - 1]!)) return -1
  return close + 1 === slice.length || /[\s\p{P}]/u.test(slice[close + 1]!) ? close + 1 : -1
}

const breakPattern = /\\\\[ \t]*(?:\r?\n|$)/y

/** Parses a forced line break. */
export function parseLineBreak(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('line-break') || scan.slice[at - 1] === '\\') return null
  const match = sticky(breakPattern, scan.slice, at)
  if (match === null) return null
  return { begin: at, end: at + match[0].length, node: { type: 'line-break' } }
}

const macroPattern = /\{\{\{([a-zA-Z][-a-zA-Z0-9_]*)(?:\(([\s\S]*?)\))?\}\}\}/y

/** Parses `{{{name(arguments)}}}`. */
export function parseMacro(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('macro') || scan.find('}}}', at) === -1) return null
  const match = sticky(macroPattern, scan.slice, at)
  if (match === null) return null
  const args = match[2]?.split(/(?<!\\),/).map((argument) => argument.replaceAll('\\,', ',').trim())
  return {
    begin: at,
    end: at + match[0].length,
    node: { type: 'macro', key: match[1]!.toLowerCase(), value: match[0], args: args ?? [] },
  }
}

const snippetPattern = /@@([-A-Za-z0-9]+):/y

/** Parses `@@backend:text@@`. */
export function parseExportSnippet(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('export-snippet')) return null
  const match = sticky(snippetPattern, scan.slice, at)
  if (match === null) return null
  const begin = at + match[0].length
  const close = scan.find('@@', begin)
  if (close === -1) return null
  const value = scan.slice.slice(begin, close)
  return { begin: at, end: close + 2, node: { type: 'export-snippet', backEnd: match[1]!, value } }
}

const targetPattern = /<<([^<>\s](?:[^<>\n]*[^<>\s])?)>>/y
const radioPattern = /<<<([^<>\s](?:[^<>\n]*[^<>\s])?)>>>/y

/** Parses `<<target>>` and `<<<radio target>>>`. */
export function parseTarget(scan: Scan, at: number): Found | null {
  if (scan.find('>>', at) === -1) return null
  const radio = scan.slice[at + 2] === '<'
  const match = sticky(radio ? radioPattern : targetPattern, scan.slice, at)
  if (match === null || !scan.allowed.has(radio ? 'radio-target' : 'target')) return null
  const end = at + match[0].length
  if (!radio) return { begin: at, end, node: { type: 'target', value: match[1]! } }
  return {
    begin: at,
    end,
    node: {
      type: 'radio-target',
      contentsBegin: scan.base + at + 3,
      contentsEnd: scan.base + end - 3,
      value: match[1]!,
      children: scan.inside(at + 3, end - 3, 'radio-target'),
    },
  }
}

const footnotePattern = /\[fn:([-_\p{L}\p{N}]*)([:\]])/uy

/** Parses `[fn:label]`, `[fn:label:text]` and `[fn::text]`. */
export function parseFootnoteReference(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('footnote-reference')) return null
  const match = sticky(footnotePattern, scan.slice, at)
  if (match === null) return null
  const inline = match[2] === ':'
  const label = match[1] === '' ? null : match[1]!
  if (!inline && label === null) return null
  const inside = at + match[0].length
  const close = inline ? balanced(scan, at, '[', ']') : inside - 1
  if (close === -1) return null
  return {
    begin: at,
    end: close + 1,
    node: {
      type: 'footnote-reference',
      contentsBegin: inline ? scan.base + inside : null,
      contentsEnd: inline ? scan.base + close : null,
      label,
      referenceType: inline ? 'inline' : 'standard',
      children: inline ? scan.inside(inside, close, 'footnote-reference') : [],
    },
  }
}

const citationPattern = /\[cite(?:\/([-/_a-zA-Z0-9]+))?:[ \t\n]*/y
const keyPattern = /@([-\p{L}\p{N}_.:?!`'/*@+|(){}<>&^$#%~]+)/u

/** Parses `[cite/style:prefix @key suffix; …]`. */
export function parseCitation(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('citation')) return null
  const match = sticky(citationPattern, scan.slice, at)
  if (match === null) return null
  const close = balanced(scan, at, '[', ']')
  if (close === -1) return null
  const inside = at + match[0].length
  const body = readReferences(scan, inside, close)
  if (body.children.length === 0) return null
  return {
    begin: at,
    end: close + 1,
    node: {
      type: 'citation',
      contentsBegin: scan.base + inside,
      contentsEnd: scan.base + close,
      style: match[1] ?? null,
      ...body,
    },
  }
}

function readReferences(scan: Scan, begin: number, end: number) {
  const children: unknown[] = []
  let prefix: unknown[] | null = null
  let suffix: unknown[] | null = null
  let at = begin
  while (at < end) {
    const semicolon = scan.slice.indexOf(';', at)
    const stop = semicolon === -1 || semicolon >= end ? end : semicolon
    const key = keyPattern.exec(scan.slice.slice(at, stop))
    if (key !== null) children.push(reference(scan, at, stop, Math.min(stop + 1, end), key))
    else if (children.length === 0) prefix = scan.inside(at, stop, 'citation')
    else suffix = scan.inside(at, stop, 'citation')
    at = stop + 1
  }
  return { prefix, suffix, children }
}

function reference(scan: Scan, at: number, stop: number, end: number, key: RegExpExecArray) {
  const keyEnd = at + key.index + key[0].length
  const before = scan.inside(at, at + key.index, 'citation')
  const after = scan.inside(keyEnd, stop, 'citation')
  return {
    type: 'citation-reference',
    position: scan.env.lines.position(scan.base + at, scan.base + end),
    postBlank: 0,
    key: key[1]!,
    prefix: before.length === 0 ? null : before,
    suffix: after.length === 0 ? null : after,
  }
}

const cookiePattern = /\[\d*(?:%|\/\d*)\]/y

/** Parses `[2/3]` and `[50%]`. */
export function parseStatisticsCookie(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('statistics-cookie')) return null
  const match = sticky(cookiePattern, scan.slice, at)
  if (match === null) return null
  return {
    begin: at,
    end: at + match[0].length,
    node: { type: 'statistics-cookie', value: match[0] },
  }
}

const wordPattern = /[+-]?[\p{L}\p{N}.,\\]*[\p{L}\p{N}]/uy

/** Parses `_x`, `_{x}`, `^x` and `^{x}`. */
export function parseScript(
  scan: Scan,
  at: number,
  type: 'subscript' | 'superscript',
): Found | null {
  const { slice } = scan
  if (!scan.allowed.has(type) || at === 0 || /\s/.test(slice[at - 1]!)) return null
  const next = slice[at + 1]
  if (next === '{') {
    const close = balanced(scan, at + 1, '{', '}')
    return close === -1 ? null : script(scan, type, at, at + 2, close, close + 1, true)
  }
  if (next === '*') return script(scan, type, at, at + 1, at + 2, at + 2, false)
  const match = sticky(wordPattern, slice, at + 1)
  if (match === null) return null
  const end = at + 1 + match[0].length
  return script(scan, type, at, at + 1, end, end, false)
}

function script(
  scan: Scan,
  type: 'subscript' | 'superscript',
  begin: number,
  contentsBegin: number,
  contentsEnd: number,
  end: number,
  useBracketsP: boolean,
): Found {
  return {
    begin,
    end,
    node: {
      type,
      contentsBegin: scan.base + contentsBegin,
      contentsEnd: scan.base + contentsEnd,
      useBracketsP,
      children: scan.inside(contentsBegin, contentsEnd, 'script'),
    },
  }
}

const inlineSrcPattern = /_([^\s[{]+)(?:\[([^\]\n]*)\])?\{/y
const inlineCallPattern = /_([^\s()[\]]+)(?:\[([^\]\n]*)\])?\(([^\n]*?)\)(?:\[([^\]\n]*)\])?/y

/** Parses inline source blocks and calls around the underscore at `at`. */
export function parseInlineCall(scan: Scan, at: number, plain: number): Found | null {
  const { slice } = scan
  if (at - 3 >= plain && slice.startsWith('src', at - 3) && atBorder(slice, at - 3)) {
    return inlineSrc(scan, at)
  }
  if (at - 4 >= plain && slice.startsWith('call', at - 4) && atBorder(slice, at - 4)) {
    return inlineCall(scan, at)
  }
  return null
}

function atBorder(slice: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(slice[at - 1]!)
}

function inlineSrc(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('inline-src-block') || scan.find('}', at) === -1) return null
  const match = sticky(inlineSrcPattern, scan.slice, at)
  if (match === null) return null
  const open = at + match[0].length - 1
  const close = balanced(scan, open, '{', '}')
  if (close === -1) return null
  return {
    begin: at - 3,
    end: close + 1,
    node: {
      type: 'inline-src-block',
      language: match[1]!,
      parameters: match[2] || null,
      value: scan.slice.slice(open + 1, close),
    },
  }
}

function inlineCall(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('inline-babel-call') || scan.find(')', at) === -1) return null
  const match = sticky(inlineCallPattern, scan.slice, at)
  if (match === null) return null
  return {
    begin: at - 4,
    end: at + match[0].length,
    node: {
      type: 'inline-babel-call',
      value: `call${match[0]}`,
      call: match[1]!,
      insideHeader: match[2] || null,
      arguments: match[3] || null,
      endHeader: match[4] || null,
    },
  }
}
