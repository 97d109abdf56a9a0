import type { Headline } from './nodes.ts'
import { properties } from './query.ts'

/** The arguments in order, keys without their colon. A later one of the same key is meant to win. */
export function parseHeaderArguments(line: string): [key: string, value: string][] {
  return splitArguments(line.trim()).map((part) => {
    const match = /^:(\S*)\s*(.*)$/s.exec(part)
    return match === null ? ['', part] : [match[1]!, unquote(match[2]!.trim())]
  })
}

/** The arguments as written, in order; each is a part of the line, without the blanks after it. */
export function splitArguments(line: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let from = 0
  for (let at = 0; at < line.length; at++) {
    const char = line[at]
    if (char === '"' && line[at - 1] !== '\\') quoted = !quoted
    else if (quoted) continue
    else if (char === '(' || char === '[') depth++
    else if (char === ')' || char === ']') depth--
    else if (char === ':' && depth === 0 && at > from && /\s/.test(line[at - 1]!)) {
      parts.push(line.slice(from, at).trimEnd())
      from = at
    }
  }
  return from < line.length ? [...parts, line.slice(from)] : parts
}

const stringEscapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
])

function unquote(value: string): string {
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(value)) return value
  return value.slice(1, -1).replace(/\\(.)/gs, (_, char) => stringEscapes.get(char) ?? char)
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
 * The inherited value of a property at a headline, or null when nobody sets it.
 * `chain` is the headlines from the outermost to the one asked about.
 */
export function inheritedProperty(
  chain: readonly Headline[],
  file: FileProperties,
  name: string,
): string | null {
  const wanted = name.toUpperCase()
  const added: string[] = []
  for (const headline of [...chain].reverse()) {
    const nodes = properties(headline).map(({ key, value }) => [key.toUpperCase(), value] as const)
    added.unshift(...nodes.filter(([key]) => key === `${wanted}+`).map(([, value]) => value))
    const base = nodes.findLast(([key]) => key === wanted)
    if (base !== undefined) return [base[1], ...added].join(' ')
  }
  const base = file.get(wanted)
  const all = base === undefined ? added : [base, ...added]
  return all.length === 0 ? null : all.join(' ')
}

/** The arguments that properties give to blocks of this language at this place. */
export function inheritedArguments(
  chain: readonly Headline[],
  file: FileProperties,
  language: string,
): Map<string, string> {
  const general = inheritedProperty(chain, file, 'header-args') ?? ''
  const specific = inheritedProperty(chain, file, `header-args:${language}`) ?? ''
  return new Map([...parseHeaderArguments(general), ...parseHeaderArguments(specific)])
}
