import { existsSync, lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Book, BookTarget, Problem } from '../blocks/book.ts'
import { isOutside } from '../project/documents.ts'

/** How the disk compares with a target. */
export type TargetState = 'same' | 'missing' | 'different'

/** What is written of a target: all but the map of its text, which may be bytes as well. */
export type FileTarget = Omit<BookTarget, 'code' | 'text'> & { text: string | Buffer }

/** Compares the bytes, and the permissions where a block asks for them. */
export function targetState(target: FileTarget): TargetState {
  return stateOf(target, readIfThere(target.path))
}

function stateOf(target: FileTarget, found: Buffer | null): TargetState {
  if (found === null) return 'missing'
  if (!found.equals(Buffer.from(target.text))) return 'different'
  return target.mode === null || hasMode(target.path, target.mode) ? 'same' : 'different'
}

function hasMode(path: string, mode: number): boolean {
  return process.platform === 'win32' || ((statSync(path).mode ^ mode) & 0o7755) === 0
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
  target: FileTarget | null
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
  const disk = new Disk()
  const documents = book.documents.map((path) => disk.lookUp(path).real)
  const taken = new Map<string, BookTarget | null>(documents.map((path) => [path, null]))
  for (const target of book.targets) {
    const file = planTarget(root, target, taken, disk)
    if (typeof file !== 'string') plan.files.push(file)
    else plan.conflicts.push(problem(target, file))
  }
  for (const path of book.problems.length > 0 ? [] : remove) {
    const found = lstatSync(path).isFile() ? readFileSync(path) : null
    plan.files.push({ action: 'delete', path, real: path, target: null, found })
  }
  return plan
}

function problem(target: FileTarget, message: string): Problem {
  return { code: 'conflict', file: target.document, line: target.line, message }
}

function planTarget(
  root: string,
  target: BookTarget,
  taken: Map<string, BookTarget | null>,
  disk: Disk,
): PlannedFile | string {
  const { path } = target
  const { real, stats } = disk.lookUp(path)
  if (isOutside(disk.folder(root), real)) {
    return `${path} is a link to ${real}, which is outside the project`
  }
  const other = taken.get(real)
  if (other !== undefined) {
    const place = other === null ? '' : `${relative(root, other.document)}:${other.line}`
    const what = other === null ? 'a document' : `the target of ${place}`
    return `${path} leads to ${real}, which is ${what}`
  }
  taken.set(real, target)
  if (stats?.isDirectory()) return `${path} is a folder`
  if (stats === null && !target.makeDirectories && !existsSync(dirname(real))) {
    return `The folder ${dirname(path)} does not exist; make it, or add :mkdirp yes`
  }
  const found = stats === null ? null : readIfThere(real)
  const state = stateOf(target, found)
  const action = state === 'missing' ? 'create' : state === 'different' ? 'change' : 'same'
  return { action, path, real, target, found }
}

class Disk {
  readonly #folders = new Map<string, string>()

  /** Where a path leads, and what is there; null for nothing. */
  lookUp(path: string): { real: string; stats: Stats | null } {
    const real = join(this.folder(dirname(path)), basename(path))
    const stats = lstatSync(real, { throwIfNoEntry: false }) ?? null
    if (stats === null || !stats.isSymbolicLink()) return { real, stats }
    const behind = statSync(real, { throwIfNoEntry: false }) ?? null
    return { real: behind === null ? real : realpathSync.native(real), stats: behind }
  }

  folder(path: string): string {
    const known = this.#folders.get(path)
    if (known !== undefined) return known
    const exists = existsSync(path) || dirname(path) === path
    const real = exists
      ? realpathSync.native(path)
      : join(this.folder(dirname(path)), basename(path))
    this.#folders.set(path, real)
    return real
  }
}

/** The step of a plan that gives a file a new text, if its text is still what it was. */
export function textChange(
  path: string,
  document: string,
  before: string,
  text: string,
): PlannedFile {
  const about = { document, lines: [], line: 1, mode: null, makeDirectories: false }
  const target = { path, text, ...about }
  return { action: 'change', path, real: realpathSync(path), target, found: Buffer.from(before) }
}
