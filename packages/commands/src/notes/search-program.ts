import { existsSync } from 'node:fs'
import { flightPlanFiles } from '@passepartout/core/approval'
import { dayNumber, dayText, findDaemon, localDay, stateDirectory } from '@passepartout/core/base'
import { openMemex } from '@passepartout/core/memex'
import { type NoteFacts, ObjectStore, readDatabase, textOfVersion } from '@passepartout/core/memory'
import {
  type AgendaItem,
  agenda,
  backlinks,
  diaryNotes,
  explainText,
  type Hit,
  Indexes,
  isPlainWords,
  parseQuery,
  pointedError,
  QueryError,
  retrieve,
  runQuery,
  textTerms,
} from '@passepartout/core/search'
import {
  type Answer,
  type Environment,
  type Given,
  ProgramError,
  UsageError,
} from '../line/program.ts'

interface Opened {
  store: ObjectStore
  indexes: Indexes
}

function withNotes<T>(
  env: Environment,
  memexDir: string | undefined,
  work: (opened: Opened) => T,
): T {
  const database = readDatabase(stateDirectory(env))
  const folder = memexDir ?? env.MEMEX_DIR ?? findDaemon(stateDirectory(env))?.memex
  if (database === null && folder === undefined) {
    throw new ProgramError('Which notes? Say --memex FOLDER, or set MEMEX_DIR.')
  }
  try {
    const memex = folder !== undefined && existsSync(folder) ? openMemex(folder) : null
    const store = new ObjectStore(
      undefined,
      undefined,
      (path) => memex?.setup(path) ?? (() => null),
    )
    const stamps = new Map<string, string>()
    database?.load(store, stamps)
    if (folder !== undefined) readNewer(store, folder, stamps)
    return work({ store, indexes: new Indexes(store) })
  } finally {
    database?.close()
  }
}

function readNewer(store: ObjectStore, folder: string, stamps: Map<string, string>): void {
  if (!existsSync(folder)) throw new ProgramError(`There is no folder ${folder}.`)
  const memex = openMemex(folder)
  const paths = memex.files().filter((path) => !flightPlanFiles.includes(path))
  for (const path of paths) {
    try {
      if (stamps.get(path) !== memex.stamp(path)) store.ingestFile(path, memex.read(path))
    } catch {
      // It was removed in this moment, or is no text.
    }
  }
  const there = new Set(paths)
  for (const path of store.paths()) if (!there.has(path)) store.removeFile(path)
}

function noteNamed({ indexes }: Opened, name: string): NoteFacts {
  const byId = indexes.get(name)
  if (byId !== null) return byId
  const [, file = name, line = '1'] = /^(.+\.org)(?::(\d+))?$/.exec(name) ?? []
  const inFile = indexes.inFile(file).findLast((note) => note.line <= Number(line))
  const isPlace = line !== '1' || inFile === undefined
  const there = isPlace ? inFile : indexes.inFile(file)[0]
  if (there !== undefined) return there
  const titled = [...indexes.having(`title:${name.trim().toLowerCase()}`)]
  if (titled.length === 1) return titled[0]!
  if (titled.length === 0) throw new ProgramError(`There is no note ${name}.`)
  const places = titled.map((note) => `  ${note.file}:${note.line}`).sort()
  throw new ProgramError(`There are ${titled.length} notes ${name}:\n${places.join('\n')}`)
}

interface Terminal {
  /** Columns, or null when lines are not cut. */
  width: number | null
  colours: boolean
  now: Date
}

type Colour = 'place' | 'open' | 'done' | 'tags' | 'heading'

const codes: Record<Colour, number> = { place: 36, open: 31, done: 32, tags: 2, heading: 1 }

interface Piece {
  text: string
  colour?: Colour
}

function lineOf(pieces: readonly Piece[], { width, colours }: Terminal): string {
  let left = width ?? Number.POSITIVE_INFINITY
  let line = ''
  for (const { text, colour } of pieces) {
    const shown = cutTo(text.replace(/\s/g, ' '), left)
    left -= columnsOf(shown)
    line += colours && colour !== undefined ? `\u001b[${codes[colour]}m${shown}\u001b[0m` : shown
  }
  return line.trimEnd()
}

const letters = new Intl.Segmenter()
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u

function columnsOf(text: string): number {
  let columns = 0
  for (const { segment } of letters.segment(text)) columns += wide.test(segment) ? 2 : 1
  return columns
}

