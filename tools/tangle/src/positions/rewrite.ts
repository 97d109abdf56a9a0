import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A place in a file; absolute, from 1, and without a column where none was printed. */
export interface Place {
  file: string
  line: number
  column: number | null
}

const colour = '(?:\\x1b\\[[0-9;:]*m)*'
const digits = '([1-9]\\d{0,8})(?!\\d)'

const forms = [
  `${colour}:${colour}${digits}(?:${colour}:${colour}${digits})?`,
  `${colour}\\(${colour}${digits}(?:${colour},${colour} ?${colour}${digits})?(?=${colour}\\))`,
  `["']?${colour}, line ${colour}${digits}(?:, col(?:umn)? ${colour}${digits})?`,
  `,line=${digits}(?:,endLine=${digits})?(?:,col(?:umn)?=${digits})?`,
]
const wholeFile = `(?=(?:${colour} )+${colour}format(?:${colour} )+(?:${colour})*\\xe2\\x94\\x81)`
const place = new RegExp([...forms, wholeFile].join('|'), 'dg')

const begun = new RegExp(
  [
    `${colour}(?::${colour}\\d*${colour}(?::${colour}\\d*)?)?`,
    `${colour}\\(${colour}\\d*${colour}(?:,${colour} ?${colour}\\d*${colour})?`,
    `["']?${colour}(?:, ?|, l|, li|, lin|, line|, line ${colour}\\d*(?:, ?[column]* ?\\d*)?)?`,
    ',(?:l|li|lin|line|line=\\d*(?:,[a-zA-Z]*=?\\d*)*)',
    `(?:${colour} )+${colour}(?:f|fo|for|form|forma|format(?:${colour} )*${colour}(?:\\xe2\\x94?)?)?`,
  ]
    .map((form) => `(?:${form}(?:\\x1b(?:\\[[0-9;:]*)?)?)$`)
    .join('|'),
)

