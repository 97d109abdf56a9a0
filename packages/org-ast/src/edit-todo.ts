import { type Draft, endOfLine, entryDraft, type Patch, skipBlanks } from './edit.ts'
import { type LogPlace, logEntry, logPlace, writeLog } from './edit-log.ts'
import { addPlanning, cutKeyword, dateOf, removePlanning } from './edit-planning.ts'
import { propertyIn, putProperty } from './edit-property.ts'
import {
  type EditSettings,
  editSettings,
  inheritedProperty,
  keywordIn,
  type LogKind,
  logState,
  startup,
  type TodoSequence,
} from './edit-settings.ts'
import { ParentLines } from './edit-statistics.ts'
import { alignTags } from './edit-tags.ts'
import type { Headline, OrgData } from './nodes.ts'
import { parse } from './parse.ts'
import { planning, properties, walk } from './query.ts'
import { nextOccurrence, repeatsEvery } from './repeat.ts'
import { formatTimestamp } from './timestamp.ts'

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
}

/** Patches that give the headline this keyword, or none for null. Throws a RangeError for no keyword. */
export function setTodo(
  text: string,
  tree: OrgData,
  headline: Headline,
  keyword: string | null,
  request: TodoRequest,
): Patch[] {
  const task = new Task(text, tree, headline, request)
  const known = task.settings.sequences.flatMap(({ keywords }) => keywords)
  if (keyword !== null && !known.includes(keyword)) {
    throw new RangeError(`${keyword} is no TODO keyword of this file; it has ${known.join(', ')}`)
  }
  return task.become(() => keyword)
}

/** A keyword relative to the present one. */
export type TodoStep = 'next' | 'right' | 'left' | 'nextset' | 'previousset' | 'done'

/** Patches that take one step through the keywords of the file. */
export function cycleTodo(
  text: string,
  tree: OrgData,
  headline: Headline,
  step: TodoStep,
  request: TodoRequest,
): Patch[] {
  const task = new Task(text, tree, headline, request)
  const unlogged = step === 'nextset' || step === 'previousset'
  return task.become((present) => stepFrom(task.settings.sequences, present, step), unlogged)
}

