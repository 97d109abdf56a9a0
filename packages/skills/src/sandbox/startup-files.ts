import { hash } from 'node:crypto'
import {
  type Dirent,
  lstatSync,
  opendirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { executedBy, namesFolder } from '../paths/executed-files.ts'

const ofGitFolder = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks'])

function isGitFolder(inside: ReadonlySet<string>): boolean {
  if (!inside.has('HEAD')) return false
  return inside.has('commondir') || (inside.has('objects') && inside.has('refs'))
}

/** Whether something runs a file at this path later. The path is relative, with slashes. */
export function isExecutedPath(path: string): boolean {
  return !isIdle(basename(path)) && executedBy(path) !== null
}

function isIdle(name: string): boolean {
  return name.endsWith('.sample') || /\.passepartout-disabled(?:-\d+)?$/.test(name)
}

const disabled = '.passepartout-disabled'

/** One file of the kind, as it was found. */
export interface StartupFile {
  /** Relative to the folder that was looked through. */
  path: string
  kind: 'file' | 'link' | 'folder' | 'other'
  mode: number
  /** The content of a file, the target of a link, or the digest of a file that is too large. */
  content: Buffer
  /** Whether the content is all of it, and could be written back. */
  isWhole: boolean
  /** Whether it runs with nobody asking for it. */
  runsByItself: boolean
  /** The link by which something finds it under an executed name; relative. */
  through?: string
}

/** What a look found. */
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
  /** Whether everything was seen. */
  complete: boolean
}

const entriesMax = 300_000
const depthMax = 100
const contentMax = 1_000_000

/**
 * Finds the files that run by themselves, and these others.
 * Never throws; what cannot be read makes it incomplete.
 */
export function lookThrough(dir: string, others: readonly string[] = []): StartupLook {
  const files = new Map<string, StartupFile>()
  const folders = new Set<string>()
  const repositories = new Set<string>()
  const links = new Map<string, string>()
  const listed = new Map<string, Dirent[]>()
  const look = { dir, files, folders, repositories, links, others }
  const waiting = [dir]
  let count = 0
  let complete = true
  for (const folder of waiting) {
    try {
      const entries = entriesOf(folder)
      count += entries.length
      if (count > entriesMax) return { ...look, complete: false }
      const isGits = isGitFolder(new Set(entries.map(({ name }) => name)))
      const below = relative(dir, folder)
      if (isGits) repositories.add(below)
      listed.set(below, entries)
      for (const entry of entries) {
        const path = below === '' ? entry.name : `${below}/${entry.name}`
        const isOfGit = isGits && ofGitFolder.has(entry.name)
        if (entry.isSymbolicLink()) links.set(path, readlinkSync(join(folder, entry.name)))
        if (entry.isDirectory()) {
          if (isOfGit) addHooks(join(folder, entry.name), dir, files)
          folders.add(path)
          waiting.push(join(folder, entry.name))
          if (path.split('/').length > depthMax) return { ...look, complete: false }
        } else if (isOfGit || others.includes(path) || isExecutedPath(path)) {
          files.set(path, read(join(folder, entry.name), path))
        }
      }
    } catch {
      complete = false
    }
  }
  try {
    for (const link of links.keys()) followLink(look, link, listed)
    for (const file of [...files.values()]) followSettings(dir, files, file, 0)
  } catch {
    complete = false
  }
  return { ...look, complete }
}

const reachMax = 3