const separators = /[\s"'`()<>[\]{}|,;=:\x00-\x1a]/
const guesses = 8
const pathLengthMax = 1024

function* pathStarts(text: string, end: number): Generator<number> {
  let found = 0
  let at = end
  for (; at > 0 && end - at < pathLengthMax; at--) {
    const char = text[at - 1]!
    const opened = char === 'm' ? escapeBefore(text, at) : at
    if (opened < at) {
      at = opened + 1
      continue
    }
    if (!separators.test(char) || isScheme(text, at)) continue
    if (at < end) yield at
    if (char === '\n' || ++found === guesses) return
  }
  if (at < end) yield at
}

function escapeBefore(text: string, at: number): number {
  const from = Math.max(0, at - 24)
  const sequence = /\x1b\[[0-9;:]*m$/.exec(text.slice(from, at))
  return sequence === null ? at : from + sequence.index
}

function isScheme(text: string, at: number): boolean {
  return text[at - 1] === ':' && text.startsWith('//', at) && text.endsWith('file', at - 1)
}

/** Puts other places into a stream of bytes. */
export class Rewriter {
  readonly #cwd: string
  readonly #find: (place: Place) => Place | null
  #pending = ''
  #before = ''
  readonly #files = new Map<string, boolean>()

  /** Relative paths are those of `cwd`. What `find` does not know stays as it is. */
  constructor(cwd: string, find: (place: Place) => Place | null) {
    this.#cwd = cwd
    this.#find = find
  }

  /** Takes the next bytes, and gives those that can be passed on. */
  write(bytes: Uint8Array): Buffer {
    this.#files.clear()
    this.#pending += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    return this.#pass(
      Math.max(0, this.#heldFrom(this.#before + this.#pending) - this.#before.length),
    )
  }

  /** Gives what was held back. */
  end(): Buffer {
    return this.#pass(this.#pending.length)
  }

  #pass(length: number): Buffer {
    const text = this.#before + this.#pending.slice(0, length)
    const result = this.#rewrite(text, this.#before.length)
    this.#pending = this.#pending.slice(length)
    this.#before = text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - pathLengthMax))
    return Buffer.from(result, 'latin1')
  }

  #rewrite(text: string, begin: number): string {
    let result = ''
    let from = begin
    for (const match of text.matchAll(place)) {
      if (match.index < from) continue
      const path = this.#pathBefore(text, match.index, from)
      if (path === null) continue
      const [line = wholeFileSpan(match), column] = numbersOf(match)
      const at = { file: path.file, line: line.value, column: column?.value ?? null }
      const there = this.#find(at)
      if (there === null) continue
      result += text.slice(from, path.start) + this.#spell(path, there.file)
      const endLine = { ...at, line: Number(match[8] ?? 0), column: null }
      const numbers = [
        { ...line, value: there.line },
        ...(match[8] === undefined
          ? []
          : [{ ...span(match, 8), value: this.#find(endLine)?.line ?? there.line }]),
        ...(column === undefined ? [] : [{ ...column, value: there.column ?? column.value }]),
      ]
      from = match.index
      for (const { start, end, value } of numbers) {
        result += text.slice(from, start) + (start === end ? `:${value}` : value)
        from = end
      }
      result += text.slice(from, match.index + match[0].length)
      from = match.index + match[0].length
    }
    return result + text.slice(from)
  }

  #pathBefore(text: string, end: number, from: number): FoundPath | null {
    if (/[\s"'`(<[{|,;=:]/.test(text[end - 1] ?? ' ')) return null
    let nearest = end
    for (const start of pathStarts(text, end)) {
      if (nearest < end && !/[./\\]/.test(text.slice(nearest, end))) return null
      if (nearest === end) nearest = start
      const path = readPath(text, start, end)
      if (path !== null && path.start < from) return null
      const file = path === null ? null : this.#absolute(path.spelled)
      if (path !== null && file !== null && this.#isFile(file)) return { ...path, file }
    }
    return null
  }

  #spell({ spelled, colours }: FoundPath, file: string): string {
    const local = relative(this.#cwd, file)
    let path = local
    if (spelled.startsWith('file:')) path = pathToFileURL(file).href
    else if (isAbsolute(spelled)) path = file
    else if (/^\.[/\\]/.test(spelled)) path = `.${sep}${local}`
    return Buffer.from(path).toString('latin1') + colours
  }

  #absolute(spelled: string): string | null {
    if (!spelled.startsWith('file:')) return resolve(this.#cwd, spelled)
    try {
      return fileURLToPath(spelled)
    } catch {
      return null
    }
  }

  #isFile(path: string): boolean {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    this.#files.set(path, isFile)
    return isFile
  }

  #heldFrom(text: string): number {
    const window = Math.max(0, text.length - pathLengthMax)
    const suffix = window + begun.exec(text.slice(window))!.index
    let held = text.length
    const last = text.length - (/\x1b(?:\[[0-9;:]*)?$/.exec(text)?.[0].length ?? 0)
    for (const end of new Set([suffix, last])) {
      const isWhole = end < last
      for (const start of pathStarts(text, end)) {
        const path = readPath(text, start, end)
        if (path === null) continue
        const { spelled } = path
        const file = this.#absolute(spelled)
        const isOne = isWhole ? file !== null && this.#isFile(file) : this.#isBeginning(spelled)
        if (isOne) held = Math.min(held, path.start)
      }
    }
    return held
  }

  #isBeginning(spelled: string): boolean {
    if ('file:///'.startsWith(spelled)) return true
    const path = this.#absolute(spelled.replace(/(?:%[\dA-Fa-f]{0,2}|\ufffd)+$/, ''))
    if (path === null) return false
    try {
      const name = basename(path)
      return readdirSync(dirname(path)).some((entry) => entry.startsWith(name))
    } catch {
      return false
    }
  }
}

interface FoundPath {
  /** Where it begins, behind colours. */
  start: number
  spelled: string
  /** Escape sequences from its inside. */
  colours: string
  file: string
}

function readPath(text: string, start: number, end: number): Omit<FoundPath, 'file'> | null {
  const raw = text.slice(start, end)
  const lead = /^(?:\x1b\[[0-9;:]*m)*/.exec(raw)![0].length
  const inside = raw.slice(lead)
  const colours = inside.match(/\x1b\[[0-9;:]*m/g)?.join('') ?? ''
  const bytes = inside.replaceAll(/\x1b\[[0-9;:]*m/g, '')
  if (!/[^\d\s]/.test(bytes) || bytes.includes('\0')) return null
  return { start: start + lead, spelled: Buffer.from(bytes, 'latin1').toString(), colours }
}

interface NumberSpan {
  start: number
  end: number
  value: number
}

function numbersOf(match: RegExpMatchArray): NumberSpan[] {
  const [line] = [1, 3, 5, 7].filter((group) => match[group] !== undefined)
  if (line === undefined) return []
  const column = line === 7 ? 9 : line + 1
  return [line, column].filter((group) => match[group] !== undefined).map((g) => span(match, g))
}

function wholeFileSpan({ index }: RegExpMatchArray): NumberSpan {
  return { start: index!, end: index!, value: 1 }
}

function span(match: RegExpMatchArray, group: number): NumberSpan {
  const [start, end] = match.indices![group]!
  return { start, end, value: Number(match[group]) }
}
