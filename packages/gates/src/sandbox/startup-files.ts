import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { namesFolder } from '../paths/executed-files.ts'
import {
  bytesOfPath,
  entriesMax,
  entriesOf,
  executedAs,
  surveyFolder,
} from '../paths/executed-survey.ts'
import { isNoteName, namedByNote, newOrders } from './obeyed-notes.ts'

/** One file of the kind, as it was found. */
interface StartupFile {
  /** Relative to the folder that was looked through. */
  path: string
  kind: 'file' | 'link' | 'other'
  mode: number
  /** The content of a file, the target of a link, or the identity of a file that was not read. */
  content: Buffer
  /** Whether the content is all of it, and could be written back. */
  isWhole: boolean
  /** When the file system last saw it change; ms since the epoch. */
  changed: number
  /** Whether it runs with nobody asking for it. */
  runsByItself: boolean
  /** The links by which something finds it under an executed name; relative. */
  through: readonly string[]
  /** It is a note, and nothing else runs it. */
  isNote: boolean
}

/** What is looked at. */
interface LookOptions {
  /** Further paths that a command must not make or change. */
  others?: readonly string[] | undefined
  /** Whether this folder has notes, which Emacs obeys. */
  hasNotes?: boolean | undefined
  /** The owner's home, for settings that begin with a tilde. */
  home?: string | undefined
}

/** What a look found. It can be written down, and read again by another daemon. */
export interface StartupLook {
  dir: string
  files: ReadonlyMap<string, StartupFile>
  /** Every folder, relative. */
  folders: ReadonlySet<string>
  /** The folders that Git takes for a repository's own, relative. */
  repositories: ReadonlySet<string>
  /** Every link and what it says. */
  links: ReadonlyMap<string, string>
  options: LookOptions
  /** Folders and entries of which something was not seen. */
  unread: ReadonlySet<string>
}

const contentMax = 1_000_000
const noteMax = 20_000_000

/**
 * Finds the files that something runs later. Never throws; what cannot be read is told. After a
 * command the look before it says which folders come first.
 */
export function lookThrough(
  dir: string,
  options: LookOptions = {},
  earlier: StartupLook | null = null,
): StartupLook {
  const { home, others = [] } = options
  const first = earlier?.folders ?? null
  const list = (folder: string) => listOpened(folder, earlier)
  const survey = surveyFolder(dir, { first, list, home })
  const files = new Map<string, StartupFile>()
  const unread = new Set(survey.unread)
  const add = (path: string, runsByItself: boolean, through: readonly string[], isNote = false) => {
    if (files.has(path)) return
    try {
      files.set(path, { ...read(dir, path, isNote), runsByItself, through })
    } catch {
      unread.add(path)
    }
  }
  const notes: string[] = []
  for (const [folder, entries] of survey.folders) {
    for (const { kind, name } of entries) {
      if (kind === 'folder') continue
      const path = folder === '' ? name : `${folder}/${name}`
      const run = executedAs(survey, path)
      if (run === null && !others.includes(path)) {
        if (isNoteName(name)) notes.push(path)
        continue
      }
      for (const link of run?.through ?? []) add(link, run?.runsByItself ?? true, [])
      add(path, run?.runsByItself ?? true, run?.through ?? [])
    }
  }
  if (options.hasNotes === true) {
    for (const path of notes) add(path, false, [], true)
    for (const path of readByNotes(dir, files, home)) add(path, false, [], true)
  }
  const { links, repositories } = survey
  const folders = new Set(survey.folders.keys())
  return { dir, files, folders, repositories, links, options, unread }
}

/** The files that notes read or lead to, and that are there; relative. */
function readByNotes(
  dir: string,
  files: ReadonlyMap<string, StartupFile>,
  home: string | undefined,
): string[] {
  const root = realpathSync(dir)
  const found = [...files.values()].flatMap(({ content, isNote, kind, path }) => {
    if (!isNote) return []
    if (kind === 'file') return namedByNote(dir, path, content, home)
    const target = resolve(root, dirname(path), content.toString('utf8'))
    return target.startsWith(`${root}/`) ? [relative(root, target)] : []
  })
  return found.filter((path) => {
    return lstatSync(join(dir, path), { throwIfNoEntry: false })?.isFile() === true
  })
}

