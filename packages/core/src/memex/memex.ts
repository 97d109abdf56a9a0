import { randomUUID } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { applyPatches, type Patch } from 'org-ast/edit'
import type { Clock } from '../base/clock.ts'
import { commandName } from '../base/command-name.ts'
import { FileLocked, type LockHolder, lockHolder, withLock } from '../base/file-lock.ts'
import { type Ignore, parseIgnore } from '../base/ignore.ts'
import { writeNewFile } from '../base/new-file.ts'
import { messageOf, refusalOf } from '../base/printing.ts'
import { type ReadFile, SetupFiles } from '../memory/setup-files.ts'
import { type LateWrite, ReplacedFiles } from './late-writes.ts'
import { decodeNote, type NoteText } from './note-text.ts'

/** Why the memex refused; `path` as it was given. */
export class MemexError extends Error {
  readonly code:
    | 'changed-underneath'
    | 'locked'
    | 'outside'
    | 'missing'
    | 'unreadable'
    | 'unwritable'
  readonly path: string
  /** Who has it open, when it is locked. */
  readonly holder: LockHolder | null

  constructor(
    code: MemexError['code'],
    path: string,
    message: string,
    holder: LockHolder | null = null,
  ) {
    super(message)
    this.name = 'MemexError'
    this.code = code
    this.path = path
    this.holder = holder
  }
}

/** A file or folder of the memex that is left alone, and why. */
export interface Unread {
  path: string
  why: 'encrypted' | 'not permitted' | 'name not text'
}

/** The owner's folder of Org files. Paths are relative to it, with slashes. */
export interface Memex {
  /** Absolute, links resolved. */
  dir: string
  /** All Org files, sorted, after what was written late was taken in. Hidden files and folders, and links out of the folder, are not in it. */
  files(): string[]
  /** Whether `files` would list this path now. */
  has(path: string): boolean
  /** What looks like notes and is not read, by path: encrypted files, and what may not be opened. */
  unread(): Unread[]
  /** Another one whenever the file has changed, and also while that was just now. Throws a MemexError. */
  stamp(path: string): string
  /** The text of a file. Throws a MemexError. */
  read(path: string): string
  /** What reads the setup files that a note names, when they are in the memex. */
  setup(path: string): ReadFile
  /**
   * Applies patches made for `baseText` to the file. Throws a MemexError when the file is another
   * text by now or is being edited, and a RangeError when the patches contradict one another. Nothing
   * is written then.
   */
  patch(path: string, baseText: string, patches: readonly Patch[]): void
  /** Throws `locked` when somebody has unsaved changes to the file. */
  mustBeFree(path: string): void
  /** Throws a MemexError when no note could be made at this path: something is there, or where its folder has to be. */
  mustBeVacant(path: string): void
  /** Writes a new note, and with `folders` those that it stands in. Throws `unwritable` when there is one, or no folder for it. */
  create(path: string, text: string, folders?: 'folders'): void
}

/** Opens a folder of Org files; the clock says what was changed just now, and `told` gets a sentence when words were saved. Throws an Error when it is none. */
export function openMemex(
  folder: string,
  clock: Clock = { now: () => new Date() },
  told: (sentence: string) => void = () => {},
): Memex {
  const dir = realpathSync(folder)
  if (!statSync(dir).isDirectory()) throw new Error(`${folder} is not a folder`)
  const mustBeThere = folderWatch(dir)
  let listed = new Set<string>()
  const setups = new SetupFiles(dir)
  const replaced = new ReplacedFiles()
  const stampAt = (file: string) => stampOf(file, clock.now().getTime())
  const ownStamp = (path: string) =>
    (listed.has(path) ? stampAt(join(dir, path)) : null) ?? stampAt(inside(dir, path))!
  const write = (path: string, baseText: string, patches: readonly Patch[]) => {
    const file = inside(dir, path)
    const mustBeUnchanged = () => {
      if (readText(file, path) === baseText) return
      throw new MemexError('changed-underneath', path, `${path} was changed in the meantime`)
    }
    mustBeUnchanged()
    const { encode } = readNote(file, path)
    const after = applyPatches(baseText, patches)
    if (after === baseText) return
    const hold = (rename: () => void) =>
      replaced.around(file, path, baseText, clock.now().getTime(), rename)
    replaceFile(file, path, encode(after), { lastCheck: mustBeUnchanged, hold })
  }
  const takeLate = () => {
    const now = clock.now().getTime()
    for (const late of replaced.take(now)) told(takeIn(late, { dir, now, write }))
  }
  return {
    dir,
    files() {
      mustBeThere()
      takeLate()
      const found = [...entriesBelow(dir, dir, ignoreOf(dir))]
      const files = found.flatMap(({ path, kind }) => (kind === 'note' ? [path] : [])).sort()
      listed = new Set(files)
      return files
    },
    has(path) {
      mustBeThere()
      return isListed(dir, path)
    },
    unread: () => [...entriesBelow(dir, dir, ignoreOf(dir))].flatMap((found) => unread(dir, found)),
    stamp: (path) =>
      [ownStamp(path), ...[...setups.askedBy(path)].map((file) => stampAt(file) ?? 'none')].join(),
    setup: (path) => setups.readerFor(path),
    read: (path) => readText(inside(dir, path), path),
    patch(path, baseText, patches) {
      mustBeThere()
      write(path, baseText, patches)
    },
    mustBeFree(path) {
      const holder = lockHolder(inside(dir, path, true))
      if (holder !== null) throw locked(path, holder)
    },
    mustBeVacant: (path) => void vacant(dir, path),
    create(path, text, folders) {
      mustBeThere()
      if (folders !== undefined) mkdirSync(dirname(vacant(dir, path)), { recursive: true })
      newFile(inside(dir, path, true), path, text)
    },
  }
}

