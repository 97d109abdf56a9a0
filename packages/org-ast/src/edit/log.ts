import { formatTimestamp } from '../objects/timestamp.ts'
import { parse } from '../parse/parse.ts'
import { indentTo, stringWidth } from '../text/columns.ts'
import { skipBlanks } from '../text/lines.ts'
import type { Drawer, Headline, OrgContent, OrgData, PlainList } from '../tree/nodes.ts'
import { walk } from '../tree/query.ts'
import { type Draft, endOfLine, entryParts } from './edit.ts'
import { type EditSettings, inheritedProperty } from './settings.ts'

/** What a log entry is about. */
export type LogPurpose =
  | 'done'
  | 'state'
  | 'reschedule'
  | 'delschedule'
  | 'redeadline'
  | 'deldeadline'

/** The lines of an entry, without its bullet. `state` and `before` are keywords or timestamps. */
export function logEntry(
  purpose: LogPurpose,
  now: Date,
  { state, before, note = '' }: { state?: string | null; before?: string | null; note?: string },
): string[] {
  const time = formatTimestamp(now, { active: false, time: true })
  const old = quoted(before)
  const headings: Record<LogPurpose, string> = {
    done: `CLOSING NOTE ${time}`,
    state: `State ${quoted(state).padEnd(12)} from ${old.padEnd(12)} ${time}`,
    reschedule: `Rescheduled from ${old} on ${time}`,
    delschedule: `Not scheduled, was ${old} on ${time}`,
    redeadline: `New deadline from ${old} on ${time}`,
    deldeadline: `Removed deadline, was ${old} on ${time}`,
  }
  const lines = note.trimEnd() === '' ? [] : note.trimEnd().split(/\r\n|\r|\n/)
  return [headings[purpose] + (lines.length > 0 ? ' \\\\' : ''), ...lines]
}

function quoted(word: string | null | undefined): string {
  if (word === null || word === undefined) return ''
  return /^<\d{4}-\d\d-\d\d/.test(word) ? `"[${word.slice(1, -1)}]"` : `"${word}"`
}

/** How the entries of a headline are kept. */
export interface LogPlace {
  /** The drawer's name, or null for an open list. */
  drawer: string | null
  newestFirst: boolean
}

/** Where the entries of a headline go, by its properties and the file's settings. */
export function logPlace(tree: OrgData, headline: Headline, settings: EditSettings): LogPlace {
  const { value } = inheritedProperty(tree, headline, 'LOG_INTO_DRAWER', settings)
  const { drawer, newestFirst } = settings.log
  if (value === null) return { drawer: drawer ? 'LOGBOOK' : null, newestFirst }
  if (value === 'nil' || value === '') return { drawer: null, newestFirst }
  return { drawer: value === 't' ? 'LOGBOOK' : value, newestFirst }
}

/** Writes the lines of an entry into the draft of a headline. */
export function writeLog(draft: Draft, place: LogPlace, lines: readonly string[]): void {
  const { at, column } = place.drawer === null ? openPlace(draft, place) : inDrawer(draft, place)
  const { text } = draft
  const inside = indentTo('', column + 2, true)
  const rest = lines.slice(1).map((line) => (line === '' ? '' : inside + line))
  const entry = [`${indentTo('', column, true)}- ${lines[0]}`, ...rest].join('\n')
  const end = endOfLine(text, at)
  if (at > 0 && text[at - 1] !== '\n') draft.replace(at, at, `\n${entry}`)
  else if (at === text.length || skipBlanks(text, at) < end) draft.replace(at, at, `${entry}\n`)
  else draft.replace(at, end, entry)
}

interface Place {
  at: number
  column: number
}

function openPlace(draft: Draft, { newestFirst }: LogPlace): Place {
  const { text } = draft
  const { at: begin, column } = afterMeta(text)
  const blank = /[ \t\n]*/y
  blank.lastIndex = begin
  blank.exec(text)
  const first = Math.max(begin, text.lastIndexOf('\n', blank.lastIndex - 1) + 1)
  if (newestFirst) return { at: first, column }
  const notes = stateNotes(text, first)
  if (notes === null) return { at: begin, column }
  const end = text.slice(0, notes.end).trimEnd().length
  return { at: Math.min(endOfLine(text, end) + 1, text.length), column: notes.column }
}

function afterMeta(text: string): Place {
  const { lineEnd, planning, drawer } = entryParts(text)
  const above = drawer ?? planning
  const end = above?.end ?? lineEnd
  const column = above === null ? 0 : indentAt(text, above.begin)
  return { at: Math.min(end + 1, text.length), column }
}

function indentAt(text: string, begin: number): number {
  return stringWidth(text.slice(begin, skipBlanks(text, begin)))
}

const statePattern =
  /[ \t]*- +State +(?:"[^\s"]+")? +from +(?:"[^\s"]+")? +\[\d{4}-\d\d-\d\d(?: [^\]\n]*)?\]/y

function stateNotes(text: string, begin: number): { end: number; column: number } | null {
  const list = elementFrom(parse(text), begin)
  if (list?.type !== 'plain-list') return null
  let end: number | null = null
  for (const item of list.children) {
    statePattern.lastIndex = item.position.start.offset
    if (!statePattern.test(text)) break
    end = item.position.end.offset
  }
  return end === null ? null : { end, column: listColumn(text, list) }
}

function listColumn(text: string, list: PlainList): number {
  return indentAt(text, text.lastIndexOf('\n', list.children[0]!.position.start.offset - 1) + 1)
}

function elementFrom(tree: OrgData, begin: number): OrgContent | undefined {
  const headline = tree.children.find(({ type }) => type === 'headline')
  const section = headline?.type === 'headline' ? headline.children[0] : undefined
  if (section?.type !== 'section') return undefined
  return section.children.find(({ position }) => position.start.offset === begin)
}

function inDrawer(draft: Draft, { drawer, newestFirst }: LogPlace): Place {
  const begin = findDrawer(draft.text, drawer!) ?? makeDrawer(draft, drawer!)
  const { text } = draft
  const first = endOfLine(text, begin.offset) + 1
  const column = indentAt(text, begin.offset)
  if (newestFirst || begin.node?.contentsEnd == null) return { at: first, column }
  const at = begin.node.contentsEnd
  const lastChild = begin.node.children.at(-1)
  if (lastChild?.type === 'plain-list' && lastChild.postBlank < 2) {
    return { at, column: listColumn(text, lastChild) }
  }
  const end = text.slice(0, at).trimEnd().length
  return { at, column: indentAt(text, text.lastIndexOf('\n', end - 1) + 1) }
}

interface FoundDrawer {
  /** Start of its first line. */
  offset: number
  node: Drawer | null
}

function findDrawer(text: string, name: string): FoundDrawer | null {
  const wanted = name.toUpperCase()
  const from = afterMeta(text).at
  let found: FoundDrawer | null = null
  walk(parse(text), (node) => {
    if (found !== null) return false
    if (node.type !== 'drawer' || node.drawerName.toUpperCase() !== wanted) return true
    const offset = text.lastIndexOf('\n', node.postAffiliated - 1) + 1
    if (offset >= from) found = { offset, node }
    return false
  })
  return found
}

function makeDrawer(draft: Draft, name: string): FoundDrawer {
  const { at, column } = afterMeta(draft.text)
  const blanks = indentTo('', column, true)
  const drawer = `${blanks}:${name}:\n${blanks}:END:`
  const fresh = draft.text[at - 1] === '\n'
  draft.replace(at, at, fresh ? `${drawer}\n` : `\n${drawer}`)
  return { offset: fresh ? at : at + 1, node: null }
}
