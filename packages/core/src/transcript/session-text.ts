import {
  type ExampleBlock,
  headlines,
  type OrgNode,
  parse,
  properties,
  type SrcBlock,
} from 'org-ast'
import { inertCode } from 'org-ast/edit'
import { type Entry, type EntryOf, entrySchema } from './transcript.ts'

const guard = '\u200b'
const changed =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/u
const changedOrSlash = new RegExp(`\\\\|${changed.source}`, 'gu')

function escaped(text: string): string {
  return text.replace(changedOrSlash, (one) =>
    one === '\\' ? '\\\\' : `\\u{${one.codePointAt(0)!.toString(16)}}`,
  )
}

function unescaped(text: string): string {
  return text.replace(/\\(?:\\|u\{([0-9a-f]{1,6})\})/g, (all, hex: string | undefined) => {
    if (hex === undefined) return '\\'
    const point = Number.parseInt(hex, 16)
    return point > 0x10_ff_ff ? all : String.fromCodePoint(point)
  })
}

const unit = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`

function jsonText(value: unknown): string {
  const changedUnits = new RegExp(changed.source, 'gu')
  return JSON.stringify(value).replace(changedUnits, (found) => found.split('').map(unit).join(''))
}

/** A name that stands in a drawer as it is. */
export const plainField: RegExp = /^\w[\w./@-]*$/

/** A value as one line that says nothing to Org. */
export function writtenField(value: string): string {
  if (plainField.test(value)) return value
  return `"${value.replace(/[^\w /.,@-]/g, unit)}"`
}

/** The value of such a line. Throws a SyntaxError for one that is torn. */
export function readField(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value
}

/** An entry as Org, a headline of level one. */
export function entryText(entry: Entry): string {
  const { kind, turn, at } = entry
  const text = 'text' in entry ? entry.text : null
  const isEscaped = text !== null && changed.test(text)
  const calls = entry.kind === 'answer' ? entry.calls : []
  const fields: [string, string | undefined][] = [
    ['KIND', kind],
    ['TURN', writtenField(turn)],
    ['AT', String(at)],
    ...ownFields(entry),
    ['WORDS', text === '' ? 'none' : isEscaped ? 'escaped' : undefined],
    ['CALLS', calls.length === 0 ? undefined : String(calls.length)],
  ]
  const lines = [`* ${heading(entry)}`, ':PROPERTIES:']
  for (const [name, value] of fields) if (value !== undefined) lines.push(`:${name}: ${value}`)
  lines.push(':END:')
  if (text !== null && text !== '') {
    const words = inertCode(isEscaped ? escaped(text) : text)
    lines.push('#+begin_example', words, '#+end_example')
  }
  if (calls.length > 0) {
    const made = `[\n${calls.map(jsonText).join(',\n')}\n]`
    lines.push('#+begin_src json :tangle no :eval never', inertCode(made), '#+end_src')
  }
  return `${lines.join('\n')}\n`
}

/** The fields that only some kinds have. */
function ownFields(entry: Entry): [string, string | undefined][] {
  switch (entry.kind) {
    case 'words':
      return [['ORIGIN', entry.origin]]
    case 'answer':
      return [
        ['PROVIDER', entry.provider === null ? undefined : writtenField(entry.provider)],
        ['ENDING', entry.ending],
      ]
    case 'result':
      return [
        ['CALL', writtenField(entry.call)],
        ['TOOL', writtenField(entry.tool)],
        ['STATE', entry.state],
        ['ORIGIN', entry.origin],
      ]
    case 'summary':
      return [['BEFORE', String(entry.before)]]
    case 'end':
      return [['OUTCOME', entry.outcome]]
    default:
      return []
  }
}

function heading(entry: Entry): string {
  const who = ownFields(entry).flatMap(([name, value]) =>
    ['ORIGIN', 'PROVIDER', 'TOOL', 'OUTCOME'].includes(name) ? (value ?? []) : [],
  )
  return [clockTime(entry.at), entry.kind, ...who.filter((one) => plainField.test(one))].join(' ')
}

function clockTime(at: number): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return '--:--:--'
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/** What the document of a session holds. */
interface SessionText {
  entries: Entry[]
  /** How many headlines were meant to be entries and are none. */
  damaged: number
}

/** The entries of a document, in its order. Never throws. */
export function readSession(text: string): SessionText {
  const entries: Entry[] = []
  let damaged = 0
  for (const headline of headlines(parse(text))) {
    if (headline.level !== 1) continue
    const fields = Object.fromEntries(properties(headline).map(({ key, value }) => [key, value]))
    if (fields.KIND === undefined) continue
    const section = headline.children[0]
    const entry = readEntry(fields, section?.type === 'section' ? section.children : [])
    if (entry === null) damaged++
    else entries.push(entry)
  }
  return { entries, damaged }
}

function readEntry(fields: Record<string, string>, blocks: readonly OrgNode[]): Entry | null {
  try {
    const { KIND: kind, TURN: turn = '', AT: at, ...rest } = fields
    const found = { kind, turn: readField(turn), at: Number(at ?? 'none') }
    const read = entrySchema.safeParse({ ...found, ...ownOf(kind, rest), ...wordsOf(rest, blocks) })
    return read.success ? read.data : null
  } catch {
    return null
  }
}

function ownOf(kind: string | undefined, fields: Record<string, string>): object {
  const { PROVIDER, ENDING, CALL, TOOL, STATE, ORIGIN, BEFORE, OUTCOME } = fields
  const provider = PROVIDER === undefined ? null : readField(PROVIDER)
  switch (kind) {
    case 'answer':
      return ENDING === undefined ? { provider } : { provider, ending: ENDING }
    case 'result':
      return { call: readField(CALL!), tool: readField(TOOL!), state: STATE, origin: ORIGIN }
    case 'summary':
      return { before: Number(BEFORE) }
    default:
      return { origin: ORIGIN, outcome: OUTCOME }
  }
}

function wordsOf(
  { WORDS: words, CALLS: count }: Record<string, string>,
  blocks: readonly OrgNode[],
): { text?: string; calls: EntryOf<'answer'>['calls'] } {
  const said = blocks.find((node) => node.type === 'example-block')
  const made = blocks.find((node) => node.type === 'src-block')
  const calls = count === undefined ? [] : JSON.parse(bodyOf(made))
  if (count !== undefined && calls.length !== Number(count))
    throw new RangeError('calls are missing')
  if (words === 'none') return { text: '', calls }
  if (said === undefined) return { calls }
  const text = bodyOf(said)
  return { text: words === 'escaped' ? unescaped(text) : text, calls }
}

function bodyOf(block: OrgNode | undefined): string {
  if (block?.type !== 'example-block' && block?.type !== 'src-block') return ''
  const { value } = block as ExampleBlock | SrcBlock
  return value.replace(/\n$/, '').replaceAll(guard, '')
}
