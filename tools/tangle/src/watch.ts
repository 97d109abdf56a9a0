import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { watch } from 'chokidar'
import { OrgSourceError } from 'org-ast'
import {
  type Book,
  findDocuments,
  projectOptions,
  readBook,
  readFile,
  tangleDocument,
} from './book.ts'
import { carryBack } from './detangle.ts'
import { makePlan, type Plan, textChange } from './plan.ts'
import type { Obstacle } from './rename.ts'
import { findProject } from './settings.ts'
import type { TangleOptions } from './targets.ts'
import { carryOut, WriteError } from './write.ts'

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
  const known = new Known(project.root, book, tangling)
  const ignored = /[/\\](?:node_modules|\.git)(?:[/\\]|$)|[/\\]\.[^/\\]*\.(?:tmp|org-tangle)$/
  const watcher = watch([...sources, ...known.files()], { ignored, ignoreInitial: true })
  const stopped = new Promise<void>((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
  let last: Promise<void> = Promise.resolve()
  watcher.on('all', (_kind, path) => {
    const began = performance.now()
    last = last.then(async () => {
      const event = await changed(known, resolve(path))
      if (event === null || signal.aborted) return
      watcher.add(known.files())
      onEvent({ ...event, ms: performance.now() - began })
    })
  })
  const ready = new Promise<void>((done) => watcher.on('ready', () => done()))
  await Promise.race([ready, stopped])
  const refusals = known.differing()
  if (!signal.aborted) onEvent({ kind: 'ready', file: project.root, written: [], refusals, ms: 0 })
  await stopped
  await watcher.close()
  await last
}

type Change = Omit<WatchEvent, 'ms'>

class Known {
  readonly root: string
  readonly tangling: TangleOptions
  /** Texts by path, of documents and of tangled files that agreed with them. */
  readonly texts = new Map<string, string>()
  /** The document of each tangled file. */
  readonly documents = new Map<string, string>()

  constructor(root: string, book: Book, tangling: TangleOptions) {
    this.root = root
    this.tangling = tangling
    for (const file of book.documents) this.texts.set(file, readFileSync(file, 'utf8'))
    for (const { path, document, text } of book.targets) {
      this.documents.set(path, document)
      if (readFile(path) === text) this.texts.set(path, text)
    }
  }

  /** All tangled files. */
  files(): string[] {
    return [...this.documents.keys()]
  }

  /** The tangled files that do not agree with their documents. */
  differing(): Obstacle[] {
    return [...this.documents]
      .filter(([path]) => !this.texts.has(path) && existsSync(path))
      .map(([path, document]) => conflict([path, document]))
  }
}

/** Does what a change of a file asks for; null when it is no change. */
async function changed(known: Known, path: string): Promise<Change | null> {
  const document = known.documents.get(path)
  if (document === undefined && !path.endsWith('.org')) return null
  const text = await settled(path, document === undefined ? 2 : 30)
  if (text === null || text === known.texts.get(path)) return null
  try {
    return document === undefined
      ? await tangleSaved(known, path, text)
      : await carrySaved(known, path, text, document)
  } catch (error) {
    return { kind: 'problem', file: path, written: [], refusals: [problem(path, error)] }
  }
}

async function tangleSaved(known: Known, file: string, text: string): Promise<Change> {
  const change = { file, written: [] as string[], refusals: [] as Obstacle[] }
  const { targets } = tangleDocument(file, text, known.tangling)
  const book: Book = { documents: [file], targets: [], problems: [], warnings: [] }
  for (const target of targets) {
    const owner = known.documents.get(target.path) ?? file
    const found = readFile(target.path)
    const unseen = found !== null && found !== target.text && found !== known.texts.get(target.path)
    if (owner !== file || unseen) change.refusals.push(conflict([target.path, file]))
    book.targets.push({ ...target, document: file })
  }
  if (change.refusals.length > 0) return { kind: 'conflict', ...change }
  const plan = makePlan(known.root, book, [])
  await carryOut(plan)
  known.texts.set(file, text)
  for (const { path, text: code } of targets) {
    known.documents.set(path, file)
    known.texts.set(path, code)
  }
  const written = plan.files.filter(({ action }) => action !== 'same').map(({ path }) => path)
  return { kind: 'tangled', ...change, written }
}

async function carrySaved(
  known: Known,
  path: string,
  code: string,
  document: string,
): Promise<Change> {
  const text = readFileSync(document, 'utf8')
  const change = { file: path, written: [], refusals: [conflict([path, document])] }
  const agrees = tangleDocument(document, text, known.tangling).targets.some((target) => {
    return target.path === path && target.text === code
  })
  if (agrees) {
    known.texts.set(path, code)
    return { ...change, kind: 'carried-back', refusals: [] }
  }
  const seen = known.texts.get(document) === text && known.texts.has(path)
  if (!seen) return { ...change, kind: 'conflict' }
  const result = carryBack(document, text, new Map([[path, code]]), known.tangling)
  if ('refusals' in result) return { ...change, kind: 'conflict', refusals: result.refusals }
  const files = [textChange(document, document, text, result.text)]
  const plan: Plan = { root: known.root, files, conflicts: [] }
  await carryOut(plan)
  known.texts.set(document, result.text)
  known.texts.set(path, code)
  return { ...change, kind: 'carried-back', written: [document], refusals: [] }
}

function conflict(files: readonly string[]): Obstacle {
  const message = 'both sides differ from what was last seen, and neither was touched'
  return { message, places: files.map((file) => ({ file, line: 1, column: null })) }
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
    const text = readFile(path)
    await setTimeout(before.size === 0 ? pause * 10 : pause)
    const after = statSync(path, { throwIfNoEntry: false })
    if (after !== undefined && after.mtimeMs === before.mtimeMs && after.size === before.size) {
      return text
    }
  }
}
