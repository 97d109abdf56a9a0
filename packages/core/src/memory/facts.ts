import { type Link, type OrgData, parse, type Timestamp, walk } from 'org-ast'
import { type DayNumber, dayNumber } from '../base/day.ts'
import type { Provenance } from '../contract/signal.ts'
import { linkKey } from './link-keys.ts'
import type { MemoryObject } from './memory-object.ts'

type DateKind = 'scheduled' | 'deadline' | 'closed' | 'event' | 'block' | 'inactive'

/** One timestamp of a note; `last` is another day than `first` for a range. */
export interface NoteDate {
  kind: DateKind
  first: DayNumber
  last: DayNumber
  /** As it is written, brackets included. */
  raw: string
}

/** What an index knows of a note. Never changed. */
export interface NoteFacts {
  readonly id: string
  readonly type: MemoryObject['type']
  readonly file: string
  readonly line: number
  readonly level: number
  readonly parent: string | null
  readonly title: string
  readonly todo: string | null
  readonly done: boolean
  readonly priority: string | null
  readonly tags: readonly string[]
  readonly ownTags: readonly string[]
  /** Names in upper case. */
  readonly attributes: Readonly<Record<string, string>>
  readonly private: boolean
  readonly commented: boolean
  /** Who wrote it last, and whether a part of it came from the web or a message. */
  readonly by: Provenance
  readonly outside: boolean
  /** In the order of the text. */
  readonly dates: readonly NoteDate[]
  /** How many diary expressions it has, which stand for days that only Emacs can tell. */
  readonly diary: number
  /** Keys of what it links to, and of what it is linked to by; see the links' own page. */
  readonly links: readonly NoteLink[]
  readonly targets: readonly string[]
}

/** A link to somewhere in the memex: the key of its target, and how it is written. */
interface NoteLink {
  key: string
  raw: string
}

const known = new WeakMap<MemoryObject, NoteFacts>()

/** The facts of a note. */
export function factsOf(object: MemoryObject): NoteFacts {
  let facts = known.get(object)
  if (facts === undefined) {
    facts = readFacts(object)
    known.set(object, facts)
  }
  return facts
}

/** What may be a link, a date, a target or a name. */
const worthParsing = /\[\[|[<[]\d{4}-\d\d-\d\d|<%%|<<|[a-z+]:[^\s:]|#\+name:|^%%\(/im

function readFacts(object: MemoryObject): NoteFacts {
  const { id, type, file, line, level, parent, title, todo, done, priority, tags } = object
  const text = object.head + object.content
  const found: Found = { dates: [], diary: 0, links: [], targets: [] }
  planningDates(object, found.dates)
  if (worthParsing.test(text)) readText(object, text, found)
  const own = /[ \t]:([\p{L}\p{N}_@#%:]+):[ \t]*$/u.exec(object.head.trimEnd())?.[1]
  return {
    id,
    type,
    file,
    line,
    level,
    parent,
    title,
    todo,
    done,
    priority,
    tags,
    ownTags: type === 'file' ? tags : (own?.split(':') ?? []),
    attributes:
      type === 'file' ? { ...object.attributes, ...keywordProperties(text) } : object.attributes,
    private: object.private,
    commented: object.commented === true,
    by: object.authorship.by,
    outside: object.authorship.outside,
    ...found,
  }
}

interface Found {
  dates: NoteDate[]
  diary: number
  links: NoteLink[]
  targets: string[]
}

function keywordProperties(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, word = '', value = ''] of text.matchAll(/^#\+property:[ \t]+(\S+)[ \t]+(.*)$/gim)) {
    const name = word.toUpperCase()
    const plain = name.replace(/\+$/, '')
    const before = name.endsWith('+') ? found[plain] : undefined
    found[plain] = before === undefined ? value.trim() : `${before} ${value.trim()}`
  }
  return found
}

function planningDates(object: MemoryObject, dates: NoteDate[]): void {
  for (const kind of ['scheduled', 'deadline', 'closed'] as const) {
    const raw = object[kind]
    const first = dayNumber(raw?.slice(1) ?? '')
    if (raw !== null && !Number.isNaN(first)) dates.push({ kind, first, last: first, raw })
  }
}

type Placed = [at: number, date: NoteDate]

function readText(object: MemoryObject, text: string, found: Found): void {
  const tree = parse(text)
  const ranges = rangesIn(text, tree)
  const events: Placed[] = ranges.map(([at, , date]) => [at, date])
  const isInRange = (at: number) => ranges.some(([begin, end]) => begin <= at && at < end)
  const add = (at: number, kind: DateKind, raw: string) => {
    const first = dayNumber(raw.slice(1))
    if (Number.isNaN(first) || isInRange(at)) return
    events.push([at, { kind, first, last: lastDay(raw, first), raw }])
  }
  walk(tree, (node) => {
    if (node.type === 'timestamp') addTimestamp(node, add, found)
    else if (node.type === 'link') addLink(node, object.file, found)
    else if (node.type === 'target') found.targets.push(node.value)
    else if (node.type === 'diary-sexp') found.diary++
    else if (node.type === 'node-property') {
      const stamps = node.value.matchAll(/<\d{4}-\d\d-\d\d[^>\n]*>/g)
      const at = text.indexOf(node.value, node.startOffset)
      for (const { 0: raw, index } of stamps) add(at + index, 'event', raw)
    }
  })
  for (const [, name = ''] of text.matchAll(/^[ \t]*#\+name:[ \t]*(.*?)[ \t]*$/gim)) {
    found.targets.push(name)
  }
  events.sort(([one], [other]) => one - other)
  found.dates.push(...events.map(([, date]) => date))
}

function addTimestamp(
  { timestampType, rawValue, startOffset }: Timestamp,
  add: (at: number, kind: DateKind, raw: string) => void,
  found: Found,
): void {
  if (timestampType === 'diary') found.diary++
  else add(startOffset, timestampType.startsWith('active') ? 'event' : 'inactive', rawValue)
}

/** The second day of an inactive range, or the first. */
function lastDay(raw: string, first: DayNumber): DayNumber {
  const second = /--?-?\[(\d{4}-\d\d-\d\d)/.exec(raw)?.[1]
  return second === undefined ? first : Math.max(first, dayNumber(second))
}

const rangePattern = /<(\d{4}-\d\d-\d\d)[^>\n]*>--?-?<(\d{4}-\d\d-\d\d)[^>\n]*>/g

function rangesIn(text: string, tree: OrgData): [begin: number, end: number, date: NoteDate][] {
  const found: [number, number, NoteDate][] = []
  let code: [number, number][] | null = null
  for (const { 0: raw, 1: from = '', 2: to = '', index } of text.matchAll(rangePattern)) {
    code ??= sourceCode(tree)
    const lineStart = text.lastIndexOf('\n', index) + 1
    if (/^[ \t]*#(?: |$)/.test(text.slice(lineStart, index))) continue
    if (code.some(([begin, end]) => begin <= index && index < end)) continue
    const date = { kind: 'block' as const, first: dayNumber(from), last: dayNumber(to), raw }
    found.push([index, index + raw.length, date])
  }
  return found
}

function sourceCode(tree: OrgData): [number, number][] {
  const found: [number, number][] = []
  walk(tree, (node) => {
    if (node.type === 'src-block') found.push([node.startOffset, node.endOffset])
  })
  return found
}

function addLink(link: Link, file: string, found: Found): void {
  const key = linkKey(link, file)
  if (key !== null) found.links.push({ key, raw: link.rawLink })
}
