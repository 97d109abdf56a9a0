import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { inertLine } from 'org-ast/edit'
import type { Log } from '../base/log-file.ts'
import { replaceFile } from '../base/new-file.ts'
import { messageOf } from '../base/printing.ts'
import { keepPrivate } from '../base/private-folder.ts'
import { entryText, plainField, readField, readSession, writtenField } from './session-text.ts'
import type { SessionSummary, TranscriptStore } from './sessions.ts'
import type { Entry } from './transcript.ts'

const fileName = /^(\d{4}-\d\d-\d\d-[0-9a-f]{16})(?:\.(\d{1,3}))?\.org$/

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16)
}

function partName(base: string, part: number): string {
  return part === 1 ? `${base}.org` : `${base}.${part}.org`
}

/** The documents of one session. */
interface Place {
  /** The names of its files without their ends. */
  base: string
  parts: number
  /** Null until it is known, `''` for a session without a title. */
  title: string | null
  /** Whether there is a file, as far as is known. */
  isWritten: boolean
}

const titleMax = 72

function headText(id: string, at: number, title: string, source: string): string {
  const lines = [
    ...(title === '' ? [] : [`#+title: ${title}`]),
    `#+date: [${orgTime(at)}]`,
    `#+session: ${writtenField(id)}`,
    ...(plainField.test(source) ? [`#+source: ${source}`] : []),
  ]
  return `${lines.join('\n')}\n\n`
}

function orgTime(at: number): string {
  const time = new Date(at)
  const day = time.toLocaleDateString('en-US', { weekday: 'short' })
  return `${dayOf(at)} ${day} ${time.toTimeString().slice(0, 5)}`
}

function dayOf(at: number): string {
  const time = new Date(at)
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()]
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}

function titleOf(words: string): string {
  const line = inertLine(words.slice(0, 4 * titleMax).toWellFormed())
  if (line.length <= titleMax) return line
  const cut = line.slice(0, titleMax).toWellFormed()
  return inertLine(`${cut.replace(/\s+\S*$/, '')} …`)
}

interface Head {
  id: string | null
  title: string
  source: string
  began: number
}

function readHead(text: string): Head {
  const head = text.split(/^\*/m, 1)[0]!
  const value = (name: string) => new RegExp(`^#\\+${name}: (.+)$`, 'mi').exec(head)?.[1]?.trim()
  const [, day = '', time = '00:00'] = /^\[(\S+) \S+ (\d\d:\d\d)\]/.exec(value('date') ?? '') ?? []
  const began = new Date(`${day}T${time}`).getTime()
  return {
    id: idIn(value('session')),
    title: (value('title') ?? '').replaceAll('\u200b', ''),
    source: value('source') ?? '',
    began: Number.isNaN(began) ? 0 : began,
  }
}

function idIn(value: string | undefined): string | null {
  try {
    return value === undefined ? null : readField(value)
  } catch {
    return null
  }
}

/** How much is kept, and for how long. */
export interface SessionLimits {
  /** Bytes of a document before its session goes on in another. */
  partBytes: number
  /** Bytes of all documents. */
  totalBytes: number
  /** Days since a session was used last. */
  days: number
  /** How many sessions; a script that asks something every minute begins one each time. */
  sessions: number
}

/** What holds without a setting. */
export const sessionLimits: SessionLimits = {
  partBytes: 4_000_000,
  totalBytes: 400_000_000,
  days: 730,
  sessions: 5_000,
}

interface SessionFilesOptions {
  log?: Log
  limits?: Partial<SessionLimits>
}

const readMax = 64_000_000

/** Where the sessions of a daemon with this state directory are. */
export function sessionFolder(stateDir: string): string {
  return join(stateDir, 'sessions')
}

