import { resolve } from 'node:path'
import {
  type Book,
  findDocuments,
  type Problem,
  projectOptions,
  readBook,
  staleFiles,
} from './book.ts'
import { makePlan, type Plan } from './plan.ts'
import { findProject, type Project } from './settings.ts'
import type { TangleOptions } from './targets.ts'

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
  const { cwd = process.cwd(), paths = [], signal, onProgress } = options
  const project = findProject(cwd)
  const [places, from] = paths.length > 0 ? [paths, cwd] : [project.sources, project.root]
  const documents = findDocuments(places.map((place) => resolve(from, place)))
  const book = readBook(
    project.root,
    documents,
    { ...projectOptions(project), ...options.say },
    (done) => onProgress?.(done, documents.length),
  )
  const isWhole =
    paths.length === 0 &&
    options.say === undefined &&
    book.problems.every(({ code }) => code !== 'document')
  const stale = isWhole ? staleFiles(project, book) : []
  const known = [...documents, ...(paths.length > 0 ? otherDocuments(project, book) : [])]
  const plan = makePlan(project.root, { ...book, documents: known }, options.prune ? stale : [])
  plan.conflicts.unshift(...book.problems.filter(({ code }) => code !== 'document'))
  const problems = [...book.problems.filter(({ code }) => code === 'document'), ...plan.conflicts]
  const outcome: Outcome = { project, book, plan, stale, problems, written: false }
  if (!options.rehearse && plan.conflicts.length === 0) await write(outcome, signal)
  return outcome
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

function otherDocuments(project: Project, book: Book): string[] {
  if (!book.targets.some(({ path }) => path.endsWith('.org'))) return []
  return findDocuments(project.sources.map((place) => resolve(project.root, place)))
}