function followLink(
  { dir, files }: { dir: string; files: Map<string, StartupFile> },
  link: string,
  listed: ReadonlyMap<string, Dirent[]>,
): void {
  const target = relative(realpathSync(dir), realOrNothing(join(dir, link)) ?? '/')
  if (target === '' || target.startsWith('..') || link.startsWith(`${target}/`)) return
  const isWhole = isExecutedPath(`${link}/x`)
  const waiting = [{ path: target, name: link, depth: 0 }]
  for (const { path, name, depth } of waiting) {
    for (const entry of listed.get(path) ?? []) {
      if (!isWhole && depth >= reachMax) break
      const next = { path: `${path}/${entry.name}`, name: `${name}/${entry.name}` }
      waiting.push({ ...next, depth: depth + 1 })
    }
    if (listed.has(path) || files.has(path) || !isExecutedPath(name)) continue
    if (name !== link && !namesFolder(link, name)) continue
    const runsByItself = executedBy(name)?.runs !== 'with its tool'
    if (!files.has(link)) files.set(link, { ...read(join(dir, link), link), runsByItself })
    files.set(path, { ...read(join(dir, path), path), runsByItself, through: link })
  }
}

function realOrNothing(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

const includesMax = 10

function followSettings(
  dir: string,
  files: Map<string, StartupFile>,
  settings: StartupFile,
  depth: number,
): void {
  const isSettings = /(?:^|\/)config(?:\.worktree)?$/.test(settings.path) || depth > 0
  if (!isSettings || settings.kind !== 'file' || depth > includesMax) return
  const folder = dirname(join(dir, settings.path))
  for (const { key, value } of namedIn(settings.content.toString('utf8'))) {
    const base = key === 'hookspath' && basename(folder) === '.git' ? dirname(folder) : folder
    const full = resolve(base, value)
    const path = relative(dir, full)
    const stats = lstatSync(full, { throwIfNoEntry: false })
    if (stats === undefined || path.startsWith('..') || files.has(path)) continue
    if (stats.isDirectory()) {
      addHooks(full, dir, files)
      continue
    }
    const found = read(full, path)
    files.set(path, found)
    if (key === 'path') followSettings(dir, files, found, depth + 1)
  }
}

function namedIn(text: string): { key: 'path' | 'hookspath'; value: string }[] {
  const found: { key: 'path' | 'hookspath'; value: string }[] = []
  let section = ''
  for (const line of text.split('\n')) {
    section = /^\s*\[\s*([a-z]+)/i.exec(line)?.[1]?.toLowerCase() ?? section
    const [, name = '', written = ''] =
      /^(?:\s*\[[^\]]*\])?\s*(path|hookspath)\s*=(.*)$/i.exec(line) ?? []
    const [key, value] = [name.toLowerCase(), settingOf(written)]
    if (key === 'path' && /^include(?:if)?$/.test(section)) found.push({ key, value })
    else if (key === 'hookspath' && section === 'core') found.push({ key, value })
  }
  return found
}

/** A value as Git reads it: quotes may stand anywhere, and a comment begins outside of them. */
function settingOf(written: string): string {
  let value = ''
  for (const [part] of written.trim().matchAll(/"(?:\\.|[^"\\])*"?|\\.|[^"\\]/g)) {
    if (part === '#' || part === ';') return value.trimEnd()
    value += part.replace(/^"|(?<!\\)"$/g, '').replace(/\\(.)/g, '$1')
  }
  return value
}

function entriesOf(folder: string): Dirent[] {
  const entries: Dirent[] = []
  const opened = opendirSync(folder, { bufferSize: 256 })
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      entries.push(entry)
      if (entries.length > entriesMax) break
    }
  } finally {
    opened.closeSync()
  }
  return entries
}

function addHooks(hooks: string, dir: string, files: Map<string, StartupFile>): void {
  for (const entry of entriesOf(hooks)) {
    if (entry.isDirectory() || isIdle(entry.name)) continue
    const full = join(hooks, entry.name)
    files.set(relative(dir, full), read(full, relative(dir, full)))
  }
}

function read(full: string, path: string): StartupFile {
  const stats = lstatSync(full)
  const runsByItself = executedBy(path)?.runs !== 'with its tool'
  const about = { path, mode: stats.mode & 0o7777, runsByItself, isWhole: true }
  if (stats.isSymbolicLink()) {
    return { ...about, kind: 'link', content: Buffer.from(readlinkSync(full)) }
  }
  if (!stats.isFile()) return { ...about, kind: 'other', content: Buffer.alloc(0) }
  const content = readFileSync(full)
  if (content.length <= contentMax) return { ...about, kind: 'file', content }
  return { ...about, kind: 'file', content: hash('sha256', content, 'buffer'), isWhole: false }
}

