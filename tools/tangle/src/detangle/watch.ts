import { existsSync, readFileSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { watch } from 'chokidar'
import { OrgSourceError } from 'org-ast'
import {
  type Book,
  exactText,
  projectOptions,
  readBook,
  readExactly,
  readFile,
  tangleDocument,
} from '../blocks/book.ts'
import type { TangleOptions, Target } from '../blocks/targets.ts'
import { findDocuments } from '../project/documents.ts'
import { findProject } from '../project/settings.ts'
import { carryOut, WriteError } from '../run/write.ts'
import { makePlan, textChange } from '../run/write-plan.ts'
import { carryBack } from './detangle.ts'
import type { Obstacle } from './edits.ts'

/** Something that happened to a document or to a tangled file. */
export interface WatchEvent {
  kind: 'ready' | 'tangled' | 'carried-back' | 'conflict' | 'problem'
  /** The file that was saved, absolute; for `ready` the project's folder. */
  file: string
  /** The files that were written because of it. */
  written: string[]
  /** Why nothing was, and where. */
  refusals: Obstacle[]
  /** Milliseconds from the first notice of the change. */
  ms: number
}

/** What to watch. */
export interface WatchOptions {
  /** The folder to begin from; by default the current one. */
  cwd?: string
  /** Ends the watching. */
  signal: AbortSignal
  onEvent: (event: WatchEvent) => void
}

/**
 * Watches the project of a folder until it is told to stop. Throws for settings that cannot be
 * read; everything else that goes wrong is said through `onEvent`.
 */
export async function watchProject({ cwd, signal, onEvent }: WatchOptions): Promise<void> {
  const project = findProject(cwd ?? process.cwd())
  const sources = project.sources.map((place) => resolve(project.root, place))
  const tangling = projectOptions(project)
  const book = readBook(project.root, findDocuments(sources), tangling)
  const known = new Known(project.root, sources, book, tangling)
  const ignored = /[/\\](?:node_modules|\.git)(?:[/\\]|$)|[/\\]\.[^/\\]*\.(?:tmp|org-tangle)$/
  const watcher = watch([...sources, ...known.files()], { ignored, ignoreInitial: true })
  const stopped = new Promise<void>((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
  const followed = new Set(known.files())
  let last: Promise<void> = Promise.resolve()
  const notice = (path: string) => {
    const began = performance.now()
    last = last.then(async () => {
      const event = await changed(known, path)
      if (event === null || signal.aborted) return
      follow(known.files().filter((file) => !followed.has(file)))
      onEvent({ ...event, ms: performance.now() - began })
    })
  }
  const follow = (files: readonly string[]) => {
    if (files.length === 0) return
    for (const file of files) followed.add(file)
    watcher.add([...files])
    const again = () => files.forEach(notice)
    setTimeout(unwatched, undefined, { ref: false, signal }).then(again, () => {})
  }
  watcher.on('all', (_kind, path) => notice(resolve(path)))
  const ready = new Promise<void>((done) => watcher.on('ready', () => done()))
  await Promise.race([ready, stopped])
  const refusals = [...known.problems, ...known.differing()]
  if (!signal.aborted) onEvent({ kind: 'ready', file: project.root, written: [], refusals, ms: 0 })
  await stopped
  await watcher.close()
  await last
}

const unwatched = 300

type Change = Omit<WatchEvent, 'ms'>

class Known {
  readonly root: string
  readonly sources: readonly string[]
  readonly tangling: TangleOptions
  /** What was wrong with the book at the start. */
  readonly problems: Obstacle[]
  readonly books: Set<string>
  /** Texts by path, of documents and of tangled files that agreed with them. */
  readonly texts = new Map<string, string>()
  /** The document of each tangled file. */
  readonly documents = new Map<string, string>()

  constructor(root: string, sources: readonly string[], book: Book, tangling: TangleOptions) {
    this.root = root
    this.sources = sources
    this.tangling = tangling
    this.books = new Set(book.documents)
    this.problems = book.problems.map(({ file, line, message }) => {
      return { message, places: [{ file, line, column: null }] }
    })
    for (const file of book.documents) this.texts.set(file, readFileSync(file, 'utf8'))
    for (const { path, document, text } of book.targets) {
      this.documents.set(path, document)
      if (readFile(path) === text) this.texts.set(path, text)
    }
  }

  /** Whether a file is a document of the project, and not one that git ignores. */
  isDocument(path: string): boolean {
    if (!path.endsWith('.org')) return false
    if (!this.books.has(path) && findDocuments(this.sources).includes(path)) this.books.add(path)
    return this.books.has(path)
  }

  /** Whether a file holds at this moment what it was last seen with. */
  holds(path: string): boolean {
    const text = this.texts.get(path)
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    return text !== undefined && isFile && readFileSync(path).equals(Buffer.from(text))
  }

  /** The document that has a tangled file, if it is still there. */
  owner(path: string): string | null {
    const document = this.documents.get(path)
    return document !== undefined && existsSync(document) ? document : null
  }

  /** All tangled files. */
  files(): string[] {
    return [...this.documents.keys()]
  }

  /** The tangled files that do not agree with their documents. */
  differing(): Obstacle[] {
    return [...this.documents]
      .filter(([path]) => !this.texts.has(path) && existsSync(path))
      .map(([path, document]) =>
        obstacle(`this differs from its document; ${advice}`, path, document),
      )
  }
}

function agreed(known: Known, file: string, text: string, targets: readonly Target[]): void {
  for (const [path, document] of known.documents) {
    if (document !== file || targets.some((target) => target.path === path)) continue
    known.documents.delete(path)
    known.texts.delete(path)
  }
  known.texts.set(file, text)
  for (const { path, text: code } of targets) {
    known.documents.set(path, file)
    known.texts.set(path, code)
  }
}

/** Does what a change of a file asks for; null when it is no change. */
async function changed(known: Known, path: string): Promise<Change | null> {
  const document = known.documents.get(path)
  try {
    if (document === undefined && !known.isDocument(path)) return null
    if (known.holds(path)) return null
    const text = await settled(path, document === undefined ? 2 : 30)
    if (text === null || text === known.texts.get(path)) return null
    return document === undefined
      ? await tangleSaved(known, path, text)
      : await carrySaved(known, path, text, document)
  } catch (error) {
    const at = error instanceof OrgSourceError ? (document ?? path) : path
    return { kind: 'problem', file: path, written: [], refusals: [problem(at, error)] }
  }
}

async function tangleSaved(known: Known, file: string, text: string): Promise<Change> {
  const change = { file, written: [] as string[], refusals: [] as Obstacle[] }
  const { targets, lost } = tangleDocument(file, text, known.tangling)
  const book: Book = { documents: [file], targets: [], problems: [], warnings: [] }
  for (const target of targets) {
    const message = objection(known, file, target)
    if (message !== null) {
      change.refusals.push(obstacle(message, target.path, file, target.line))
    }
    book.targets.push({ ...target, document: file })
  }
  if (change.refusals.length > 0) return { kind: 'conflict', ...change }
  const plan = makePlan(known.root, book, [])
  for (const { message, line } of plan.conflicts) {
    change.refusals.push({ message, places: [{ file, line, column: null }] })
  }
  if (change.refusals.length > 0) return { kind: 'conflict', ...change }
  await carryOut(plan, undefined, { waiting: false })
  agreed(known, file, text, targets)
  for (const { message, line } of lost) {
    change.refusals.push({ message, places: [{ file, line, column: null }] })
  }
  const written = plan.files.filter(({ action }) => action !== 'same').map(({ path }) => path)
  return { kind: 'tangled', ...change, written }
}

function objection(known: Known, file: string, { path, text }: Target): string | null {
  const owner = known.owner(path) ?? file
  if (owner !== file) return `this is described by ${relative(known.root, owner)} as well`
  if (known.books.has(path)) return 'this is itself a document'
  const found = statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : null
  const seen = [text, known.texts.get(path)].some(
    (one) => one !== undefined && found?.equals(Buffer.from(one)),
  )
  return found === null || seen ? null : bothEdited
}

async function carrySaved(
  known: Known,
  path: string,
  code: string,
  document: string,
): Promise<Change> {
  const change = { file: path, written: [] as string[], refusals: [] as Obstacle[] }
  const refused = (...refusals: Obstacle[]): Change => ({ ...change, kind: 'conflict', refusals })
  if (!existsSync(document)) return refused(obstacle('its document is gone', path, document))
  const text = readExactly(document)
  const { targets } = tangleDocument(document, text, known.tangling)
  if (targets.some((target) => target.path === path && target.text === code)) {
    known.texts.set(path, code)
    const all = targets.every((target) => known.texts.get(target.path) === target.text)
    if (all) agreed(known, document, text, targets)
    return { ...change, kind: 'carried-back' }
  }
  const seen = known.texts.get(document) === text && known.texts.has(path)
  if (!seen) return refused(obstacle(bothEdited, path, document))
  let edited = new Map([[path, code]])
  let result = carryBack(document, text, edited, known.tangling)
  if ('refusals' in result) {
    edited = await editedBeside(known, path, code, targets)
    if (edited.size > 1) result = carryBack(document, text, edited, known.tangling)
  }
  if ('refusals' in result) return refused(...result.refusals)
  const files = [textChange(document, document, text, result.text)]
  await carryOut({ root: known.root, files, conflicts: [] })
  known.texts.set(document, result.text)
  for (const [file, now] of edited) known.texts.set(file, now)
  return { ...change, kind: 'carried-back', written: [document] }
}

async function editedBeside(
  known: Known,
  path: string,
  code: string,
  targets: readonly Target[],
): Promise<Map<string, string>> {
  const edited = new Map([[path, code]])
  for (const { path: other, text } of targets) {
    if (other === path || known.texts.get(other) !== text) continue
    const found = await settled(other, 30)
    if (found !== null && found !== text) edited.set(other, found)
  }
  return edited
}

const advice = 'org-tangle takes the document, org-tangle --detangle --force the code'
const bothEdited = `both sides were edited, and neither was touched; ${advice}`

function obstacle(message: string, path: string, document: string, line = 1): Obstacle {
  const places = [
    { file: path, line: 1, column: null },
    { file: document, line, column: null },
  ]
  return { message, places }
}

function problem(file: string, error: unknown): Obstacle {
  const message = error instanceof Error ? error.message : String(error)
  const path = error instanceof WriteError ? error.file.path : file
  const line = error instanceof OrgSourceError ? error.line : 1
  return { message, places: [{ file: path, line, column: null }] }
}

async function settled(path: string, pause: number): Promise<string | null> {
  for (;;) {
    const before = statSync(path, { throwIfNoEntry: false })
    if (before === undefined || !before.isFile()) return null
    const bytes = readFileSync(path)
    await setTimeout(before.size === 0 ? pause * 10 : pause)
    const after = statSync(path, { throwIfNoEntry: false })
    if (after !== undefined && after.mtimeMs === before.mtimeMs && after.size === before.size) {
      return exactText(path, bytes)
    }
  }
}
