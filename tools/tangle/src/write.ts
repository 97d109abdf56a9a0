import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { BookTarget } from './book.ts'

/** How the disk compares with a target. */
export type TargetState = 'same' | 'missing' | 'different'

/** Compares the bytes, and the permissions where a block asks for them. */
export function targetState(target: BookTarget): TargetState {
  if (!existsSync(target.path)) return 'missing'
  if (!readFileSync(target.path).equals(Buffer.from(target.text))) return 'different'
  return target.mode === null || hasMode(target.path, target.mode) ? 'same' : 'different'
}

function hasMode(path: string, mode: number): boolean {
  return process.platform === 'win32' || ((statSync(path).mode ^ mode) & 0o7755) === 0
}

/**
 * Writes a target when it differs, and says whether it did. The file is replaced whole.
 * Throws an Error when its folder is missing without `:mkdirp`, or when a link leads out of `root`.
 */
export function writeTarget(root: string, target: BookTarget): boolean {
  if (targetState(target) === 'same') return false
  const folder = dirname(target.path)
  const path = realPath(target.path)
  if (relative(realpathSync(root), path).startsWith('..')) {
    throw new Error(`${target.path} is a link to ${path}, which is outside the project`)
  }
  if (!existsSync(folder)) {
    if (!target.makeDirectories) {
      throw new Error(`The folder ${folder} does not exist; make it, or add :mkdirp yes`)
    }
    mkdirSync(folder, { recursive: true })
  }
  replaceFile(path, target.text, target.mode)
  return true
}

function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path)
  return join(realPath(dirname(path)), basename(path))
}

function replaceFile(path: string, text: string, mode: number | null): void {
  const kept = existsSync(path) ? statSync(path).mode & 0o777 : null
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    writeFileSync(temporary, text, { flag: 'wx' })
    if (mode !== null || kept !== null) chmodSync(temporary, mode ?? kept!)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}
