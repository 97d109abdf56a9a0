import { matchesGlob, relative, resolve } from 'node:path'
import type { Book, Problem } from '../blocks/book.ts'
import type { TangleOptions } from '../blocks/targets.ts'
import { findDocuments, staleFiles } from '../project/documents.ts'
import { findProject, type Project } from '../project/settings.ts'
import { recall, remember, type Unchanged, type Witness, witness } from './unchanged.ts'
import { makePlan, type Plan } from './write-plan.ts'

/** What a run is asked for. */
export interface RunOptions {
  /** The folder to begin from; by default the current one. */
  cwd?: string
  /** Documents, or folders of them, relative to `cwd`; none for those of the project. */
  paths?: readonly string[]
  /** What is said to every document, stronger than the settings of the project. */
  say?: TangleOptions
  /** Plan, and write nothing. */
  rehearse?: boolean
  /** Remove files in owned folders that no document describes. */
  prune?: boolean
  /** Stops the run before anything is written. */
  signal?: AbortSignal
  /**
   * A folder in which to remember that there was nothing left to do. When nothing has changed since
   * then, the documents are not read, and the book of the outcome has no targets. By default none.
   */
  memory?: string
  /** Told how many documents of how many have been read. */
  onProgress?: (done: number, total: number) => void
}

/** What a run found and did. */
export interface Outcome {
  project: Project
  book: Book
  plan: Plan
  /** Absolute paths of files that no document describes, whether they were removed or not. */
  stale: string[]
  /** The problems of the documents, then the conflicts of the plan, then those of the disk. */
  problems: Problem[]
  /** Whether the plan was carried out. */
  written: boolean
}

/**
 * Tangles a project, or some of its documents. Problems are returned; what is thrown is about the
 * run as a whole: settings that cannot be read, a path that does not exist, the reason of `signal`.
 */
export async function tangle(options: RunOptions = {}): Promise<Outcome> {
  const { cwd = process.cwd(), paths = [], memory, say } = options
  const project = findProject(cwd)
  const [places, from] = paths.length > 0 ? [paths, cwd] : [project.sources, project.root]
  const documents = findDocuments(places.map((place) => resolve(from, place)))
  const isWhole = paths.length === 0 && say === undefined
  const folder = isWhole ? memory : undefined
  const known = folder === undefined ? null : recall(folder, project, documents)
  if (known !== null) return unchanged(project, known)
  const outcome = await read(project, documents, isWhole, options)
  const { book, plan, problems, stale, seen } = outcome
  if (!options.rehearse && plan.conflicts.length === 0) await write(outcome, options.signal)
  const isDone = outcome.written || plan.files.every(({ action }) => action === 'same')
  const isQuiet = [problems, stale, book.warnings].every((list) => list.length === 0)
  if (folder !== undefined && isDone && isQuiet) remember(folder, project, book, plan, seen)
  return outcome
}

async function read(
  project: Project,
  documents: string[],
  isWhole: boolean,
  { onProgress, paths = [], prune, say }: RunOptions,
): Promise<Outcome & { seen: Witness }> {
  const { projectOptions, readBook, readFile } = await import('../blocks/book.ts')
  const seen = witness({ ...projectOptions(project), ...say }, readFile)
  const onDocument = (done: number) => onProgress?.(done, documents.length)
  const book = readBook(project.root, documents, seen.options, { ...seen.listener, onDocument })
  book.warnings = book.warnings.filter((warning) => !isMuted(project, warning))
  const isUnread = book.problems.some(({ code }) => code === 'document')
  const isComplete = isWhole && !isUnread && !book.warnings.some(isLoss)
  const stale = isComplete ? staleFiles(project, book) : []
  const known = [...documents, ...(paths.length > 0 ? otherDocuments(project, book) : [])]
  const plan = makePlan(project.root, { ...book, documents: known }, prune ? stale : [])
  plan.conflicts.unshift(...book.problems.filter(({ code }) => code !== 'document'))
  const problems = [...book.problems.filter(({ code }) => code === 'document'), ...plan.conflicts]
  return { project, book, plan, stale, problems, written: false, seen }
}

function unchanged(project: Project, { documents, files }: Unchanged): Outcome {
  const book: Book = { documents, targets: [], problems: [], warnings: [] }
  const plan: Plan = { root: project.root, files, conflicts: [] }
  return { project, book, plan, stale: [], problems: [], written: false }
}

async function write(outcome: Outcome, signal: AbortSignal | undefined): Promise<void> {
  const { carryOut, WriteError } = await import('./write.ts')
  try {
    await carryOut(outcome.plan, signal)
    outcome.written = true
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    const { target, path } = error.file
    const place = { file: target?.document ?? path, line: target?.line ?? 1 }
    outcome.problems.push({ code: 'conflict', ...place, message: error.message })
  }
}

/** Whether a warning is about code that is lost, which is a failure though everything was written. */
export function isLoss({ code }: Problem): boolean {
  return code === 'conflict-marker' || code === 'unclosed-block'
}

function isMuted({ root, lint }: Project, { code, file }: Problem): boolean {
  const rule = (lint as Record<string, unknown> | undefined)?.[code]
  const { severity, ignore } = (typeof rule === 'object' ? rule : { severity: rule }) as {
    severity?: unknown
    ignore?: unknown
  }
  const globs = Array.isArray(ignore) ? ignore.map(String) : []
  return severity === 'off' || globs.some((glob) => matchesGlob(relative(root, file), glob))
}

function otherDocuments(project: Project, book: Book): string[] {
  if (!book.targets.some(({ path }) => path.endsWith('.org'))) return []
  return findDocuments(project.sources.map((place) => resolve(project.root, place)))
}
