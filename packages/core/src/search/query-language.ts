import { type DayNumber, dayNumber, dayText } from '../base/day.ts'
import type { Query } from './query.ts'

/** A query that cannot be read; `at` is the UTF-16 offset where. */
export class QueryError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.name = 'QueryError'
    this.at = at
  }
}

/** The error in three lines: the input, a mark under the place, and what is wrong. */
export function pointedError(input: string, { message, at }: QueryError): string {
  return `${input}\n${' '.repeat(at)}^\n${message}`
}

interface Token {
  kind: 'open' | 'close' | 'not' | 'or' | 'term'
  text: string
  at: number
}

const tokenPattern = /[()]|[-!](?=\S)|\|+|(?:"[^"]*(?:"|$)|[^\s()"|])+/g

function tokensOf(input: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: text, index: at } of input.matchAll(tokenPattern)) {
    const kind = kindOf(text)
    if (kind !== null) tokens.push({ kind, text, at })
  }
  return tokens
}

function kindOf(text: string): Token['kind'] | null {
  if (text === '(') return 'open'
  if (text === ')') return 'close'
  if (/^(?:or|\|+)$/i.test(text)) return 'or'
  if (/^(?:not|-|!)$/i.test(text)) return 'not'
  return /^and$/i.test(text) ? null : 'term'
}

