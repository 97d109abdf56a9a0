import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { watch } from 'chokidar'
import { OrgSourceError } from 'org-ast'
import { type Book, findDocuments, projectOptions, readBook, readFile } from './book.ts'
import { carryBack } from './detangle.ts'
import { makePlan, type Plan, textChange } from './plan.ts'
import type { Obstacle } from './rename.ts'
import { findProject } from './settings.ts'
import { type TangleOptions, tangleText } from './targets.ts'
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
  const book = readBook(project.root, findDocuments(sources), projectOptions(project))
  const known = new Known(project.root, book)
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
      const event = await known.changed(resolve(path))
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
  readonly #root: string
  readonly #options: TangleOptions | undefined
  /** Texts by path, of documents and of tangled files that agreed with them. */
  readonly #texts = new Map<string, string>()
  /** The document of each tangled file. */
  readonly #documents = new Map<string, string>()

  constructor(root: string, book: Book) {
    this.#root = root
    this.#options = book.options
    for (const file of book.documents) this.#texts.set(file, readFileSync(file, 'utf8'))
    for (const { path, document, text } of book.targets) {
      this.#documents.set(path, document)
      if (readFile(path) === text) this.#texts.set(path, text)
    }
  }

  /** All tangled files. */
  files(): string[] {
    return [...this.#documents.keys()]
  }

  /** The tangled files that do not agree with their documents. */
  differing(): Obstacle[] {
    return [...this.#documents]
      .filter(([path]) => !this.#texts.has(path) && existsSync(path))
      .map(([path, document]) => conflict([path, document]))
  }

  /** Does what a change of a file asks for; null when it is no change. */
  async changed(path: string): Promise<Change | null> {
    const document = this.#documents.get(path)
    if (document === undefined && !path.endsWith('.org')) return null
    const text = await settled(path, document === undefined ? 2 : 30)
    if (text === null || text === this.#texts.get(path)) return null
    try {
      return document === undefined
        ? await this.#tangle(path, text)
        : await this.#carryBack(path, text, document)
    } catch (error) {
      return { kind: 'problem', file: path, written: [], refusals: [problem(path, error)] }
    }
  }

  async #tangle(file: string, text: string): Promise<Change> {
    const change = { file, written: [] as string[], refusals: [] as Obstacle[] }
    const { targets } = tangleText(file, text, this.#options)
    const book: Book = { documents: [file], targets: [], problems: [], warnings: [] }
    for (const target of targets) {
      const owner = this.#documents.get(target.path) ?? file
      const found = readFile(target.path)
      const unseen =
        found !== null && found !== target.text && found !== this.#texts.get(target.path)
      if (owner !== file || unseen) change.refusals.push(conflict([target.path, file]))
      book.targets.push({ ...target, document: file })
    }
    if (change.refusals.length > 0) return { kind: 'conflict', ...change }
    const plan = makePlan(this.#root, book, [])
    await carryOut(plan)
    this.#texts.set(file, text)
    for (const { path, text: code } of targets) {
      this.#documents.set(path, file)
      this.#texts.set(path, code)
    }
    const written = plan.files.filter(({ action }) => action !== 'same').map(({ path }) => path)
    return { kind: 'tangled', ...change, written }
  }

  async #carryBack(path: string, code: string, document: string): Promise<Change> {
    const text = readFileSync(document, 'utf8')
    const change = { file: path, written: [], refusals: [conflict([path, document])] }
    const agrees = tangleText(document, text, this.#options).targets.some((target) => {
      return target.path === path && target.text === code
    })
    if (agrees) {
      this.#texts.set(path, code)
      return { ...change, kind: 'carried-back', refusals: [] }
    }
    const seen = this.#texts.get(document) === text && this.#texts.has(path)
    if (!seen) return { ...change, kind: 'conflict' }
    const result = carryBack(document, text, new Map([[path, code]]), this.#options)
    if ('refusals' in result) return { ...change, kind: 'conflict', refusals: result.refusals }
    const files = [textChange(document, document, text, result.text)]
    const plan: Plan = { root: this.#root, files, conflicts: [] }
    await carryOut(plan)
    this.#texts.set(document, result.text)
    this.#texts.set(path, code)
    return { ...change, kind: 'carried-back', written: [document], refusals: [] }
  }
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
