import type { Headline, OrgData } from '../tree/nodes.ts'
import { collectProperty, propertyValue } from '../tree/query.ts'

/** One argument of a header line, as written. */
export interface HeaderArgument {
  /** Without its colon. */
  key: string
  /** Without white space at its ends; null when nothing follows the key. */
  value: string | null
}

/** The arguments of a line in order. A later one of the same key is meant to win. */
export function headerArguments(line: string): HeaderArgument[] {
  const found: HeaderArgument[] = []
  for (const part of splitArguments(line)) {
    const match = /^:([^ \f\t\n\r\v]+)(?:[ \f\t\n\r\v]+([^ \f\t\n\r\v].*))?/.exec(part)
    if (match !== null) found.push({ key: match[1]!, value: match[2] ?? null })
  }
  return found
}

/** The arguments in order, with quoted values as the strings that they mean. */
export function parseHeaderArguments(line: string): [key: string, value: string][] {
  return headerArguments(line).map(({ key, value }) => [key, unquoteValue(value ?? '')])
}

/** A value that is one Lisp string, as that string; any other as it is. */
export function unquoteValue(value: string): string {
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(value)) return value
  const guarded = /\\(?:x([0-9a-f]+)|u([0-9a-f]{4})|([0-7]{1,3})|(.))/gis
  return value.slice(1, -1).replace(guarded, (_, hex, code, octal, char) => {
    if (char !== undefined) return stringEscapes.get(char) ?? char
    const point = Number.parseInt(hex ?? code ?? octal, octal === undefined ? 16 : 8)
    return point < 0x110000 ? String.fromCodePoint(point) : ''
  })
}

const stringEscapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['e', '\u001b'],
  ['s', ' '],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['d', '\u007f'],
  [' ', ''],
  ['\n', ''],
])

/**
 * The parts between separators that stand outside of brackets and quotes; empty parts are left
 * out. With `before`, one of its characters must precede a separator, and goes with it.
 */
export function splitBalanced(text: string, separator: string, before = ''): string[] {
  const partners = bracketPartners(text)
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; ) {
    const char = text[at]!
    if (char === separator && (before === '' || (at > 0 && before.includes(text[at - 1]!)))) {
      parts.push(text.slice(from, before === '' ? at : at - 1))
      from = ++at
    } else if (char === '"' && text[at - 1] !== '\\') at = afterQuote(text, at)
    else at = (partners.get(at) ?? at) + 1
  }
  parts.push(text.slice(from))
  return parts.filter((part) => part !== '')
}

function bracketPartners(text: string): Map<number, number> {
  const partners = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '(' || char === '[') open.push(at)
    else if (char === ')' || char === ']') {
      const last = open.at(-1)
      if (last === undefined || text[last] !== (char === ')' ? '(' : '[')) continue
      partners.set(last, at)
      open.pop()
    }
  }
  return partners
}

function afterQuote(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '"' && text[end - 1] !== '\\') return end + 1
  }
  return at + 1
}

/** The arguments as written, in order; each is a part of the line, without the blanks after it. */
export function splitArguments(line: string): string[] {
  const [first, ...rest] = splitBalanced(line.trim(), ':', ' \t')
  return first === undefined ? [] : [first, ...rest.map((part) => `:${part}`)].map(trimEnd)
}

function trimEnd(part: string): string {
  return part.replace(/[ \f\t\n\r\v]+$/, '')
}

/** A property's values in the file's `#+property:` lines, keys in upper case. */
export type FileProperties = ReadonlyMap<string, string>

/** Folds the texts of `#+property:` keywords, `name value` or `name+ value`, into one map. */
export function fileProperties(lines: Iterable<string>): Map<string, string> {
  const result = new Map<string, string>()
  for (const line of lines) {
    const match = /^(\S+?)(\+?)(?:\s+(.*))?$/.exec(line)
    if (match === null) continue
    const [, name = '', plus, value = ''] = match
    const before = plus === '' ? undefined : result.get(name.toUpperCase())
    result.set(name.toUpperCase(), before === undefined ? value : `${before} ${value}`)
  }
  return result
}

/**
 * The inherited value of a property, or null when nobody sets it. `chain` is the document, then the
 * headlines from the outermost to the one asked about.
 */
export function chainProperty(
  chain: readonly (OrgData | Headline)[],
  file: FileProperties,
  name: string,
): string | null {
  const { value, added } = collectProperty(chain.toReversed(), name)
  return propertyValue(value ?? file.get(name.toUpperCase()) ?? null, added)
}

/** The arguments that properties give to blocks of this language at this place, in order. */
export function inheritedArguments(
  chain: readonly (OrgData | Headline)[],
  file: FileProperties,
  language: string | null,
): HeaderArgument[] {
  const general = chainProperty(chain, file, 'header-args') ?? ''
  if (language === null) return headerArguments(general)
  const specific = chainProperty(chain, file, `header-args:${language}`) ?? ''
  return [...headerArguments(general), ...headerArguments(specific)]
}