/** What a command has left. */
export interface StartupChange {
  path: string
  what: 'appeared and was disabled' | 'was changed and was put back' | 'could not be put back'
  /** The file that it was, and the one that it was to be. */
  before: StartupFile | null
  after: StartupFile
  /** Where the latter is now, relative; null when it could not be moved. */
  aside: string | null
}

/** What is told of a look that was not complete. */
export const unchecked =
  'Not all of the folder could be checked for files that run later; look at it before you use it.'

/** Compares with an earlier look and undoes what is new. Never throws. */
export function restoreStartup(before: StartupLook): {
  changes: StartupChange[]
  /** Relative folders of repositories that are new, with build files and others that run later. */
  projects: string[]
  complete: boolean
} {
  const after = lookThrough(before.dir, before.others)
  const changes: StartupChange[] = []
  const projects = new Set<string>()
  const undone = new Set<string>()
  for (const [path, file] of after.files) {
    const known = before.files.get(path) ?? null
    if (known !== null && isSame(known, file)) continue
    if (known === null && isHarmlessConfig(file)) continue
    if (known === null && undone.has(file.through ?? '')) continue
    if (file.kind === 'link' && before.links.get(path) === after.links.get(path)) continue
    const project = file.runsByItself ? null : newProjectOf(path, before, after)
    if (project !== null) {
      projects.add(project)
      continue
    }
    undone.add(path)
    changes.push({ path, before: known, after: file, ...undo(before.dir, file, known) })
  }
  return { changes, projects: [...projects], complete: before.complete && after.complete }
}

function newProjectOf(path: string, before: StartupLook, after: StartupLook): string | null {
  const parts = path.split('/').slice(0, -1)
  const above = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  const isNew = (folder: string) => !before.folders.has(folder)
  const isClone = (at: string) => after.repositories.has(`${at}/.git`) && !namesFolder(at, path)
  return above.find((at) => isNew(at) && isClone(at)) ?? null
}

function isSame(a: StartupFile, b: StartupFile): boolean {
  return a.kind === b.kind && a.mode === b.mode && a.content.equals(b.content)
}

const harmlessLine =
  /^\s*(?:$|[#;].*$|\[(?:core|init|user|author|committer|pull|push|gc|extensions|(?:remote|branch|submodule) "[\w./-]+")\]$|(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|defaultbranch|name|email|merge|rebase|remote|active|objectformat|refstorage|auto|default)\s*=\s*[^!\\"]*$|fetch\s*=\s*[\w+:/*.-]+$|url\s*=(?!\s*-|\s*\w+::)[^!\\"]+$)/i

function isHarmlessConfig({ path, kind, content }: StartupFile): boolean {
  if (basename(path) !== 'config' || kind !== 'file' || content.length > 10_000) return false
  return content
    .toString('utf8')
    .split('\n')
    .every((line) => harmlessLine.test(line))
}

function undo(
  dir: string,
  file: StartupFile,
  known: StartupFile | null,
): Pick<StartupChange, 'what' | 'aside'> {
  const full = join(dir, file.path)
  try {
    if (known?.isWhole === false) return { what: 'could not be put back', aside: null }
    const name = freeName(`${full}${disabled}`)
    renameSync(full, name)
    const aside = relative(dir, name)
    if (known === null || known.kind === 'other')
      return { what: 'appeared and was disabled', aside }
    if (known.kind === 'link') symlinkSync(known.content, full)
    else writeFileSync(full, known.content, { mode: known.mode, flag: 'wx' })
    return { what: 'was changed and was put back', aside }
  } catch {
    return { what: 'could not be put back', aside: null }
  }
}

function freeName(path: string): string {
  for (let count = 2, name = path; ; name = `${path}-${count++}`) {
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name
  }
}
