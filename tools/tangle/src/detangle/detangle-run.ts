import { realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { OrgSourceError } from 'org-ast'
import {
  type Book,
  type BookTarget,
  projectOptions,
  readBook,
  readExactly,
} from '../blocks/book.ts'
import type { TangleOptions } from '../blocks/targets.ts'
import { findDocuments } from '../project/documents.ts'
import { findProject } from '../project/settings.ts'
import { unifiedDiff } from '../run/diff.ts'
import { carryOut, WriteError } from '../run/write.ts'
import { type Plan, textChange } from '../run/write-plan.ts'
import { type CarriedBack, carryBack } from './detangle.ts'
import type { Obstacle } from './edits.ts'

/** What to carry back. */
export interface BackOptions {
  /** The folder to begin from; by default the current one. */
  cwd?: string
  /** Tangled files, or documents, relative to `cwd`; none for all of the project. */
  paths?: readonly string[]
  /** Look, and write nothing. */
  rehearse?: boolean
  /** Take the code for the newer side although the document was saved later. */
  force?: boolean
}

/** What was carried back, or why nothing was. */
export interface BackOutcome {
  root: string
  documents: DocumentChange[]
  refusals: Obstacle[]
  written: boolean
}

/** A document with the edits that it got. */
export interface DocumentChange {
  file: string
  before: string
  after: string
  /** How many places of it change. */
  count: number
  /** The edited files, absolute. */
  from: string[]
}

/**
 * Carries the edits in tangled files back into the documents, or says why that cannot be; then
 * nothing is written. Throws for settings that cannot be read, and for a path that is no file of
 * the project.
 */
export async function detangle(options: BackOptions = {}): Promise<BackOutcome> {
  const { cwd = process.cwd(), paths = [], rehearse = false, force = false } = options
  const project = findProject(cwd)
  const sources = project.sources.map((place) => resolve(project.root, place))
  const tangling = projectOptions(project)
  const named = paths.map((path) => resolve(cwd, path)).filter((path) => path.endsWith('.org'))
  const book = readBook(project.root, findDocuments([...sources, ...named]), tangling)
  const outcome: BackOutcome = {
    root: project.root,
    documents: [],
    refusals: [],
    written: false,
  }
  const targets = chosen(book, cwd, paths)
  const documents = new Set(targets.map(({ document }) => document))
  for (const { code, file, line, message } of book.problems) {
    if (targets.length > 0 && paths.length > 0 && code === 'document' && !documents.has(file))
      continue
    outcome.refusals.push({ message, places: [{ file, line, column: null }] })
  }
  const edited = editedFiles(outcome, targets)
  for (const [file, targets] of edited) addDocument(outcome, file, targets, { force, tangling })
  if (outcome.refusals.length === 0 && !rehearse) await write(outcome)
  return outcome
}

function chosen(book: Book, cwd: string, paths: readonly string[]): BookTarget[] {
  if (paths.length === 0) return book.targets
  return paths.flatMap((path) => {
    const file = resolve(cwd, path)
    const found = book.targets.filter((target) => {
      return [target.path, target.document].some((one) => `${one}${sep}`.startsWith(file + sep))
    })
    if (found.length === 0 && book.problems.length === 0) {
      throw new Error(`nothing is tangled to ${path}`)
    }
    return found
  })
}

function editedFiles(
  outcome: BackOutcome,
  targets: readonly BookTarget[],
): Map<string, Map<string, string>> {
  const edited = new Map<string, Map<string, string>>()
  for (const { path, document, text, line } of targets) {
    try {
      const found = editedText(outcome.root, path, text)
      if (found === null) continue
      const files = edited.get(document) ?? new Map()
      edited.set(document, files.set(path, found))
    } catch (error) {
      refuseFile(outcome, path, { file: document, line }, error)
    }
  }
  return edited
}

function editedText(root: string, path: string, tangled: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  if (stats.isDirectory()) throw new Error(`${path} is a folder`)
  const found = readExactly(path)
  if (found === tangled) return null
  const real = realpathSync(path)
  const inside = real.startsWith(`${realpathSync(root)}${sep}`)
  if (!inside) throw new Error(`${path} is a link to ${real}, which is outside the project`)
  return found
}

function refuseFile(
  outcome: BackOutcome,
  path: string,
  from: { file: string; line: number },
  error: unknown,
): void {
  const message = error instanceof Error ? error.message : String(error)
  const places = [
    { file: path, line: 1, column: null },
    { ...from, column: null },
  ]
  outcome.refusals.push({ message, places })
}

function addDocument(
  outcome: BackOutcome,
  file: string,
  edited: ReadonlyMap<string, string>,
  { force, tangling }: { force: boolean; tangling: TangleOptions },
): void {
  const saved = statSync(file).mtimeMs
  const older = [...edited.keys()].filter((path) => statSync(path).mtimeMs < saved)
  if (older.length > 0 && !force) {
    outcome.refusals.push({
      message: 'the document was saved after the code; tangle it, or say --force',
      places: [file, ...older].map((path) => ({ file: path, line: 1, column: null })),
    })
    return
  }
  let before: string
  try {
    before = readExactly(file)
  } catch (error) {
    const [path = file] = edited.keys()
    refuseFile(outcome, path, { file, line: 1 }, error)
    return
  }
  const result = carried(file, before, edited, tangling)
  if ('refusals' in result) outcome.refusals.push(...result.refusals)
  else {
    const { text: after, count } = result
    outcome.documents.push({ file, before, after, count, from: [...edited.keys()] })
  }
}

function carried(
  file: string,
  text: string,
  edited: ReadonlyMap<string, string>,
  tangling: TangleOptions,
): CarriedBack {
  try {
    return carryBack(file, text, edited, tangling)
  } catch (error) {
    if (!(error instanceof OrgSourceError)) throw error
    const places = [{ file, line: error.line, column: null }]
    return { refusals: [{ message: error.message, places }] }
  }
}

async function write(outcome: BackOutcome): Promise<void> {
  const files = outcome.documents.map(({ file, before, after }) => {
    return textChange(file, file, before, after)
  })
  const plan: Plan = { root: outcome.root, files, conflicts: [] }
  try {
    await carryOut(plan)
    outcome.written = true
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    const places = [{ file: error.file.path, line: 1, column: null }]
    outcome.refusals.push({ message: error.message, places })
  }
}

/** The changes of the documents as unified diffs, with paths relative to the project. */
export function backDiff({ root, documents }: BackOutcome): string {
  return unifiedDiff(root, documents)
}

/** What the command prints about it, on standard output and on standard error. */
export function backLines(
  outcome: BackOutcome,
  cwd: string,
  rehearse: boolean,
): { out: string[]; error: string[] } {
  const show = (path: string) => relative(cwd, path)
  const error = outcome.refusals.map(({ message, places }) => {
    const [first, ...others] = places.map(({ file, line }) => `${show(file)}:${line}`)
    return `${first}: ${message}${others.length > 0 ? ` (${others.join(', ')})` : ''}`
  })
  if (error.length > 0) return { out: [], error: [...error, 'nothing was written'] }
  if (rehearse) return { out: backDiff(outcome).split('\n').slice(0, -1), error }
  const out = outcome.documents.map(({ file, count, from }) => {
    return `${show(file)}: ${count} ${count === 1 ? 'change' : 'changes'} from ${from.map(show).join(', ')}`
  })
  return { out: out.length > 0 ? out : ['no tangled file was edited'], error }
}
