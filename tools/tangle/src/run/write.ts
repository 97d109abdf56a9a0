import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Plan, PlannedFile } from './write-plan.ts'

/** A file of a plan that could not be written; nothing of the plan was. */
export class WriteError extends Error {
  readonly file: PlannedFile

  constructor(file: PlannedFile, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'WriteError'
    this.file = file
  }
}

/**
 * Carries a plan out. Files that are the same are not touched, the others are replaced whole.
 * Throws a WriteError, or the reason of `signal`, and then nothing has changed; a plan with
 * conflicts is refused with a RangeError. Without `waiting` the disk is left to finish by itself.
 * With `journal`, `finishInterrupted` completes what a killed process has begun to replace.
 */
export async function carryOut(
  plan: Plan,
  signal?: AbortSignal,
  { waiting = true, journal = false }: { waiting?: boolean; journal?: boolean } = {},
): Promise<void> {
  if (plan.conflicts.length > 0) throw new RangeError('A plan with conflicts cannot be carried out')
  const files = plan.files.filter(({ action }) => action !== 'same')
  const undo: (() => void)[] = []
  finishInterrupted(plan.root)
  removeLeftovers(plan)
  try {
    for (const [index, file] of files.entries()) {
      if (index % yieldEvery === 0) await setImmediate()
      signal?.throwIfAborted()
      attempt(file, () => stage(file, undo))
    }
    for (const file of waiting ? files : []) {
      if (file.target) attempt(file, () => sync(neighbour(file.real), 'r+'))
    }
    await setImmediate()
    signal?.throwIfAborted()
    for (const file of files) attempt(file, () => refuseIfTouched(file))
    if (journal) writeJournal(plan.root, files, undo)
    for (const file of files) attempt(file, () => replace(file, undo))
  } catch (error) {
    for (const back of undo.reverse()) quietly(back)
    throw error
  }
  for (const file of files) quietly(() => rmSync(neighbour(file.real), { force: true }))
  for (const path of new Set(waiting ? files.map(({ real }) => dirname(real)) : [])) {
    quietly(() => sync(path, 'r'))
  }
  if (journal) rmSync(journalOf(plan.root), { force: true })
}

const yieldEvery = 32

function attempt(file: PlannedFile, step: () => void): void {
  try {
    step()
  } catch (error) {
    throw error instanceof WriteError ? error : new WriteError(file, error)
  }
}

function quietly(step: () => void): void {
  try {
    step()
  } catch {}
}

function neighbour(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.org-tangle`)
}

function stage(file: PlannedFile, undo: (() => void)[]): void {
  if (file.target === null) return
  const folder = dirname(file.real)
  for (const missing of missingFolders(folder)) undo.push(() => rmdirSync(missing))
  mkdirSync(folder, { recursive: true })
  const kept = file.found === null ? null : statSync(file.real).mode & 0o777
  const mode = file.target.mode ?? kept
  writeWhole(neighbour(file.real), file.target.text, mode, undo)
}

function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder]
}

function writeWhole(
  path: string,
  data: string | Buffer,
  mode: number | null,
  undo: (() => void)[],
): void {
  const descriptor = openSync(path, 'wx')
  undo.push(() => rmSync(path, { force: true }))
  try {
    writeFileSync(descriptor, data)
  } finally {
    closeSync(descriptor)
  }
  if (mode !== null) chmodSync(path, mode)
}

function refuseIfTouched(file: PlannedFile): void {
  const isFile = lstatSync(file.real, { throwIfNoEntry: false })?.isFile()
  const now = isFile ? readFileSync(file.real) : null
  const same = now === null ? file.found === null : file.found !== null && now.equals(file.found)
  if (!same) throw new Error(`${file.path} was changed by somebody else during this run`)
}

function replace(file: PlannedFile, undo: (() => void)[]): void {
  const { real, found } = file
  const beside = neighbour(real)
  if (file.target === null) {
    renameSync(real, beside)
    undo.push(() => renameSync(beside, real))
    return
  }
  const mode = found === null ? null : statSync(real).mode & 0o777
  renameSync(beside, real)
  undo.push(() => {
    if (found === null) return rmSync(real)
    writeWhole(beside, found, mode, [])
    renameSync(beside, real)
  })
}

function removeLeftovers(plan: Plan): void {
  for (const folder of new Set(plan.files.map(({ real }) => dirname(real)))) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const pid = /^\..+\.(\d+)\.org-tangle$/.exec(name)?.[1]
      if (pid === undefined || isRunning(Number(pid))) continue
      quietly(() => rmSync(join(folder, name), { force: true }))
    }
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function sync(path: string, flag: 'r' | 'r+'): void {
  const descriptor = openSync(path, flag)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const journalOf = (root: string) => join(root, '.org-tangle-journal')

interface Journal {
  pid: number
  /** From a neighbour to a place; without a neighbour, what is removed. */
  steps: { real: string; beside: string; removes: boolean }[]
}

function writeJournal(root: string, files: readonly PlannedFile[], undo: (() => void)[]): void {
  const path = journalOf(root)
  const steps = files.map(({ real, target }) => {
    return { real, beside: neighbour(real), removes: target === null }
  })
  const journal: Journal = { pid: process.pid, steps }
  writeWhole(neighbour(path), JSON.stringify(journal), null, undo)
  sync(neighbour(path), 'r+')
  renameSync(neighbour(path), path)
  undo.push(() => rmSync(path, { force: true }))
}

/**
 * Finishes what a killed process has begun in a project. Returns how many files it was about, and
 * null when there was nothing to finish. Throws while that process is still at work.
 */
export function finishInterrupted(root: string): number | null {
  const path = journalOf(root)
  if (!existsSync(path)) return null
  const { pid, steps }: Journal = JSON.parse(readFileSync(path, 'utf8'))
  if (isRunning(pid)) throw new Error(`process ${pid} is changing this project; wait for it`)
  for (const { real, beside, removes } of steps) {
    if (!removes && existsSync(beside)) renameSync(beside, real)
    if (removes) rmSync(real, { force: true })
    if (removes) rmSync(beside, { force: true })
  }
  rmSync(path)
  return steps.length
}
