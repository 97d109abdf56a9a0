import { formatTimestamp } from '../objects/timestamp.ts'
import { parse } from '../parse/parse.ts'
import type { ReadFile } from '../parse/settings.ts'
import { skipBlanks } from '../text/lines.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { planning, properties, walk } from '../tree/query.ts'
import { type Draft, endOfLine, entryDraft, type Patch } from './edit.ts'
import { type LogPlace, logEntry, logPlace, writeLog } from './log.ts'
import { addPlanning, cutKeyword, dateOf, removePlanning } from './planning.ts'
import { propertyIn, putProperty } from './property.ts'
import { cancelRepeaters, nextOccurrence, repeatsEvery } from './repeat.ts'
import {
  type EditSettings,
  editSettings,
  inheritedProperty,
  keywordIn,
  type LogKind,
  logState,
  priorityAsText,
  startup,
  type TodoSequence,
} from './settings.ts'
import { type ParentLines, updateParents } from './statistics.ts'
import { alignTags } from './tags.ts'

/** What setting a keyword needs to know besides the keyword. */
export interface TodoRequest {
  /** The time for `CLOSED` and for log entries. */
  now: Date
  /** The same as `startup: 'logdone'`. */
  log?: boolean
  /** Words of `#+STARTUP:` that count before the file's own. */
  startup?: string
  /** The text of the note, where the file wants one. */
  note?: string
  /** True asks for a note whatever the file wants; false writes the time where it wants a note. */
  logNote?: boolean
  /** Ends the repetition first, so that the task can be done for good. */
  cancelRepeaters?: boolean
  /** Gives the text of a file named in `#+SETUPFILE:`, or null. */
  readFile?: ReadFile
}

/** Patches that give the headline this keyword, or none for null. Throws a RangeError for no keyword. */
export function setTodo(
  text: string,
  tree: OrgData,
  headline: Headline,
  keyword: string | null,
  request: TodoRequest,
): Patch[] {
  const task = taskOf(text, tree, headline, request)
  const known = task.settings.sequences.flatMap(({ keywords }) => keywords)
  if (keyword !== null && !known.includes(keyword)) {
    throw new RangeError(`${keyword} is no TODO keyword of this file; it has ${known.join(', ')}`)
  }
  return become(task, () => keyword)
}

/** A keyword relative to the present one; a number counts the keywords of the file from 1. */
export type TodoStep =
  | 'next'
  | 'right'
  | 'left'
  | 'nextset'
  | 'previousset'
  | 'done'
  | 'none'
  | number

/** Patches that take one step through the keywords. Throws a RangeError for a number below 1. */
export function cycleTodo(
  text: string,
  tree: OrgData,
  headline: Headline,
  step: TodoStep,
  request: TodoRequest,
): Patch[] {
  if (typeof step === 'number' && !(step >= 1)) throw new RangeError(`There is no keyword ${step}`)
  const task = taskOf(text, tree, headline, request)
  const unlogged = step === 'nextset' || step === 'previousset'
  return become(task, (present) => stepFrom(task.settings, present, step), unlogged)
}

function stepFrom(
  { sequences, done }: EditSettings,
  present: string | null,
  step: TodoStep,
): string | null {
  const all = sequences.flatMap(({ keywords }) => keywords)
  if (typeof step === 'number') return all[step - 1] ?? null
  if (step === 'none') return null
  const heads = [...new Set(sequences.map(({ keywords }) => keywords[0]!))]
  const at = present === null ? -1 : all.indexOf(present)
  const own = sequenceOf(sequences, present)
  if (step === 'right') return all[at + 1] ?? null
  if (step === 'left') return at === -1 ? all.at(-1)! : (all[at - 1] ?? null)
  const finish = own?.done[0] ?? done[0] ?? null
  if (step === 'done') return finish
  if (step !== 'next') {
    if (step === 'previousset') heads.reverse()
    return heads[own === undefined ? 0 : (heads.indexOf(own.keywords[0]!) + 1) % heads.length]!
  }
  if (own === undefined) return all[0]!
  if (present === own.done.at(-1) || at === all.length - 1) return null
  return own.kind === 'type' ? finish : all[at + 1]!
}

function sequenceOf(
  sequences: readonly TodoSequence[],
  keyword: string | null,
): TodoSequence | undefined {
  return sequences.find(({ keywords }) => keyword !== null && keywords.includes(keyword))
}

/** What one change of state logs. */
interface Rules {
  done: LogKind
  repeat: LogKind
  states: EditSettings['states']
}

