import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  type AgendaItem,
  agenda,
  backlinks,
  dayNumber,
  dayText,
  diaryNotes,
  explainText,
  findDaemon,
  flightPlanFiles,
  type Hit,
  Indexes,
  isPlainWords,
  localDay,
  messageOf,
  type NoteFacts,
  ObjectStore,
  openMemex,
  parseQuery,
  pointedError,
  print,
  printError,
  QueryError,
  readDatabase,
  retrieve,
  runQuery,
  stateDirectory,
  textOfVersion,
  textTerms,
} from '@passepartout/core'
import { dateWords } from '@passepartout/skills/common'

type Env = Record<string, string | undefined>

/** Something that the user can put right; `code` is the exit code. */
export class SearchProgramError extends Error {
  readonly code: 1 | 2

  constructor(message: string, code: 1 | 2 = 1) {
    super(message)
    this.code = code
  }
}

interface Opened {
  store: ObjectStore
  indexes: Indexes
}

function withNotes<T>(env: Env, memexDir: string | undefined, work: (opened: Opened) => T): T {
  const database = readDatabase(stateDirectory(env))
  const folder = memexDir ?? env.MEMEX_DIR ?? findDaemon(stateDirectory(env))?.memex
  if (database === null && folder === undefined) {
    throw new SearchProgramError('Which notes? Say --memex FOLDER, or set MEMEX_DIR.')
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
  if (!existsSync(folder)) throw new SearchProgramError(`There is no folder ${folder}.`)
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
  if (titled.length === 0) throw new SearchProgramError(`There is no note ${name}.`)
  const places = titled.map((note) => `  ${note.file}:${note.line}`).sort()
  throw new SearchProgramError(`There are ${titled.length} notes ${name}:\n${places.join('\n')}`)
}

/** Where the answer is printed. */
export interface Terminal {
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
  limit: string
}

function search(
  opened: Opened,
  words: readonly string[],
  flags: Flags,
  terminal: Terminal,
): string {
  const { indexes } = opened
  const input = words.join(' ')
  if (isPlainWords(input)) return nearest(opened, input, flags, terminal)
  const query = parsed(input, terminal)
  const limit = wholeNumber('limit', flags.limit)
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
    return JSON.stringify(found, null, 2)
  }
  if (hits.length === 0) throw new SearchProgramError('Nothing was found.')
  const lines = hits.flatMap(({ note, score }) => [
    noteLine(note, terminal),
    ...(flags.explain ? [whyLine(score, reasons(note))] : []),
  ])
  return lines.join('\n')
}

function whyLine(score: number | null, fields: Record<string, number>): string {
  const parts = Object.entries(fields).map(([field, value]) => `${field} ${value}`)
  return `    ${score === null ? 'no words to rank by' : `score ${score.toFixed(2)}`}  ${parts.join('  ')}`.trimEnd()
}

function parsed(input: string, { now }: Terminal) {
  try {
    return parseQuery(input, localDay(now))
  } catch (error) {
    if (error instanceof QueryError) throw new SearchProgramError(pointedError(input, error), 2)
    throw error
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new SearchProgramError(`--${name} takes a number, and ${text} is none.`, 2)
}

function nearest(opened: Opened, input: string, flags: Flags, terminal: Terminal): string {
  const { indexes, store } = opened
  const limit = wholeNumber('limit', flags.limit) || 100
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
    return JSON.stringify(found, null, 2)
  }
  if (known.length === 0) throw new SearchProgramError('Nothing was found.')
  const why = ({ ranks, words = [] }: Hit) => {
    const lists = Object.entries(ranks).map(([list, rank]) => `${list} ${rank}.`)
    const terms = words.map(({ word, score }) => `${word} ${score.toFixed(2)}`)
    return `    ${[...lists, ...terms].join('  ')}`
  }
  const lines = known.flatMap((hit) => [
    noteLine(hit.note, terminal),
    ...(flags.explain ? [why(hit)] : []),
  ])
  return lines.join('\n')
}

function show(opened: Opened, name: string, { json }: Flags): string {
  const { indexes, store } = opened
  const note = noteNamed(opened, name)
  const text = textOfVersion(store.history, store.get(note.id)?.hash ?? '') ?? ''
  if (json) return JSON.stringify({ ...noteJson(indexes, note), text }, null, 2)
  const plain = text.replace(/[^\P{Cc}\n\t]/gu, '?').trimEnd()
  return `${shown(note.file)}:${note.line}:\n${plain}`
}

function backlinksTo(opened: Opened, name: string, { json }: Flags, terminal: Terminal): string {
  const { indexes } = opened
  const found = backlinks(indexes, noteNamed(opened, name))
  if (json) {
    return JSON.stringify(
      found.map((note) => noteJson(indexes, note)),
      null,
      2,
    )
  }
  if (found.length === 0) throw new SearchProgramError('Nothing links there.')
  return found.map((note) => noteLine(note, terminal)).join('\n')
}

interface AgendaFlags extends Flags {
  from?: string | undefined
  days: string
  open: boolean
  habits: boolean
}