/** What throws when another folder is at this path than now, or none. */
function folderWatch(dir: string): () => void {
  const { dev, ino } = statSync(dir)
  return () => {
    const found = statSync(dir, { throwIfNoEntry: false })
    if (found?.dev === dev && found.ino === ino) return
    const what = found === undefined ? 'is not there any more' : 'is another folder than before'
    const todo = `Nothing is read or written until it is back. If this is right, restart: ${commandName} restart`
    throw new MemexError('missing', dir, `The folder of notes ${dir} ${what}. ${todo}`)
  }
}

/** The stamp of a file, which is not followed when it is a link; null when there is none. */
function stampOf(file: string, now: number): string | null {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return null
  const { mtimeNs, ctimeNs, ctimeMs, size, ino } = found
  const stamp = `${mtimeNs}:${ctimeNs}:${size}:${ino}`
  return Math.abs(now - Number(ctimeMs)) > youngMs ? stamp : `${stamp}:${randomUUID()}`
}

const youngMs = 50

interface Found {
  path: string
  kind: 'note' | 'encrypted' | 'closed folder' | 'nameless'
}

function* entriesBelow(root: string, folder: string, isIgnored: Ignore): Generator<Found> {
  const entries = entriesOf(root, folder)
  if (entries === null) yield { path: inMemex(root, folder), kind: 'closed folder' }
  for (const entry of entries ?? []) {
    if (entry.name.startsWith('.')) continue
    const file = join(folder, entry.name)
    const path = inMemex(root, file)
    if (isNameless(file, entry)) {
      yield { path, kind: 'nameless' }
      continue
    }
    const isNote = entry.isFile() && entry.name.endsWith('.org')
    const isEncrypted = entry.isFile() && entry.name.endsWith('.org.gpg')
    if (!isNote && !isEncrypted && !entry.isDirectory()) continue
    if (isIgnored(path, entry.isDirectory())) continue
    if (entry.isDirectory()) yield* entriesBelow(root, file, isIgnored)
    else yield { path, kind: isNote ? 'note' : 'encrypted' }
  }
}

/** Whether no text names the note or folder, as its name is no UTF-8. */
function isNameless(file: string, entry: Dirent): boolean {
  if (!entry.name.includes('\uFFFD') || lstatSync(file, { throwIfNoEntry: false })) return false
  return entry.isDirectory() || /\.org(?:\.gpg)?$/.test(entry.name)
}

function inMemex(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

function ignoreOf(root: string): Ignore {
  try {
    return parseIgnore(readFileSync(join(root, '.passepartoutignore'), 'utf8'))
  } catch {
    return () => false
  }
}

function entriesOf(root: string, folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (folder === root) throw error
    return null
  }
}

function isListed(dir: string, path: string): boolean {
  try {
    if (inside(dir, path) !== join(dir, path) || path !== inMemex(dir, join(dir, path)))
      return false
    if (!lstatSync(join(dir, path)).isFile()) return false
  } catch {
    return false
  }
  const isIgnored = ignoreOf(dir)
  const folders = path.split('/').slice(0, -1)
  const above = folders.map((_, at) => folders.slice(0, at + 1).join('/'))
  return !isIgnored(path, false) && !above.some((folder) => isIgnored(folder, true))
}