/** Whether nothing of the language is in it. */
export function isPlainWords(input: string): boolean {
  return input.trim() !== '' && !/[:"*()|]|(?:^|\s)(?:[-!]\S|(?:or|not)\s)/i.test(input)
}

/** Reads a query. Throws a QueryError. */
export function parseQuery(input: string, today: DayNumber): Query {
  const reader = new Reader(input, today)
  const query = reader.alternatives(0)
  const left = reader.next()
  if (left !== null) throw new QueryError('This parenthesis was never opened', left.at)
  return query
}

const depthMax = 50

class Reader {
  readonly #tokens: Token[]
  readonly #end: number
  readonly #today: DayNumber
  #at = 0

  constructor(input: string, today: DayNumber) {
    this.#tokens = tokensOf(input)
    this.#end = input.length
    this.#today = today
  }

  next(): Token | null {
    return this.#tokens[this.#at] ?? null
  }

  alternatives(depth: number): Query {
    const parts = [this.#together(depth)]
    while (this.next()?.kind === 'or') {
      this.#at++
      parts.push(this.#together(depth))
    }
    return parts.length === 1 ? parts[0]! : { kind: 'any', of: parts }
  }

  #together(depth: number): Query {
    const parts: Query[] = []
    for (let token = this.next(); token !== null; token = this.next()) {
      if (token.kind === 'or' || token.kind === 'close') break
      parts.push(this.#single(token, depth))
    }
    if (parts.length === 0) {
      throw new QueryError('Something to look for is missing here', this.next()?.at ?? this.#end)
    }
    return parts.length === 1 ? parts[0]! : { kind: 'all', of: parts }
  }

  #single(token: Token, depth: number): Query {
    this.#at++
    if (depth > depthMax) throw new QueryError('This is nested too deeply', token.at)
    if (token.kind === 'term') return termQuery(token, this.#today)
    if (token.kind === 'not') {
      const next = this.next()
      if (next === null || next.kind === 'or' || next.kind === 'close') {
        throw new QueryError('What is it that must not be?', next?.at ?? this.#end)
      }
      return { kind: 'not', of: this.#single(next, depth + 1) }
    }
    const inside = this.alternatives(depth + 1)
    if (this.next()?.kind !== 'close') {
      throw new QueryError('This parenthesis is never closed', token.at)
    }
    this.#at++
    return inside
  }
}

function termQuery({ text, at }: Token, today: DayNumber): Query {
  const match = /^([a-z][a-z-]*):(?!\/\/)(.*)$/is.exec(text)
  if (match === null) return { kind: 'text', text }
  const key = match[1]!.toLowerCase()
  const written = match[2]!
  const value = written.replaceAll('"', '')
  const valueAt = at + key.length + 1
  const fields = ['title', 'tags', 'properties', 'path', 'body'] as const
  const field = fields.find((name) => name === key)
  if (value === '' && !dateKeys.includes(key)) {
    throw new QueryError(`What comes after ${key}: is missing`, valueAt)
  }
  if (field !== undefined) return { kind: 'text', text: written, field }
  if (dateKeys.includes(key)) return dateQuery(key, value, valueAt, today)
  return keyedQuery(key, value, { at, valueAt })
}

function keyedQuery(
  key: string,
  value: string,
  { at, valueAt }: { at: number; valueAt: number },
): Query {
  switch (key) {
    case 'tag':
      return { kind: 'tag', tag: value }
    case 'own-tag':
      return { kind: 'tag', tag: value, inherit: false }
    case 'todo':
      return { kind: 'todo', todo: value }
    case 'priority':
      return { kind: 'priority', priority: value.toUpperCase() }
    case 'file':
      return { kind: 'file', file: value }
    case 'id':
    case 'links-to':
    case 'linked-from':
      return { kind: key, id: value }
    case 'under':
      return { kind: 'under', path: value.split('/') }
    case 'type':
      return { kind: 'type', type: oneOf(['file', 'headline'], value, valueAt) }
    case 'by':
      return { kind: 'by', by: oneOf(writers, value, valueAt) }
    case 'is':
      return { kind: 'is', is: oneOf(states, value, valueAt) }
    case 'prop':
    case 'inherited': {
      const [, name = value, given] = /^([^=]*)=(.*)$/s.exec(value) ?? []
      const rest = given === undefined ? {} : { value: given }
      return { kind: 'property', name, ...rest, ...(key === 'prop' ? {} : { inherit: true }) }
    }
    default:
      throw new QueryError(
        `Nothing is called ${key}: here; put the whole into quotation marks to find it as text`,
        at,
      )
  }
}

const states = [
  ...(['orphan', 'broken', 'private', 'commented'] as const),
  ...(['dated', 'linking', 'diary', 'outside'] as const),
] as const
const writers = ['owner', 'agent', 'tool', 'web', 'message'] as const

function oneOf<T extends string>(known: readonly T[], value: string, at: number): T {
  const found = known.find((name) => name === value)
  if (found !== undefined) return found
  throw new QueryError(`${value} is none of ${known.join(', ')}`, at)
}

const dateKeys = ['scheduled', 'deadline', 'closed', 'event', 'inactive', 'date']

function dateQuery(key: string, value: string, at: number, today: DayNumber): Query {
  const dates = key === 'date' ? 'active' : (key as 'scheduled')
  const [, start = value, end] = /^(.*?)\.\.(.*)$/.exec(value) ?? []
  const first = start === '' ? null : spanOf(start, at, today)
  const last =
    end === undefined ? first : end === '' ? null : spanOf(end, at + start.length + 2, today)
  return {
    kind: 'date',
    dates,
    ...(first === null ? {} : { from: first[0] }),
    ...(last === null ? {} : { to: last[1] }),
  }
}

function spanOf(text: string, at: number, today: DayNumber): [from: string, to: string] {
  const word = text.toLowerCase()
  const near: Record<string, [number, number]> = {
    today: [0, 0],
    tomorrow: [1, 1],
    yesterday: [-1, -1],
    week: [0, 6],
  }
  const offset = near[word]
  if (offset !== undefined) return [dayText(today + offset[0]), dayText(today + offset[1])]
  const days = /^([+-]\d{1,5})d$/.exec(word)?.[1]
  if (days !== undefined) {
    const sorted = [today, today + Number(days)].sort((one, other) => one - other)
    return [dayText(sorted[0]!), dayText(sorted[1]!)]
  }
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(word) ?? []
  const from = `${year}-${month ?? '01'}-${day ?? '01'}`
  if (year === undefined || dayText(dayNumber(from)) !== from) {
    throw new QueryError(`${text} is no day; write 2026-11-21, 2026-11, today, week or +7d`, at)
  }
  if (day !== undefined) return [from, from]
  const next =
    month === undefined ? `${Number(year) + 1}-01-01` : nextMonth(Number(year), Number(month))
  return [from, dayText(dayNumber(next) - 1)]
}

function nextMonth(year: number, month: number): string {
  const [y, m] = month === 12 ? [year + 1, 1] : [year, month + 1]
  return `${y}-${String(m).padStart(2, '0')}-01`
}
