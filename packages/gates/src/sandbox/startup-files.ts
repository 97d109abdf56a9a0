import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import { namesFolder } from '../paths/executed-files.ts'
import {
  bytesOfPath,
  entriesMax,
  entriesOf,
  executedAs,
  surveyFolder,
} from '../paths/executed-survey.ts'

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
  /** Paths that were looked for besides. */
  others: readonly string[]
  /** Folders and entries of which something was not seen. */
  unread: ReadonlySet<string>
}

const contentMax = 1_000_000

/**
 * Finds the files that something runs later, and these others. Never throws; what cannot be read
 * is told. After a command the look before it says which folders come first.
 */
export function lookThrough(
  dir: string,
  others: readonly string[] = [],
  earlier: StartupLook | null = null,
): StartupLook {
  const first = earlier?.folders ?? null
  const list = (folder: string) => listOpened(folder, earlier)
  const survey = surveyFolder(dir, { first, list })
  const files = new Map<string, StartupFile>()
  const unread = new Set(survey.unread)
  const add = (path: string, runsByItself: boolean, through: readonly string[]) => {
    if (files.has(path)) return
    try {
      files.set(path, read(dir, path, runsByItself, through))
    } catch {
      unread.add(path)
    }
  }
  for (const [folder, entries] of survey.folders) {
    for (const { kind, name } of entries) {
      if (kind === 'folder') continue
      const path = folder === '' ? name : `${folder}/${name}`
      const run = executedAs(survey, path)
      if (run === null && !others.includes(path)) continue
      for (const link of run?.through ?? []) add(link, run?.runsByItself ?? true, [])
      add(path, run?.runsByItself ?? true, run?.through ?? [])
    }
  }
  const { links, repositories } = survey
  const folders = new Set(survey.folders.keys())
  return { dir, files, folders, repositories, links, others, unread }
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
  runsByItself: boolean,
  through: readonly string[],
): StartupFile {
  const full = bytesOfPath(join(dir, path))
  const stats = lstatSync(full, { bigint: true })
  const mode = Number(stats.mode) & 0o7777
  const changed = Number(stats.ctimeMs)
  const about = { path, mode, changed, runsByItself, through, isWhole: true }
  if (stats.isSymbolicLink()) {
    return { ...about, kind: 'link', content: readlinkSync(full, 'buffer') }
  }
  if (!stats.isFile()) return { ...about, kind: 'other', content: Buffer.alloc(0) }
  try {
    if (stats.size <= contentMax) return { ...about, kind: 'file', content: readFileSync(full) }
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
  const after = lookThrough(dir, before.others, before)
  const changes: StartupChange[] = []
  const projects = new Set<string>()
  const undone = new Set<string>()
  const found = [...after.files.values()].sort((a, b) => a.through.length - b.through.length)
  for (const file of found) {
    const { path } = file
    const known = files.get(path) ?? null
    if (known !== null && isSame(known, file)) continue
    if (isHarmless(file, known)) continue
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
      changes.push({ path, before: known, after: file, what, aside: null })
      continue
    }
    undone.add(path)
    changes.push({ path, before: known, after: file, ...undo(dir, file, known) })
  }
  const isGone = (path: string) => !(after.files.has(path) || isThere(dir, path))
  const removed = [...files.keys()].filter((path) => isGone(path) && !isUnseen(after, path))
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
