import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Book, BookTarget, Problem } from './book.ts'

/** How the disk compares with a target. */
export type TargetState = 'same' | 'missing' | 'different'

/** Compares the bytes, and the executable bits where a shebang asks for them. */
export function targetState(target: BookTarget): TargetState {
  return stateOf(target, readIfThere(target.path))
}

function stateOf(target: BookTarget, found: Buffer | null): TargetState {
  if (found === null) return 'missing'
  if (!found.equals(Buffer.from(target.text))) return 'different'
  return target.executable && !isExecutable(target.path) ? 'different' : 'same'
}

function isExecutable(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o111) === 0o111
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** What happens to one file. */
export interface PlannedFile {
  action: 'create' | 'change' | 'delete' | 'same'
  /** Absolute, as the document spells it. */
  path: string
  /** Absolute, where it leads when links are followed. */
  real: string
  /** What is to be written; null for a deletion. */
  target: BookTarget | null
  /** The bytes on the disk when the plan was made; null when there is no file. */
  found: Buffer | null
}

/** What a run does, and why it must not. */
export interface Plan {
  root: string
  files: PlannedFile[]
  /** With one of these nothing is written. */
  conflicts: Problem[]
}

/**
 * Compares every target with the disk. `remove` are absolute paths of files to be deleted. Throws
 * only for errors of the disk itself.
 */
export function makePlan(root: string, book: Book, remove: readonly string[] = []): Plan {
  const plan: Plan = { root, files: [], conflicts: [] }
  const taken = new Map(book.documents.map((path) => [realPath(path), 'a document']))
  for (const target of book.targets) {
    const file = planTarget(root, target, taken)
    if (typeof file !== 'string') plan.files.push(file)
    else plan.conflicts.push(problem(target, file))
  }
  for (const path of book.problems.length > 0 ? [] : remove) {
    const found = lstatSync(path).isFile() ? readFileSync(path) : null
    plan.files.push({ action: 'delete', path, real: path, target: null, found })
  }
  return plan
}

function problem(target: BookTarget, message: string): Problem {
  return { code: 'conflict', file: target.document, line: target.line, message }
}

function planTarget(
  root: string,
  target: BookTarget,
  taken: Map<string, string>,
): PlannedFile | string {
  const { path } = target
  const real = realPath(path)
  const local = relative(realPath(root), real)
  if (local.startsWith('..') || local.split(sep).includes('.git')) {
    return `${path} is a link to ${real}, which is outside the project`
  }
  const other = taken.get(real)
  if (other !== undefined) return `${path} leads to ${real}, which is ${other}`
  taken.set(real, `the target of ${relative(root, target.document)}:${target.line}`)
  if (existsSync(real) && statSync(real).isDirectory()) return `${path} is a folder`
  if (!target.makeDirectories && !existsSync(dirname(real))) {
    return `The folder ${dirname(path)} does not exist; make it, or add :mkdirp yes`
  }
  const found = readIfThere(real)
  const state = stateOf(target, found)
  const action = state === 'missing' ? 'create' : state === 'different' ? 'change' : 'same'
  return { action, path, real, target, found }
}

function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync.native(path)
  return join(realPath(dirname(path)), basename(path))
}