function unread(dir: string, { path, kind }: Found): Unread[] {
  if (kind === 'encrypted') return [{ path, why: 'encrypted' }]
  if (kind === 'nameless') return [{ path, why: 'name not text' }]
  if (kind === 'closed folder') return [{ path, why: 'not permitted' }]
  try {
    accessSync(join(dir, path), constants.R_OK)
    return []
  } catch {
    return [{ path, why: 'not permitted' }]
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
  return readNote(file, path).text
}

function readNote(file: string, path: string): NoteText {
  try {
    return decodeNote(readPlainFile(file))
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

/** What belongs to a rename: a last look at what it replaces, and holding that open. */
interface Renaming {
  lastCheck: () => void
  hold: (rename: () => void) => void
}

function replaceFile(file: string, path: string, text: string, how: Renaming): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    writeNewFile(temporary, text)
    chmodSync(temporary, statSync(file).mode & 0o777)
    withLock(file, () => {
      how.lastCheck()
      how.hold(() => renameSync(temporary, file))
    })
  } catch (error) {
    if (error instanceof MemexError) throw error
    if (error instanceof FileLocked) throw locked(path, error.holder)
    const reason = refusalOf(error) ?? messageOf(error)
    throw new MemexError('unwritable', path, `${path} was not changed: ${reason}`)
  } finally {
    rmSync(temporary, { force: true })
  }
}

type Write = (path: string, baseText: string, patches: readonly Patch[]) => void

/** Takes in what was written into a file that has no name any more; returns what to say of it. Never throws. */
function takeIn(
  { isAppended, path, text }: LateWrite,
  { dir, now, write }: { dir: string; now: number; write: Write },
): string {
  const what = `A program was still writing into ${path} when it was changed`
  try {
    if (isAppended) {
      const known = readText(inside(dir, path), path)
      const gap = known === '' || known.endsWith('\n') ? '' : '\n'
      write(path, known, [{ begin: known.length, end: known.length, text: gap + text }])
      return `${what}; its lines are at the end now.`
    }
  } catch {
    // Locked, gone or changed again: it is kept beside.
  }
  const beside = `${join(dir, path)}.~${now}~`
  try {
    writeNewFile(beside, text)
    return `${what}; what it wrote is in ${beside}.`
  } catch (error) {
    return `${what}, and what it wrote is lost: ${messageOf(error)}.`
  }
}

function locked(path: string, holder: LockHolder): MemexError {
  const { user, host, pid } = holder
  const message = `${path} was not changed: it has unsaved changes by ${user} on ${host} (process ${pid}); save them there and ask again`
  return new MemexError('locked', path, message, holder)
}

function vacant(dir: string, path: string): string {
  if (hidden(path) || isAbsolute(path) || path.includes('\0')) {
    throw new MemexError('outside', path, `${path} is not a note in this memex`)
  }
  const file = resolve(dir, path)
  let above = dirname(file)
  while (above.length > dir.length && !existsSync(above)) above = dirname(above)
  if (!statSync(above).isDirectory()) {
    const what = `${inMemex(dir, above)} is a file, and has to be a folder`
    throw new MemexError('unwritable', path, `${path} was not made: ${what}`)
  }
  inside(dir, inMemex(dir, join(above, basename(file))), true)
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    const what = 'something is there under this name that was not read as a note'
    throw new MemexError('unwritable', path, `${path} was not made: ${what}; move it away first`)
  }
  return file
}

function newFile(file: string, path: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    writeNewFile(temporary, text)
    linkSync(temporary, file)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    const why = refusalOf(error) ?? messageOf(error)
    const reason = isTaken ? 'there is a file of this name' : why
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
    has: (path) => !own.has(plain(path)) && memex.has(path),
    unread: () => memex.unread().filter(({ path }) => !own.has(plain(path))),
    stamp: (path) => memex.stamp(checked(path)),
    setup: (path) => memex.setup(checked(path)),
    read: (path) => memex.read(checked(path)),
    patch: (path, baseText, patches) => memex.patch(checked(path), baseText, patches),
    mustBeFree: (path) => memex.mustBeFree(checked(path)),
    mustBeVacant: (path) => memex.mustBeVacant(checked(path)),
    create: (path, text, folders) => memex.create(checked(path), text, folders),
  }
}
