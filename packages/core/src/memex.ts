import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { applyPatches, type Patch } from 'org-ast/edit'
import { type Ignore, parseIgnore } from './ignore.ts'

/** Why the memex refused; `path` as it was given. */
export class MemexError extends Error {
  readonly code: 'changed-underneath' | 'outside' | 'missing' | 'unreadable' | 'unwritable'
  readonly path: string

  constructor(code: MemexError['code'], path: string, message: string) {
    super(message)
    this.name = 'MemexError'
    this.code = code
    this.path = path
  }
}

/** The owner's folder of Org files. Paths are relative to it, with slashes. */
export interface Memex {
  /** Absolute, links resolved. */
  dir: string
  /** All Org files, sorted. Hidden files and folders, and links out of the folder, are not in it. */
  files(): string[]
  /** Changes whenever the file does: its time of change and its size. Throws a MemexError. */
  stamp(path: string): string
  /** The text of a file. Throws a MemexError. */
  read(path: string): string
  /**
   * Applies patches made for `baseText` to the file. Throws a MemexError when the file is another
   * text by now, and a RangeError when the patches contradict one another. Nothing is written then.
   */
  patch(path: string, baseText: string, patches: readonly Patch[]): void
  /** Writes a new note. Throws `unwritable` when there is one, or no folder for it. */
  create(path: string, text: string): void
}

/** Opens a folder of Org files. Throws an Error when it is none. */
export function openMemex(folder: string): Memex {
  const dir = realpathSync(folder)
  if (!statSync(dir).isDirectory()) throw new Error(`${folder} is not a folder`)
  return {
    dir,
    files: () => [...orgFiles(dir, dir, ignoreOf(dir))].sort(),
    stamp(path) {
      const { mtimeNs, size } = statSync(inside(dir, path), { bigint: true })
      return `${mtimeNs}:${size}`
    },
    read: (path) => readText(inside(dir, path), path),
    patch(path, baseText, patches) {
      const file = inside(dir, path)
      const mustBeUnchanged = () => {
        if (readText(file, path) === baseText) return
        throw new MemexError('changed-underneath', path, `${path} was changed in the meantime`)
      }
      mustBeUnchanged()
      const after = applyPatches(baseText, patches)
      if (after !== baseText) replaceFile(file, path, after, mustBeUnchanged)
    },
    create: (path, text) => newFile(inside(dir, path, true), path, text),
  }
}

function* orgFiles(root: string, folder: string, isIgnored: Ignore): Generator<string> {
  for (const entry of entriesOf(root, folder)) {
    if (entry.name.startsWith('.')) continue
    const file = join(folder, entry.name)
    const path = relative(root, file).split(sep).join('/')
    if (isIgnored(path, entry.isDirectory())) continue
    if (entry.isDirectory()) yield* orgFiles(root, file, isIgnored)
    else if (entry.isFile() && entry.name.endsWith('.org')) yield path
  }
}

function ignoreOf(root: string): Ignore {
  try {
    return parseIgnore(readFileSync(join(root, '.passepartoutignore'), 'utf8'))
  } catch {
    return () => false
  }
}

function entriesOf(root: string, folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (folder === root) throw error
    return []
  }
}

function inside(dir: string, path: string, isNew = false): string {
  const refuse = () => new MemexError('outside', path, `${path} is not a note in this memex`)
  if (path.includes('\0') || isAbsolute(path) || !path.endsWith('.org')) throw refuse()
  if (hidden(path)) throw refuse()
  const file = resolve(dir, path)
  try {
    if (lstatSync(file, { throwIfNoEntry: !isNew })?.isSymbolicLink()) throw refuse()
    const real = realpathSync.native(dirname(file))
    const within = relative(dir, real)
    if (isAbsolute(within) || hidden(within)) throw refuse()
    return join(real, basename(file))
  } catch (error) {
    if (error instanceof MemexError) throw error
    throw new MemexError('missing', path, `There is no ${path} in this memex`)
  }
}

/** Also true for what climbs out of the folder, since `..` begins with a dot. */
function hidden(path: string): boolean {
  return path.split(/[/\\]/).some((part) => part.startsWith('.'))
}

function readText(file: string, path: string): string {
  try {
    const bytes = readPlainFile(file)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    const reason = error instanceof TypeError ? 'is not UTF-8 text' : 'cannot be read'
    throw new MemexError('unreadable', path, `${path} ${reason}`)
  }
}

function readPlainFile(file: string): Buffer {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!fstatSync(handle).isFile()) throw new Error('not a plain file')
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

function replaceFile(file: string, path: string, text: string, lastCheck: () => void): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    writeForced(temporary, text)
    chmodSync(temporary, statSync(file).mode & 0o777)
    lastCheck()
    renameSync(temporary, file)
  } catch (error) {
    if (error instanceof MemexError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new MemexError('unwritable', path, `${path} was not changed: ${reason}`)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function writeForced(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function newFile(file: string, path: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    writeForced(temporary, text)
    linkSync(temporary, file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new MemexError('unwritable', path, `${path} was not made: ${reason}`)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** The same memex, in which the files of these names do not exist. */
export function withoutFiles(memex: Memex, names: readonly string[]): Memex {
  const plain = (path: string) =>
    path
      .normalize('NFKC')
      .toLowerCase()
      .split(/[/\\]+/)
      .filter(Boolean)
      .join('/')
  const own = new Set(names.map(plain))
  const checked = (path: string) => {
    if (!own.has(plain(path))) return path
    throw new MemexError('outside', path, `${path} is written by the daemon and its owner only`)
  }
  return {
    dir: memex.dir,
    files: () => memex.files().filter((path) => !own.has(plain(path))),
    stamp: (path) => memex.stamp(checked(path)),
    read: (path) => memex.read(checked(path)),
    patch: (path, baseText, patches) => memex.patch(checked(path), baseText, patches),
    create: (path, text) => memex.create(checked(path), text),
  }
}