function listOpened(folder: string, earlier: StartupLook | null) {
  try {
    return entriesOf(folder, entriesMax)
  } catch (error) {
    if (earlier === null || isUnseen(earlier, relative(earlier.dir, folder))) throw error
    const path = bytesOfPath(folder)
    chmodSync(path, lstatSync(path).mode | 0o700)
    return entriesOf(folder, entriesMax)
  }
}

/** Whether this path, or a folder around it, was not seen. */
function isUnseen({ unread }: StartupLook, path: string): boolean {
  if (unread.size === 0) return false
  const parts = path.split('/')
  return unread.has('') || parts.some((_, at) => unread.has(parts.slice(0, at + 1).join('/')))
}

function read(
  dir: string,
  path: string,
  isNote: boolean,
): Omit<StartupFile, 'runsByItself' | 'through'> {
  const full = bytesOfPath(join(dir, path))
  const stats = lstatSync(full, { bigint: true })
  const mode = Number(stats.mode) & 0o7777
  const changed = Number(stats.ctimeMs)
  const about = { path, mode, changed, isNote, isWhole: true }
  if (stats.isSymbolicLink()) {
    return { ...about, kind: 'link', content: readlinkSync(full, 'buffer') }
  }
  if (!stats.isFile()) return { ...about, kind: 'other', content: Buffer.alloc(0) }
  try {
    const most = isNote ? noteMax : contentMax
    if (stats.size <= most) return { ...about, kind: 'file', content: readFileSync(full) }
  } catch {}
  const content = Buffer.from([stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join())
  return { ...about, kind: 'file', content, isWhole: false }
}

/** What a command has left. */
export interface StartupChange {
  path: string
  what:
    | 'appeared and was disabled'
    | 'was changed and was put back'
    | 'could not be put back'
    | 'was not seen before and stays'
    | 'was changed since then and stays'
  /** The file that it was, and the one that it was to be. */
  before: StartupFile | null
  after: StartupFile
  /** Where the latter is now, relative; null when it could not be moved. */
  aside: string | null
  /** The places of a note that Emacs would obey. */
  orders: readonly string[]
}

/** What became of the files of a folder. Paths are relative. */
export interface StartupOutcome {
  changes: StartupChange[]
  /** Files that are gone. */
  removed: string[]
  /** Folders of repositories that are new, with build files and others that run later. */
  projects: string[]
  /** Folders and entries that could not be looked at. */
  unread: string[]
}

/** What is left by a command that wrote nothing. */
export const nothingLeft: StartupOutcome = { changes: [], removed: [], projects: [], unread: [] }

/**
 * Compares with an earlier look and undoes what is new. What has changed after a moment, in ms since
 * the epoch, is not the command's, and is told. Never throws.
 */
export function restoreStartup(
  before: StartupLook,
  until: number = Number.POSITIVE_INFINITY,
): StartupOutcome {
  const { dir, files } = before
  const after = lookThrough(dir, before.options, before)
  const notes = [...files.values()].filter(({ isNote }) => isNote)
  const changes: StartupChange[] = []
  const projects = new Set<string>()
  const undone = new Set<string>()
  const found = [...after.files.values()].sort((a, b) => a.through.length - b.through.length)
  for (const file of found) {
    const { path } = file
    const known = files.get(path) ?? null
    if (known !== null && isSame(known, file)) continue
    if (isHarmless(file, known)) continue
    const orders = file.isNote ? newOrders(dir, known, file, notes) : []
    if (file.isNote && orders.length === 0) continue
    if (known === null && file.through.some((link) => undone.has(link))) continue
    if (file.kind === 'link' && before.links.get(path) === after.links.get(path)) continue
    const project = file.runsByItself ? null : newProjectOf(path, before, after)
    if (project !== null) {
      projects.add(project)
      continue
    }
    const isLater = file.changed > until
    if (isLater || (known === null && isUnseen(before, path))) {
      const what = isLater ? 'was changed since then and stays' : 'was not seen before and stays'
      changes.push({ path, before: known, after: file, what, aside: null, orders })
      continue
    }
    undone.add(path)
    changes.push({ path, before: known, after: file, orders, ...undo(dir, file, known) })
  }
  const isGone = (path: string) => !(after.files.has(path) || isThere(dir, path))
  const removed = [...files.values()]
    .filter(({ isNote, path }) => !isNote && isGone(path) && !isUnseen(after, path))
    .map(({ path }) => path)
  const unread = [...new Set([...before.unread, ...after.unread])]
  return { changes, removed, projects: [...projects], unread }
}

function isThere(dir: string, path: string): boolean {
  return lstatSync(bytesOfPath(join(dir, path)), { throwIfNoEntry: false }) !== undefined
}

function newProjectOf(path: string, before: StartupLook, after: StartupLook): string | null {
  const parts = path.split('/').slice(0, -1)
  const above = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  const isNew = (folder: string) => !(before.folders.has(folder) || isUnseen(before, folder))
  const isClone = (at: string) => after.repositories.has(`${at}/.git`) && !namesFolder(at, path)
  return above.find((at) => isNew(at) && isClone(at)) ?? null
}

function isSame(a: StartupFile, b: StartupFile): boolean {
  return a.kind === b.kind && a.mode === b.mode && a.content.equals(b.content)
}

const harmlessLine =
  /^\s*(?:$|[#;].*$|\[(?:core|init|user|author|committer|pull|push|gc|extensions|(?:remote|branch|submodule) "[\w./-]+")\]$|(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|defaultbranch|name|email|merge|rebase|remote|active|objectformat|refstorage|auto|default)\s*=\s*[^!\\"]*$|fetch\s*=\s*[\w+:/*.-]+$|url\s*=(?!\s*-|\s*\w+::)[^!\\"]+$)/i

const harmlessStep =
  /^\s*(?:$|[#;].*$|(?:pick|p|revert|edit|e|reword|r|squash|s|fixup|f|drop|d|label|l|reset|t|merge|m|noop|break|b|update-ref|u)(?:\s[^\0]*)?$)/

function isHarmless({ content, kind, path }: StartupFile, known: StartupFile | null): boolean {
  const name = basename(path)
  const isSteps = name === 'git-rebase-todo' || path.endsWith('sequencer/todo')
  if (kind !== 'file' || content.length > 10_000) return false
  if (!isSteps && (known !== null || name !== 'config')) return false
  const line = isSteps ? harmlessStep : harmlessLine
  return content
    .toString('utf8')
    .split('\n')
    .every((one) => line.test(one))
}

function undo(
  dir: string,
  file: StartupFile,
  known: StartupFile | null,
): Pick<StartupChange, 'what' | 'aside'> {
  const full = join(dir, file.path)
  const path = bytesOfPath(full)
  try {
    if (known?.isWhole === false) return { what: 'could not be put back', aside: null }
    const name = freeName(`${full}${disabled}`)
    renameSync(path, bytesOfPath(name))
    const aside = relative(dir, name)
    if (known === null || known.kind === 'other')
      return { what: 'appeared and was disabled', aside }
    if (known.kind === 'link') symlinkSync(known.content, path)
    else writeFileSync(path, known.content, { mode: known.mode, flag: 'wx' })
    return { what: 'was changed and was put back', aside }
  } catch {
    return { what: 'could not be put back', aside: null }
  }
}

const disabled = '.passepartout-disabled'

function freeName(path: string): string {
  for (let count = 2, name = path; ; name = `${path}-${count++}`) {
    if (lstatSync(bytesOfPath(name), { throwIfNoEntry: false }) === undefined) return name
  }
}