function agendaOf(opened: Opened, flags: AgendaFlags, terminal: Terminal): string {
  const { indexes } = opened
  const today = localDay(terminal.now)
  const from = flags.from === undefined ? today : dayNumber(flags.from)
  if (Number.isNaN(from)) throw new SearchProgramError(`${flags.from} is no day.`, 2)
  const count = Math.min(366, Math.max(1, wholeNumber('days', flags.days)))
  const settings = { today, done: !flags.open, habits: flags.habits }
  const above = (id: string) => indexes.get(id)
  const days = agenda(indexes.dated(), from, from + count - 1, { ...settings, above })
  if (flags.json) {
    const entries = days.flatMap(({ day, items }) =>
      items.map((item) => itemJson(indexes, day, item)),
    )
    return JSON.stringify(entries, null, 2)
  }
  const sections = days.map(({ day, items }) => {
    const date = dayText(day)
    const words = `${dateWords(date)} ${date.slice(0, 4)}`
    const heading = lineOf([{ text: words, colour: 'heading' }], terminal)
    return [heading, ...items.map((item) => itemLine(item, terminal))].join('\n')
  })
  const diary = diaryNotes(indexes.having('is:diary')).map(({ file, line }) => `${file}:${line}`)
  const note = `Not computed: the diary expressions of ${diary.join(', ')}`
  return [...sections, ...(diary.length === 0 ? [] : [note])].join('\n')
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

const help = `Usage: passepartout search QUERY       what the notes say of something
       passepartout show NOTE          one note, with what is inside it
       passepartout agenda             the days to come, as Emacs counts them
       passepartout backlinks NOTE     the notes that link to one
  NOTE is an id, a place such as garden.org:12, a file, or a whole title.
  --json            as JSON
  --limit NUMBER    search: the most hits, 0 for all (50)
  --explain         search: why each hit ranks where it does
  --from DAY        agenda: the first day, such as 2026-11-21 (today)
  --days NUMBER     agenda: how many days (7)
  --open            agenda: without what is done
  --no-habits       agenda: habits like other tasks
  --memex FOLDER    the notes, when no daemon runs and MEMEX_DIR is not set
  A query is words, "phrases", begin*, title:x, tag:x, own-tag:x, todo:open, priority:A,
  type:file, file:a/*.org, prop:NAME=value, inherited:NAME=value, under:"One/Two",
  scheduled: deadline: closed: event: date: with a day, month, span a..b, today, week or +7d,
  links-to:ID, linked-from:ID, is:orphan, is:broken, is:private, by:agent, is:outside; with or,
  not or -, and ( ).
  Exit codes: 0 found, 1 not found or not possible, 2 not understood.`

const options = {
  json: { type: 'boolean', default: false },
  explain: { type: 'boolean', default: false },
  limit: { type: 'string', default: '50' },
  from: { type: 'string' },
  days: { type: 'string', default: '7' },
  open: { type: 'boolean', default: false },
  habits: { type: 'boolean', default: true },
  memex: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Runs one command and returns what it has to say. Throws a SearchProgramError. */
export function searchProgram(args: readonly string[], env: Env, terminal: Terminal): string {
  const { values, positionals } = readArguments(args)
  const [command, ...words] = positionals
  if (values.help || command === undefined) return help
  const commands = ['search', 'show', 'agenda', 'backlinks']
  if (!commands.includes(command)) throw new SearchProgramError(help, 2)
  if (command !== 'agenda' && words.length === 0) throw new SearchProgramError(help, 2)
  return withNotes(env, values.memex, (opened) => {
    const name = words.join(' ')
    if (command === 'search') return search(opened, words, values, terminal)
    if (command === 'show') return show(opened, name, values)
    if (command === 'backlinks') return backlinksTo(opened, name, values, terminal)
    return agendaOf(opened, { ...values, from: values.from ?? words[0] }, terminal)
  })
}

function readArguments(args: readonly string[]) {
  const own = new Set(['-h', ...Object.keys(options).map((name) => `--${name}`), '--no-habits'])
  const marked = args.map((word) =>
    word.startsWith('-') && !own.has(word.split('=')[0]!) && !word.startsWith('--')
      ? `\u0000${word}`
      : word,
  )
  try {
    const settings = { args: marked, options, allowPositionals: true, allowNegative: true } as const
    const { values, positionals } = parseArgs(settings)
    return { values, positionals: positionals.map((word) => word.replace('\u0000', '')) }
  } catch (error) {
    throw new SearchProgramError(messageOf(error), 2)
  }
}

if (import.meta.main) {
  try {
    const { stdout, env } = process
    const colours = stdout.isTTY === true && (env.NO_COLOR ?? '') === ''
    const terminal = { width: stdout.isTTY ? stdout.columns : null, colours, now: new Date() }
    print(`${searchProgram(process.argv.slice(2), env, terminal)}\n`)
  } catch (error) {
    printError(`${messageOf(error)}\n`)
    process.exitCode = error instanceof SearchProgramError ? error.code : 1
  }
}