function cutTo(text: string, columns: number): string {
  if (text.length <= columns && !wide.test(text)) return text
  let left = columns
  let end = 0
  for (const { segment, index } of letters.segment(text)) {
    left -= columnsOf(segment)
    if (left < 0) return text.slice(0, end)
    end = index + segment.length
  }
  return text
}

function shown(text: string): string {
  return text.replace(/\p{Cc}/gu, '?')
}

function noteLine(note: NoteFacts, terminal: Terminal): string {
  const tags = note.ownTags.length === 0 ? '' : `  :${note.ownTags.join(':')}:`
  const keyword = note.todo === null ? '' : `${note.todo} `
  return lineOf(
    [
      { text: `${shown(note.file)}:${note.line}:`, colour: 'place' },
      { text: ` ${keyword}`, colour: note.done ? 'done' : 'open' },
      { text: `${note.priority === null ? '' : `[#${note.priority}] `}${shown(note.title)}` },
      { text: tags, colour: 'tags' },
    ],
    terminal,
  )
}

/** A note as the JSON of all four commands has it. */
function noteJson(indexes: Indexes, note: NoteFacts): Record<string, unknown> {
  const above: string[] = []
  for (let at = indexes.get(note.parent ?? ''); at !== null; at = indexes.get(at.parent ?? '')) {
    above.unshift(at.title)
  }
  const { id, file, line, type, level, title, todo, done, priority, tags, by, outside } = note
  const dates = note.dates.map(({ kind, raw }) => ({ kind, raw }))
  const plain = { id, file, line, type, level, title, todo, done, priority, tags }
  const kept = { attributes: note.attributes, private: note.private, by, outside }
  return { ...plain, path: above, ...kept, dates }
}

interface Flags {
  json: boolean
  explain: boolean
  limit: number
}

function searchIn(
  opened: Opened,
  words: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Answer {
  const { indexes } = opened
  const input = words.join(' ')
  if (isPlainWords(input)) return nearest(opened, input, flags, terminal)
  const query = parsed(input, terminal)
  const { limit } = flags
  const hits = runQuery(indexes, query, limit === 0 ? {} : { limit })
  const reasons = (note: NoteFacts) => {
    const terms = textTerms(input.replace(/\S+:/g, ''))
    return explainText(indexes.store, note.id, terms)
  }
  if (flags.json) {
    const found = hits.map(({ note, score }) => ({
      ...noteJson(indexes, note),
      ...(score === null ? {} : { score }),
      ...(flags.explain ? { fields: reasons(note) } : {}),
    }))
    return { text: '', data: found }
  }
  if (hits.length === 0) throw new ProgramError('Nothing was found.')
  const lines = hits.flatMap(({ note, score }) => [
    noteLine(note, terminal),
    ...(flags.explain ? [whyLine(score, reasons(note))] : []),
  ])
  return { text: lines.join('\n') }
}

function whyLine(score: number | null, fields: Record<string, number>): string {
  const parts = Object.entries(fields).map(([field, value]) => `${field} ${value}`)
  return `    ${score === null ? 'no words to rank by' : `score ${score.toFixed(2)}`}  ${parts.join('  ')}`.trimEnd()
}

function parsed(input: string, { now }: Terminal) {
  try {
    return parseQuery(input, localDay(now))
  } catch (error) {
    if (error instanceof QueryError) throw new ProgramError(pointedError(input, error), 2)
    throw error
  }
}

function nearest(opened: Opened, input: string, flags: Flags, terminal: Terminal): Answer {
  const { indexes, store } = opened
  const limit = flags.limit || 100
  const hits = retrieve(store, input, { limit, privacy: 'owner', explain: true })
  const known = hits.flatMap((hit) => {
    const note = indexes.get(hit.object.id)
    return note === null ? [] : [{ ...hit, note }]
  })
  if (flags.json) {
    const found = known.map(({ note, score, ranks, words }) => ({
      ...noteJson(indexes, note),
      score,
      ...(flags.explain ? { ranks, words } : {}),
    }))
    return { text: '', data: found }
  }
  if (known.length === 0) throw new ProgramError('Nothing was found.')
  const why = ({ ranks, words = [] }: Hit) => {
    const lists = Object.entries(ranks).map(([list, rank]) => `${list} ${rank}.`)
    const terms = words.map(({ word, score }) => `${word} ${score.toFixed(2)}`)
    return `    ${[...lists, ...terms].join('  ')}`
  }
  const lines = known.flatMap((hit) => [
    noteLine(hit.note, terminal),
    ...(flags.explain ? [why(hit)] : []),
  ])
  return { text: lines.join('\n') }
}

function noteText(opened: Opened, name: string, isJson: boolean): Answer {
  const { indexes, store } = opened
  const note = noteNamed(opened, name)
  const text = textOfVersion(store.history, store.get(note.id)?.hash ?? '') ?? ''
  if (isJson) return { text: '', data: { ...noteJson(indexes, note), text } }
  const plain = text.replace(/[^\P{Cc}\n\t]/gu, '?').trimEnd()
  return { text: `${shown(note.file)}:${note.line}:\n${plain}` }
}

function backlinksTo(opened: Opened, name: string, isJson: boolean, terminal: Terminal): Answer {
  const { indexes } = opened
  const found = backlinks(indexes, noteNamed(opened, name))
  if (isJson) return { text: '', data: found.map((note) => noteJson(indexes, note)) }
  if (found.length === 0) throw new ProgramError('Nothing links there.')
  return { text: found.map((note) => noteLine(note, terminal)).join('\n') }
}

interface AgendaFlags {
  json: boolean
  from?: string | undefined
  days: number
  open: boolean
  'no-habits': boolean
}

function agendaOf(opened: Opened, flags: AgendaFlags, terminal: Terminal): Answer {
  const { indexes } = opened
  const today = localDay(terminal.now)
  const from = flags.from === undefined ? today : dayNumber(flags.from)
  if (Number.isNaN(from)) throw new UsageError(`${flags.from} is no day`)
  const count = Math.min(366, Math.max(1, flags.days))
  const settings = { today, done: !flags.open, habits: !flags['no-habits'] }
  const above = (id: string) => indexes.get(id)
  const days = agenda(indexes.dated(), from, from + count - 1, { ...settings, above })
  if (flags.json) {
    const entries = days.flatMap(({ day, items }) =>
      items.map((item) => itemJson(indexes, day, item)),
    )
    return { text: '', data: entries }
  }
  const sections = days.map(({ day, items }) => {
    const words = new Date(dayText(day)).toUTCString().slice(0, 16).replace(/, 0?/, ' ')
    const heading = lineOf([{ text: words, colour: 'heading' }], terminal)
    return [heading, ...items.map((item) => itemLine(item, terminal))].join('\n')
  })
  const diary = diaryNotes(indexes.having('is:diary')).map(({ file, line }) => `${file}:${line}`)
  const note = `Not computed: the diary expressions of ${diary.join(', ')}`
  return { text: [...sections, ...(diary.length === 0 ? [] : [note])].join('\n') }
}

function itemLine({ note, time, end, leader }: AgendaItem, terminal: Terminal): string {
  const hours = time === null ? '' : `${time}${end === null ? '' : `-${end}`} `
  return lineOf(
    [
      { text: `  ${hours}${leader}` },
      { text: note.todo === null ? '' : `${note.todo} `, colour: note.done ? 'done' : 'open' },
      { text: `${note.priority === null ? '' : `[#${note.priority}] `}${shown(note.title)}` },
      { text: `  ${shown(note.file)}:${note.line}`, colour: 'place' },
    ],
    terminal,
  )
}

function itemJson(indexes: Indexes, day: number, item: AgendaItem): Record<string, unknown> {
  const { kind, base, last, time, end, leader, habit, urgency } = item
  const when = { day: dayText(day), kind, base: dayText(base), last: dayText(last), time, end }
  return { ...when, leader: leader.trim(), habit, urgency, note: noteJson(indexes, item.note) }
}

interface Wish {
  json: boolean
  memex?: string | undefined
}

const viewOf = ({ now, terminal }: Given): Terminal => ({ ...terminal, now })

/** What the notes say of something. */
export async function search(given: Given<Flags & Wish>): Promise<Answer> {
  const { env, options, words } = given
  return withNotes(env, options.memex, (opened) => {
    return searchIn(opened, words, options, viewOf(given))
  })
}

/** One note, with what is inside it. */
export async function show({ env, options, words }: Given<Wish>): Promise<Answer> {
  return withNotes(env, options.memex, (opened) => {
    return noteText(opened, words.join(' '), options.json)
  })
}

/** The notes that link to one. */
export async function backlinksOf(given: Given<Wish>): Promise<Answer> {
  const { env, options, words } = given
  return withNotes(env, options.memex, (opened) => {
    return backlinksTo(opened, words.join(' '), options.json, viewOf(given))
  })
}

/** The days to come. */
export async function days(given: Given<AgendaFlags & Wish>): Promise<Answer> {
  const { env, options, words } = given
  const flags = { ...options, from: options.from ?? words[0] }
  return withNotes(env, options.memex, (opened) => agendaOf(opened, flags, viewOf(given)))
}