function stepFrom(
  sequences: readonly TodoSequence[],
  present: string | null,
  step: TodoStep,
): string | null {
  const all = sequences.flatMap(({ keywords }) => keywords)
  const heads = [...new Set(sequences.map(({ keywords }) => keywords[0]!))]
  const at = present === null ? -1 : all.indexOf(present)
  const own = sequenceOf(sequences, present)
  if (step === 'right') return all[at + 1] ?? null
  if (step === 'left') return at === -1 ? all.at(-1)! : (all[at - 1] ?? null)
  if (step === 'done') return own?.done[0] ?? sequences.flatMap(({ done }) => done)[0] ?? null
  if (step !== 'next') {
    if (step === 'previousset') heads.reverse()
    return heads[own === undefined ? 0 : (heads.indexOf(own.keywords[0]!) + 1) % heads.length]!
  }
  if (own === undefined) return all[0]!
  return present === own.done.at(-1) ? null : (all[at + 1] ?? null)
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

class Task {
  readonly settings: EditSettings
  readonly #request: TodoRequest
  readonly #draft: Draft
  readonly #parents: ParentLines
  readonly #place: LogPlace
  readonly #own: Rules | null
  #pending: Pending | null = null

  constructor(text: string, tree: OrgData, headline: Headline, request: TodoRequest) {
    const words = `${request.log ? 'logdone' : ''} ${request.startup ?? ''}`
    this.settings = editSettings(text, tree, words)
    this.#request = request
    this.#draft = entryDraft(text, headline)
    this.#parents = new ParentLines(text, tree, headline, this.settings)
    this.#place = logPlace(tree, headline, this.settings)
    const logging = inheritedProperty(tree, headline, 'LOGGING', this.settings).value
    this.#own = loggingRules(this.settings, logging)
  }

/** Patches for the keyword that follows from the present one. */
become(next: (present: string | null) => string | null, unlogged = false): Patch[] {
  const commented = this.#uncomment()
  const { log, states } = this.settings
  const rules = this.#own ?? { done: log.done, repeat: log.repeat, states }
  this.#change(next, rules, unlogged)
  if (commented) this.#comment()
  this.#writePending()
  return [...this.#parents.patches(), ...this.#draft.patches()]
}

#writePending(): void {
  if (this.#pending === null) return
  const { purpose, how, ...change } = this.#pending
  const note = how === 'note' ? (this.#request.note ?? '') : ''
  const lines = logEntry(purpose, this.#request.now, { ...change, note })
  writeLog(this.#draft, this.#place, lines)
}

#change(next: (present: string | null) => string | null, rules: Rules, unlogged: boolean): void {
  const before = keywordIn(this.#draft.text, this.settings)?.keyword ?? null
  const after = next(before)
  this.#write(after)
  const closes = this.#isDone(after) && !this.#isDone(before)
  if (!unlogged && (rules.done !== null || rules.states.size > 0)) {
    const how =
      rules.states.get(after ?? '')?.enter ?? rules.states.get(before ?? '')?.leave ?? null
    if (after === null || (this.#isOpen(after) && !this.#isOpen(before))) {
      removePlanning(this.#draft, ['closed'])
    }
    if (closes && rules.done !== null) this.#close(before, after, how ?? rules.done, how === null)
    if (after !== null && how !== null) {
      this.#pending = { purpose: 'state', state: after, before, how }
    }
  }
  alignTags(this.#draft)
  this.#parents.update(after)
  if (!(closes && this.#repeat(before, after!, rules))) this.#closeGap()
}

#close(before: string | null, state: string | null, how: LogKind, plain: boolean): void {
  const { now } = this.#request
  addPlanning(this.#draft, 'closed', formatTimestamp(now, { active: false, time: true }))
  if (plain && how === 'note') this.#pending = { purpose: 'done', state, before, how }
}

#isDone(keyword: string | null): boolean {
  return this.settings.sequences.some(({ done }) => keyword !== null && done.includes(keyword))
}

#isOpen(keyword: string | null): boolean {
  return keyword !== null && !this.#isDone(keyword)
}

#write(keyword: string | null): void {
  const { text } = this.#draft
  const stars = text.search(/[^*]/)
  const old = keywordIn(text, this.settings)
  let end = old?.end ?? stars
  if (text[end] === ' ') while (text[end] === ' ') end++
  else end = skipBlanks(text, end)
  this.#draft.replace(stars, end, keyword === null ? ' ' : ` ${keyword} `)
}

#closeGap(): void {
  const { text } = this.#draft
  const begin = keywordIn(text, this.settings)?.end ?? text.search(/[^*]/)
  if (text[begin] !== ' ' || /^ *:/.test(text.slice(begin, endOfLine(text, begin)))) return
  this.#draft.replace(begin, skipBlanks(text, begin), ' ')
}

/** Takes COMMENT off the line; false when there is none. */
#uncomment(): boolean {
  const { text } = this.#draft
  const at = keywordIn(text, this.settings)?.end ?? text.search(/[^*]/)
  const line = text.slice(at, endOfLine(text, at))
  const match = /^((?: +\[#(?:[A-Z]|[0-9]{1,2})\] ?| +))COMMENT(?: [ \t]*|$)/.exec(line)
  if (match === null) return false
  this.#draft.replace(at + match[1]!.length, at + match[0].length, '')
  return true
}

#afterKeyword(): number {
  const { text } = this.#draft
  let at = keywordIn(text, this.settings)?.end ?? text.search(/[^*]/)
  const line = text.slice(at, endOfLine(text, at))
  at += /^ +\[#(?:[A-Z]|[0-9]{1,2})\](?= |[ \t]*$)/.exec(line)?.[0].length ?? 0
  at = skipBlanks(text, at)
  if (/[ \t]/.test(text[at - 1]!)) return at
  this.#draft.replace(at, at, ' ')
  return at + 1
}

#comment(): void {
  const at = this.#afterKeyword()
  const { text } = this.#draft
  this.#draft.replace(at, at, at === endOfLine(text, at) ? 'COMMENT' : 'COMMENT ')
}

/** Takes a task that repeats to its next time; false when it does not repeat. */
  #repeat(before: string | null, done: string, rules: Rules): boolean {
    const [first] = repeatingStamps(this.#draft.text)
    if (first === undefined || repeatsEvery(first.stamp) === 0) return false
    const inner = this.#own ?? { done: null, repeat: rules.repeat, states: new Map() }
    this.#change(() => this.#repeatsTo(before), inner, false)
    removePlanning(this.#draft, ['closed'])
    this.#remember(before, done, rules.repeat)
    const scheduled = dateOf(this.#draft.text, 'scheduled')
    if (scheduled !== null && !/[.+]?\+\d+[hdwmy]/.test(scheduled)) {
      cutKeyword(this.#draft, 'scheduled')
    }
    const moves: Patch[] = []
    for (const { begin, end, stamp } of repeatingStamps(this.#draft.text)) {
      const text = nextOccurrence(stamp, this.#request.now)
      if (text !== null) moves.push({ begin, end, text })
    }
    this.#draft.change(...moves)
    return true
  }

  #repeatsTo(before: string | null): string | null {
    const wanted = propertyIn(this.#draft.text, 'REPEAT_TO_STATE')
    const all = this.settings.sequences.flatMap(({ keywords }) => keywords)
    if (wanted !== null && all.includes(wanted)) return wanted
    const own = sequenceOf(this.settings.sequences, before)
    return own?.kind === 'type' ? before : (own?.keywords[0] ?? null)
  }

  #remember(before: string | null, state: string, how: LogKind): void {
    const stamp = formatTimestamp(this.#request.now, { active: false, time: true })
    if (how !== null || hasClock(this.#draft.text)) putProperty(this.#draft, 'LAST_REPEAT', stamp)
    if (how === null) return
    if (this.#pending === null) this.#pending = { purpose: 'state', state, before: before ?? '', how }
    else if (how === 'note') this.#pending.how = how
  }
}

interface Stamp {
  begin: number
  end: number
  stamp: string
}

const stampPattern = /<\d{4}-\d\d-\d\d [^>\n]*?[.+]?\+\d+[hdwmy][^>\n]*>/g

function repeatingStamps(text: string): Stamp[] {
  const tree = parse(text)
  const spans: [number, number][] = []
  walk(tree, (node) => {
    if (node.type === 'timestamp') spans.push([node.position.start.offset, node.position.end.offset])
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
    if (next < spans.length && spans[next]![0] <= begin) stamps.push({ begin, end, stamp: match[0] })
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