/** Keeps transcripts in a folder, which is made when there is something to keep; `paths` are the documents of one, the oldest first. */
export function openSessionFiles(
  folder: string,
  options: SessionFilesOptions = {},
): TranscriptStore & { paths(id: string): string[] } {
  return new SessionFiles(folder, options)
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants

function appendText(path: string, head: string, text: string): void {
  const handle = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    const { size } = fstatSync(handle)
    const last = Buffer.alloc(1)
    if (size > 0) readSync(handle, last, 0, 1, size - 1)
    const lead = size === 0 ? head : last[0] === 0x0a ? '' : '\n'
    try {
      const data = Buffer.from(lead + text)
      for (let at = 0; at < data.length; ) at += writeSync(handle, data, at)
    } catch (error) {
      ftruncateSync(handle, size)
      throw error
    }
  } finally {
    closeSync(handle)
  }
}

/** The documents of a folder, by the digests of their sessions' ids. */
class Places {
  readonly #folder: string
  #known: Map<string, Place> | null = null
  #isMade = false

  constructor(folder: string) {
    this.#folder = folder
  }

  get all(): Map<string, Place> {
    this.#known ??= placesIn(this.#folder)
    return this.#known
  }

  /** The files of a place, the oldest first. */
  paths({ base, parts }: Place): string[] {
    return Array.from({ length: parts }, (_, at) => join(this.#folder, partName(base, at + 1)))
  }

  /** The place of a session, a new one when there is none. */
  of(id: string, at: number): Place {
    if (!this.#isMade) keepPrivate(this.#folder, 'secret')
    this.#isMade = true
    const digest = digestOf(id)
    const known = this.all.get(digest)
    if (known !== undefined) return known
    const place = { base: `${dayOf(at)}-${digest}`, parts: 1, title: '', isWritten: false }
    this.all.set(digest, place)
    return place
  }

  /** The file that the next entry goes into. */
  partFor(place: Place, partBytes: number): string {
    const path = this.paths(place).at(-1)!
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size < partBytes) return path
    place.parts++
    return this.paths(place).at(-1)!
  }

  /** Writes a title, into the head of the first part when there is one already. */
  entitle(place: Place, words: string): void {
    place.title = titleOf(words)
    const [path] = this.paths(place)
    const text = path === undefined ? '' : readText(path)
    if (path === undefined || text === '') return
    const rest = text.replace(/^#\+title:.*\n/i, '')
    replaceText(path, place.title === '' ? rest : `#+title: ${place.title}\n${rest}`)
  }
}

/** Writes a document anew, which is no use of its session. */
function replaceText(path: string, text: string): void {
  const { atime, mtime } = statSync(path)
  replaceFile(path, text)
  utimesSync(path, atime, mtime)
}

/** A folder of sessions. */
class SessionFiles implements TranscriptStore {
  readonly #folder: string
  readonly #log: Log
  readonly #limits: SessionLimits
  readonly #places: Places

  constructor(folder: string, { log = () => {}, limits }: SessionFilesOptions) {
    this.#folder = folder
    this.#log = log
    this.#limits = { ...sessionLimits, ...limits }
    this.#places = new Places(folder)
  }

  paths(id: string): string[] {
    const place = this.#places.all.get(digestOf(id))
    return place === undefined ? [] : this.#places.paths(place)
  }

  read(id: string): Entry[] {
    return this.paths(id).flatMap((path) => readPart(path, this.#log))
  }

  append(id: string, entry: Entry, source = ''): void {
    const place = this.#places.of(id, entry.at)
    const [first = ''] = this.#places.paths(place)
    if (place.isWritten && !existsSync(first)) place.title = ''
    place.isWritten = true
    place.title ??= readHead(readStart(first)).title
    if (entry.kind === 'words' && place.title === '') this.#places.entitle(place, entry.text)
    const path = this.#places.partFor(place, this.#limits.partBytes)
    appendText(path, headText(id, entry.at, place.title, source), entryText(entry))
  }

  rewrite(id: string, entries: readonly Entry[]): void {
    rewriteParts(this.paths(id), entries, this.#log)
  }

  sync(id: string): void {
    const path = this.paths(id).at(-1)
    if (path !== undefined) synced(path, this.#folder)
  }

  has(id: string): boolean {
    return this.#places.all.has(digestOf(id))
  }

  list(): SessionSummary[] {
    const found = [...this.#places.all].flatMap(([digest, place]) =>
      summaryOf(digest, this.#places.paths(place)),
    )
    return found.sort((one, other) => other.used - one.used)
  }

  rename(id: string, title: string): void {
    this.#places.entitle(this.#places.of(id, Date.now()), title)
  }

  remove(id: string): void {
    for (const path of this.paths(id)) rmSync(path, { force: true })
    this.#places.all.delete(digestOf(id))
  }

  tidy(now: number): string[] {
    const gone = tooMuch(this.list(), now, this.#limits)
    for (const { id } of gone) this.remove(id)
    return gone.map(({ title }) => title)
  }
}

function rewriteParts(paths: readonly string[], entries: readonly Entry[], log: Log): void {
  let from = 0
  for (const [index, path] of paths.entries()) {
    const isLast = index === paths.length - 1
    const count = isLast ? entries.length : readPart(path, log).length
    const part = entries.slice(from, from + count)
    from += count
    replaceText(path, `${headOf(readText(path))}${part.map(entryText).join('')}`)
  }
}

function synced(path: string, folder: string): void {
  withFile(path, fdatasyncSync)
  if (process.platform !== 'win32') withFile(folder, fsyncSync)
}

/** What is too old, and the least used of what is too much. */
function tooMuch(
  all: readonly SessionSummary[],
  now: number,
  { days, sessions, totalBytes }: SessionLimits,
): SessionSummary[] {
  let bytes = 0
  return all.filter(({ size, used }, at) => {
    bytes += size
    return now - used > days * 86_400_000 || bytes > totalBytes || at >= sessions
  })
}

function readPart(path: string, log: Log): Entry[] {
  try {
    const { entries, damaged } = readSession(readText(path))
    if (damaged > 0) log('warn', `${path}: ${damaged} damaged entries are passed over`)
    return entries
  } catch (error) {
    log('warn', `${path} cannot be read: ${messageOf(error)}`)
    return []
  }
}

function summaryOf(digest: string, paths: readonly string[]): SessionSummary[] {
  try {
    const sizes = paths.map((path) => statSync(path))
    const { id, title, source, began } = readHead(readStart(paths[0]!))
    if (id === null || digestOf(id) !== digest) return []
    const size = sizes.reduce((sum, part) => sum + part.size, 0)
    return [{ id, title, source, began, used: Math.round(sizes.at(-1)!.mtimeMs), size }]
  } catch {
    return []
  }
}

function placesIn(folder: string): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const name of namesIn(folder)) {
    const [, base, part = '1'] = fileName.exec(name) ?? []
    if (base === undefined) continue
    const digest = base.slice(-16)
    const known = places.get(digest)
    if (known !== undefined && known.base !== base) continue
    const parts = Math.max(known?.parts ?? 1, Number(part))
    places.set(digest, { base, parts, title: null, isWritten: true })
  }
  return places
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function readText(path: string): string {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size > readMax) throw new RangeError(`it has ${size} bytes`)
  return size === 0 ? '' : readFileSync(path, 'utf8')
}

function readStart(path: string): string {
  if (!existsSync(path)) return ''
  const start = Buffer.alloc(1_024)
  let length = 0
  withFile(path, (handle) => {
    length = readSync(handle, start, 0, start.length, 0)
  })
  return start.toString('utf8', 0, length)
}

function withFile(path: string, use: (handle: number) => void): void {
  const handle = openSync(path, 'r')
  try {
    use(handle)
  } finally {
    closeSync(handle)
  }
}

function headOf(text: string): string {
  return text.slice(0, /^\*+ /m.exec(text)?.index ?? text.length)
}