function loggingRules(settings: EditSettings, value: string | null): Rules | null {
  if (value === null) return null
  const all = settings.sequences.flatMap(({ keywords }) => keywords)
  const rules: Rules = { done: null, repeat: null, states: new Map() }
  for (const word of value.split(/[ \t]+/)) {
    const [keyword, marks] = logState(word) ?? [word, null]
    if (marks !== null && all.includes(keyword)) rules.states.set(keyword, marks)
    if (/^(?:no)?log(?:note)?done$/.test(word)) rules.done = startup(word).done
    if (/^(?:no)?log(?:note)?repeat$/.test(word)) rules.repeat = startup(word).repeat
  }
  return rules
}

interface Pending {
  purpose: 'state' | 'done'
  state: string | null
  before: string | null
  how: LogKind
}

interface Task {
  settings: EditSettings
  request: TodoRequest
  draft: Draft
  parents: ParentLines
  place: LogPlace
  /** What the property LOGGING says, or null. */
  own: Rules | null
  pending: Pending | null
}

function taskOf(text: string, tree: OrgData, headline: Headline, request: TodoRequest): Task {
  const words = `${request.log ? 'logdone' : ''} ${request.startup ?? ''}`
  const settings = editSettings(text, tree, words, request.readFile)
  const logging = inheritedProperty(tree, headline, 'LOGGING', settings).value
  return {
    settings,
    request,
    draft: entryDraft(text, headline),
    parents: { text, tree, task: headline, settings, drafts: new Map() },
    place: logPlace(tree, headline, settings),
    own: loggingRules(settings, logging),
    pending: null,
  }
}

/** Patches for the keyword that follows from the present one. */
function become(
  task: Task,
  next: (present: string | null) => string | null,
  unlogged = false,
): Patch[] {
  if (task.request.cancelRepeaters) task.draft.change(...cancelRepeaters(task.draft.text))
  const commented = uncomment(task)
  const { log, states } = task.settings
  const rules = task.own ?? { done: log.done, repeat: log.repeat, states }
  change(task, next, rules, unlogged, task.request.logNote)
  if (commented) comment(task)
  writePending(task)
  return [...task.parents.drafts.values(), task.draft].flatMap((draft) => draft.patches())
}

function writePending(task: Task): void {
  if (task.pending === null) return
  const { purpose, how, ...change } = task.pending
  const note = how === 'note' ? (task.request.note ?? '') : ''
  const lines = logEntry(purpose, task.request.now, { ...change, note })
  writeLog(task.draft, task.place, lines)
}

function howToLog(
  { states }: Rules,
  before: string | null,
  after: string | null,
  forced: boolean,
  { logNote }: TodoRequest,
): LogKind {
  if (forced) return 'note'
  const how = states.get(after ?? '')?.enter ?? states.get(before ?? '')?.leave ?? null
  return how === 'note' && logNote === false ? 'time' : how
}

function change(
  task: Task,
  next: (present: string | null) => string | null,
  rules: Rules,
  unlogged: boolean,
  forced = false,
): void {
  const before = keywordIn(task.draft.text, task.settings)?.keyword ?? null
  const after = next(before)
  write(task, after)
  const closes = isDone(task, after) && !isDone(task, before)
  if (forced || (!unlogged && (rules.done !== null || rules.states.size > 0))) {
    const how = howToLog(rules, before, after, forced, task.request)
    if (after === null || (isOpen(task, after) && !isOpen(task, before))) {
      removePlanning(task.draft, ['closed'])
    }
    if (closes && rules.done !== null) close(task, before, after, how ?? rules.done, how === null)
    if (after !== null && how !== null) {
      task.pending = { purpose: 'state', state: after, before, how }
    }
  }
  alignTags(task.draft)
  updateParents(task.parents, keywordIn(task.draft.text, task.settings)?.keyword ?? null)
  if (!(closes && repeat(task, before, after!, rules))) closeGap(task)
}

function close(
  task: Task,
  before: string | null,
  state: string | null,
  how: LogKind,
  plain: boolean,
): void {
  const { now } = task.request
  addPlanning(task.draft, 'closed', formatTimestamp(now, { active: false, time: true }))
  if (plain && how === 'note') task.pending = { purpose: 'done', state, before, how }
}

function isDone(task: Task, keyword: string | null): boolean {
  return keyword !== null && task.settings.done.includes(keyword)
}

function isOpen(task: Task, keyword: string | null): boolean {
  return keyword !== null && !isDone(task, keyword)
}

function write(task: Task, keyword: string | null): void {
  const { text } = task.draft
  const stars = text.search(/[^*]/)
  const old = keywordIn(text, task.settings)
  let end = old?.end ?? stars
  if (text[end] === ' ') while (text[end] === ' ') end++
  else end = skipBlanks(text, end)
  task.draft.replace(stars, end, keyword === null ? ' ' : ` ${keyword} `)
}

function closeGap(task: Task): void {
  const { text } = task.draft
  const begin = keywordIn(text, task.settings)?.end ?? text.search(/[^*]/)
  if (text[begin] !== ' ' || /^ *:/.test(text.slice(begin, endOfLine(text, begin)))) return
  task.draft.replace(begin, skipBlanks(text, begin), ' ')
}

const latePriority = /\[#(?:[A-Za-z]|[0-9]|[1-5][0-9]|6[0-4])\]/

/** Takes COMMENT off the line; false when there is none. */
function uncomment(task: Task): boolean {
  const { text } = task.draft
  const at = keywordIn(text, task.settings)?.end ?? text.search(/[^*]/)
  const line = text.slice(at, endOfLine(text, at))
  const match = /^((?: +\[#(?:[A-Z]|[0-9]{1,2})\] ?| +))COMMENT(?: [ \t]*|$)/.exec(line)
  if (match === null || latePriority.test(line.slice(match[0].length))) return false
  task.draft.replace(at + match[1]!.length, at + match[0].length, '')
  return true
}

function afterKeyword(task: Task): number {
  const { text } = task.draft
  let at = keywordIn(text, task.settings)?.end ?? text.search(/[^*]/)
  const line = text.slice(at, endOfLine(text, at))
  at += /^ +\[#(?:[A-Z]|[0-9]{1,2})\](?= |[ \t]*$)/.exec(line)?.[0].length ?? 0
  at = skipBlanks(text, at)
  if (/[ \t]/.test(text[at - 1]!)) return at
  task.draft.replace(at, at, ' ')
  return at + 1
}

function comment(task: Task): void {
  const at = afterKeyword(task)
  const { text } = task.draft
  task.draft.replace(at, at, at === endOfLine(text, at) ? 'COMMENT' : 'COMMENT ')
}

/** Takes a task that repeats to its next time; false when it does not repeat. */
function repeat(task: Task, before: string | null, done: string, rules: Rules): boolean {
  const [first] = repeatingStamps(task.draft.text)
  if (first === undefined || repeatsEvery(first.stamp) === 0) return false
  const inner = task.own ?? { done: null, repeat: rules.repeat, states: new Map() }
  change(task, () => repeatsTo(task, before), inner, false)
  removePlanning(task.draft, ['closed'])
  remember(task, before, done, rules.repeat)
  const scheduled = dateOf(task.draft.text, 'scheduled')
  if (scheduled !== null && !/[.+]?\+\d+[hdwmy]/.test(scheduled)) {
    cutKeyword(task.draft, 'scheduled')
  }
  const moves: Patch[] = []
  for (const { begin, end, stamp } of repeatingStamps(task.draft.text)) {
    const text = nextOccurrence(stamp, task.request.now)
    if (text !== null) moves.push({ begin, end, text })
  }
  task.draft.change(...moves)
  return true
}

function repeatsTo(task: Task, before: string | null): string | null {
  const wanted = propertyIn(task.draft.text, 'REPEAT_TO_STATE')
  const all = task.settings.sequences.flatMap(({ keywords }) => keywords)
  if (wanted !== null && all.includes(wanted)) return wanted
  const own = sequenceOf(task.settings.sequences, before)
  return own?.kind === 'type' ? before : (own?.keywords[0] ?? null)
}

function remember(task: Task, before: string | null, state: string, how: LogKind): void {
  const stamp = formatTimestamp(task.request.now, { active: false, time: true })
  if (how !== null || hasClock(task.draft.text)) putProperty(task.draft, 'LAST_REPEAT', stamp)
  if (how === null) return
  if (task.pending === null) task.pending = { purpose: 'state', state, before: before ?? '', how }
  else if (how === 'note') task.pending.how = how
}

interface Stamp {
  begin: number
  end: number
  stamp: string
}

const stampPattern = /<\d{4}-\d\d-\d\d [^<>\n]*?[.+]?\+\d+[hdwmy][^<>\n]*>/g

function repeatingStamps(text: string): Stamp[] {
  const tree = parse(priorityAsText(text))
  const spans: [number, number][] = []
  walk(tree, (node) => {
    if (node.type === 'timestamp')
      spans.push([node.position.start.offset, node.position.end.offset])
    if (node.type !== 'headline') return
    for (const line of [planning(node), ...properties(node)]) {
      if (line !== null) spans.push([line.position.start.offset, line.position.end.offset])
    }
  })
  spans.sort((a, b) => a[0] - b[0])
  const stamps: Stamp[] = []
  let next = 0
  for (const match of text.matchAll(stampPattern)) {
    const [begin, end] = [match.index, match.index + match[0].length]
    while (next < spans.length && spans[next]![1] < end) next++
    if (next < spans.length && spans[next]![0] <= begin)
      stamps.push({ begin, end, stamp: match[0] })
  }
  return stamps
}

function hasClock(text: string): boolean {
  let found = false
  walk(parse(text), ({ type }) => {
    if (type === 'clock') found = true
  })
  return found
}
