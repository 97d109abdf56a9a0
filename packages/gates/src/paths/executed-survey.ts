import {
  type Dirent,
  lstatSync,
  opendirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { executedBy, leadsToExecuted, namesFolder } from './executed-files.ts'

/** The path as the file system takes it; it differs from the text when a name in it is no UTF-8. */
export function bytesOfPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path
  return Buffer.concat(
    [...path].map((character) => {
      const code = character.codePointAt(0) ?? 0
      const isByte = code >= 0xdc80 && code <= 0xdcff
      return isByte ? Buffer.of(code - 0xdc00) : Buffer.from(character)
    }),
  )
}

/** The text that stands for the bytes of a name. */
function nameOfBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  return [...bytes].map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('')
}

/** One entry of a folder. */
interface FolderEntry {
  name: string
  kind: 'folder' | 'link' | 'other'
}

/** The entries of a folder, at most so many. Throws what the file system throws. */
export function entriesOf(folder: string, entriesMax: number): FolderEntry[] {
  const entries: FolderEntry[] = []
  let isDamaged = false
  const opened = opendirSync(bytesOfPath(folder), { bufferSize: 256 })
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      entries.push({ name: entry.name, kind: kindOf(entry) })
      isDamaged ||= entry.name.includes('\ufffd')
      if (entries.length > entriesMax) return entries
    }
  } finally {
    opened.closeSync()
  }
  if (!isDamaged) return entries
  const options = { withFileTypes: true, encoding: 'buffer' } as const
  return readdirSync(bytesOfPath(folder), options).map((entry) => {
    return { name: nameOfBytes(entry.name), kind: kindOf(entry) }
  })
}

function kindOf(entry: Pick<Dirent, 'isDirectory' | 'isSymbolicLink'>): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** What a walk through a folder has found. Paths are relative to it, with slashes; it is '' itself. */
interface FolderSurvey {
  dir: string
  folders: ReadonlyMap<string, readonly FolderEntry[]>
  /** The folders that Git takes for a repository's own. */
  repositories: ReadonlySet<string>
  /** Every link and what it says. */
  links: ReadonlyMap<string, string>
  /** Where links lead that some program follows, and under which names. */
  aliases: ReadonlyMap<string, readonly Alias[]>
  /** What settings of Git name, and the settings that do. */
  settings: SettingNames
  /** Folders and entries of which something was not seen. */
  unread: ReadonlySet<string>
}

/** Another name of a path, and the links that make it one. */
interface Alias {
  name: string
  through: readonly string[]
}

interface SettingNames {
  files: Map<string, string>
  hookFolders: Map<string, string>
}

/** How a survey is made. */
interface SurveyOptions {
  /** Whether this folder is walked; all are when absent. */
  enters?: (path: string) => boolean
  /** Folders that are walked before those that nobody has heard of. */
  first?: { has(path: string): boolean } | null
  /** The entries of a folder by its absolute path. Throws when it cannot be read. */
  list?: (folder: string) => readonly FolderEntry[]
  /** The owner's home, for settings that begin with a tilde. */
  home?: string | undefined
}

/** The most entries that a survey goes through. */
export const entriesMax = 300_000
const depthMax = 100
const aliasesMax = 1_000

function isGitFolder(entries: readonly FolderEntry[]): boolean {
  const holds = (wanted: string) => entries.some(({ name }) => name === wanted)
  return holds('HEAD') && (holds('commondir') || (holds('objects') && holds('refs')))
}

/** Walks through a folder. Never throws; what cannot be read is told in `unread`. */
export function surveyFolder(dir: string, options: SurveyOptions = {}): FolderSurvey {
  const { enters = () => true, first = null } = options
  const { list = (folder) => entriesOf(folder, entriesMax) } = options
  const folders = new Map<string, readonly FolderEntry[]>()
  const repositories = new Set<string>()
  const links = new Map<string, string>()
  const unread = new Set<string>()
  const waiting = ['']
  const later: string[] = []
  let count = 0
  for (let at = 0; at < waiting.length || later.length > 0; at++) {
    if (at === waiting.length) for (const one of later.splice(0)) waiting.push(one)
    const folder = waiting[at] ?? ''
    const isTooFar = count > entriesMax || folder.split('/').length > depthMax
    const entries = isTooFar ? null : attempt(() => list(join(dir, folder)))
    if (entries === null || entries.length > entriesMax) unread.add(folder)
    if (entries === null) continue
    count += entries.length
    folders.set(folder, entries)
    if (isGitFolder(entries)) repositories.add(folder)
    for (const { kind, name } of entries) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (kind === 'folder' && enters(path))
        (first?.has(path) === false ? later : waiting).push(path)
      if (kind !== 'link') continue
      const said = attempt(() => nameOfBytes(readlinkSync(bytesOfPath(join(dir, path)), 'buffer')))
      if (said === null) unread.add(path)
      else links.set(path, said)
    }
  }
  const found = { dir, folders, repositories, links, unread, aliases: new Map<string, Alias[]>() }
  const survey = { ...found, settings: settingsIn(found, options.home) }
  if (!followLinks(survey)) unread.add('')
  return survey
}

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

const chainMax = 3

/** Whether all links could be kept. */
function followLinks(survey: FolderSurvey & { aliases: Map<string, Alias[]> }): boolean {
  if (survey.links.size === 0) return true
  const root = attempt(() => realpathSync(survey.dir)) ?? survey.dir
  const real = new Map<string, string>()
  for (const link of survey.links.keys()) {
    const end = attempt(() =>
      nameOfBytes(realpathSync.native(bytesOfPath(join(survey.dir, link)), 'buffer')),
    )
    const target = end ?? resolve(root, dirname(link), survey.links.get(link) ?? '')
    const path = relative(root, target)
    if (path !== '..' && !path.startsWith('../')) real.set(link, path)
  }
  let waiting: Alias[] = [...real.keys()].map((link) => ({ name: link, through: [link] }))
  let count = 0
  for (let depth = 0; depth < chainMax && waiting.length > 0; depth++) {
    const next: Alias[] = []
    for (const alias of waiting) {
      if (!isReached(survey, alias.name)) continue
      const target = real.get(alias.through.at(-1) ?? '') ?? ''
      if (++count > aliasesMax) return false
      survey.aliases.set(target, [...(survey.aliases.get(target) ?? []), alias])
      for (const link of real.keys()) {
        if (alias.through.includes(link) || !isAtOrBelow(link, target)) continue
        const rest = link.slice(target.length)
        const name = target === '' ? `${alias.name}/${rest}` : `${alias.name}${rest}`
        next.push({ name, through: [...alias.through, link] })
      }
    }
    waiting = next
  }
  return true
}

function isAtOrBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** Whether something runs this name, or one below it that uses it. */
function isReached(survey: FolderSurvey, name: string): boolean {
  if (leadsToExecuted(name) || survey.settings.hookFolders.has(name)) return true
  return isRunAs(survey, name) !== null || isRunAs(survey, `${name}/x`) !== null
}

const includesMax = 100

const harmlessKeys =
  /^(?:name|email|url|pushurl|pushinsteadof|insteadof|merge|remote|fetch|push|template|excludesfile|ignorerevsfile|description|worktree|signingkey|allowedsignersfile|repositoryformatversion|filemode|bare|date)$/

function settingsIn(survey: Omit<FolderSurvey, 'settings'>, home?: string): SettingNames {
  const names: SettingNames = { files: new Map(), hookFolders: new Map() }
  const seen = new Set<string>()
  const at = (...parts: string[]) => join(survey.dir, ...parts)
  for (const [folder, entries] of survey.folders) {
    const isGits = basename(folder) === '.git' || survey.repositories.has(folder)
    for (const { kind, name } of entries) {
      if (isGits && /^config(?:\.worktree)?$/.test(name)) {
        follow(at(folder, name), topsOf(survey, folder))
      } else if (
        name === '.gitconfig' ||
        (name === 'config' && /(?:^|\/)\.config\/git$/.test(folder))
      ) {
        follow(at(folder, name), [at(folder)])
      } else if (name === '.git' && kind === 'other') {
        for (const file of settingsElsewhere(at(folder))) follow(file, [at(folder)])
      }
    }
  }
  return names

  function follow(file: string, tops: readonly string[]): void {
    if (seen.size > includesMax || seen.has(file)) return
    seen.add(file)
    const text = textOf(file) ?? ''
    const shown = relative(survey.dir, file)
    for (const { key, section, value } of settingsOf(text)) {
      if (/^include(?:if)?$/.test(section) && key === 'path') {
        const included = resolve(dirname(file), expanded(value))
        note(names.files, included, shown)
        follow(included, tops)
      } else if (section === 'core' && key === 'hookspath') {
        for (const top of tops) note(names.hookFolders, resolve(top, expanded(value)), shown)
      } else if (!harmlessKeys.test(key)) {
        for (const word of value.split(/[\s;&|()<>"'`!=,]+/).filter(isWord))
          for (const top of tops) note(names.files, resolve(top, expanded(word)), shown)
      }
    }
  }

  function expanded(value: string): string {
    return home === undefined ? value : value.replace(/^~(?=\/)/, home)
  }

  function note(into: Map<string, string>, full: string, by: string): void {
    const path = relative(survey.dir, full)
    if (path !== '' && path !== '..' && !path.startsWith('../')) into.set(path, by)
  }
}

const settingsMax = 1_000_000

function isWord(word: string): boolean {
  return word !== '' && !word.startsWith('-')
}

/** Where Git stands when it runs what these settings name; absolute. */
function topsOf(survey: Omit<FolderSurvey, 'settings'>, folder: string): string[] {
  const own = join(survey.dir, folder)
  const trees = [...survey.repositories]
    .filter((one) => one === folder || one.startsWith(`${folder}/worktrees/`))
    .flatMap((one) => {
      const said = textOf(join(survey.dir, one, 'gitdir'))
      return said === null ? [] : [dirname(resolve(survey.dir, one, said))]
    })
  const config = settingsOf(textOf(join(own, 'config')) ?? '')
  const worktree = config.find(({ key, section }) => section === 'core' && key === 'worktree')
  const named = worktree === undefined ? [] : [resolve(own, worktree.value)]
  const usual = basename(folder) === '.git' ? dirname(own) : own
  return [...new Set([usual, ...named, ...trees])]
}

/** The settings of a working tree whose repository is elsewhere. */
function settingsElsewhere(top: string): string[] {
  const said = /^gitdir: (.+)$/m.exec(textOf(join(top, '.git')) ?? '')?.[1]
  if (said === undefined) return []
  const folder = resolve(top, said)
  const common = resolve(folder, textOf(join(folder, 'commondir')) ?? '.')
  return [join(common, 'config'), join(folder, 'config'), join(folder, 'config.worktree')]
}

function textOf(file: string): string | null {
  return attempt(() => {
    const stats = statSync(bytesOfPath(file))
    const isRead = stats.isFile() && stats.size <= settingsMax
    return isRead ? readFileSync(bytesOfPath(file), 'utf8').trim() : null
  })
}

interface Setting {
  section: string
  key: string
  value: string
}

function settingsOf(text: string): Setting[] {
  const found: Setting[] = []
  let section = ''
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    const head = /^\s*\[\s*([\w.-]+)[^\]"]*(?:"(?:[^"\\]|\\.)*"\s*)?\]/.exec(line)
    section = head?.[1]?.toLowerCase() ?? section
    const [, key, written = ''] =
      /^\s*([a-z][\w-]*)\s*=(.*)$/i.exec(line.slice(head?.[0].length ?? 0)) ?? []
    if (key !== undefined) found.push({ section, key: key.toLowerCase(), value: valueIn(written) })
  }
  return found
}

function valueIn(written: string): string {
  let value = ''
  for (const [part] of written.trim().matchAll(/"(?:\\.|[^"\\])*"?|\\.|[^"\\]/g)) {
    if (part === '#' || part === ';' || part === '\0') return value.trimEnd()
    value += part.replace(/^"|(?<!\\)"$/g, '').replace(/\\(.)/g, '$1')
  }
  return value
}

/** How a file is run. */
interface Execution {
  /** The name of the rule in the table. */
  rule: string
  reason: string
  runsByItself: boolean
  /** The links by which it is found; none for its own name. */
  through: readonly string[]
}

const ofGitFolder = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks'])
const ofSteps = /(?:^|\/)(?:rebase-merge\/git-rebase-todo|sequencer\/todo)$/

/** How something runs the file at this path later; null when nothing does. */
export function executedAs(survey: FolderSurvey, path: string): Execution | null {
  const own = isRunAs(survey, path)
  if (own?.runsByItself === true) return { ...own, through: [] }
  let linked: Execution | null = null
  for (let folder = path; survey.aliases.size > 0; folder = parentOf(folder)) {
    for (const { name, through } of survey.aliases.get(folder) ?? []) {
      const rest = folder === '' ? `/${path}` : path.slice(folder.length)
      const run = isRunAs(survey, name + rest)
      const usesName = rest === '' || namesFolder(name, name + rest) || !isByName(name + rest)
      if (run === null || !usesName) continue
      if (linked === null || run.runsByItself) linked = { ...run, through }
    }
    if (folder === '') break
  }
  if (own === null || linked?.runsByItself === true) return linked
  return { ...own, through: [] }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end < 0 ? '' : path.slice(0, end)
}

function isByName(path: string): boolean {
  return executedBy(path) !== null
}

function isRunAs(survey: FolderSurvey, path: string): Omit<Execution, 'through'> | null {
  const folder = parentOf(path)
  const name = basename(path)
  const { files, hookFolders } = survey.settings
  const by = files.get(path) ?? (isIdle(name) ? undefined : hookFolders.get(folder))
  if (by !== undefined) return ofGit(`${by} names it`)
  if (isIdle(name)) return null
  const isGits = (at: string) => path !== at && survey.repositories.has(at)
  if (isGits(folder) && ofGitFolder.has(name)) return ofGit()
  if (basename(folder) === 'hooks' && isGits(parentOf(folder))) return ofGit()
  if (ofSteps.test(path) && isGits(parentOf(folder))) return ofGit()
  const rule = executedBy(path)
  return rule && { rule: rule.name, reason: rule.reason, runsByItself: rule.runs === 'by itself' }
}

function ofGit(why = 'git runs what is written there'): Omit<Execution, 'through'> {
  return { rule: 'repository', reason: why, runsByItself: true }
}

/** Whether a file of this name runs nothing, whatever folder it is in. */
function isIdle(name: string): boolean {
  return name.endsWith('.sample') || /\.passepartout-disabled(?:-\d+)?$/.test(name)
}

const listings = new Map<string, { stamp: string; entries: readonly FolderEntry[] }>()
const surveys = new WeakMap<object, Map<string, FolderSurvey>>()
const listingsMax = 50_000
const tickMs = 50

const ofRepositories = /^(?:HEAD|commondir|config|config\.worktree|\.git|\.gitconfig)$/

function listed(folder: string): readonly FolderEntry[] {
  const { ctimeNs, ctimeMs, ino, mtimeNs } = lstatSync(bytesOfPath(folder), { bigint: true })
  const stamp = `${ino} ${mtimeNs} ${ctimeNs}`
  const known = listings.get(folder)
  if (known?.stamp === stamp) return known.entries
  const entries = entriesOf(folder, entriesMax).filter(
    ({ kind, name }) => kind !== 'other' || ofRepositories.test(name),
  )
  if (listings.size >= listingsMax) listings.clear()
  if (Date.now() - Number(ctimeMs) > tickMs) listings.set(folder, { stamp, entries })
  return entries
}

const closed = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.git\/(?:objects|refs|logs|lfs))$/

/** How something runs the file at this absolute path later, as far as the folders around it tell. */
export function executedElsewhere(
  path: string,
  places: { home: string; cwd: string },
): Execution | null {
  const kept = surveys.get(places) ?? new Map<string, FolderSurvey>()
  if (Object.isFrozen(places)) surveys.set(places, kept)
  const whole = (at: string) => !closed.test(at)
  const brief = (at: string) => leadsToExecuted(at) && at.split('/').length <= 3
  for (const [root, enters] of rootsOf(path, places, whole, brief)) {
    const survey = kept.get(root) ?? surveyFolder(root, { enters, list: listed, home: places.home })
    kept.set(root, survey)
    const found = executedAs(survey, relative(root, path))
    if (found !== null) return found
  }
  return null
}

type Enters = (path: string) => boolean

const quiet = { throwIfNoEntry: false } as const

function rootsOf(
  path: string,
  { cwd, home }: { home: string; cwd: string },
  whole: Enters,
  brief: Enters,
): [string, Enters][] {
  const above: string[] = []
  for (let at = dirname(path); at !== '/'; at = dirname(at)) above.push(at)
  const isBelowHome = above.includes(home)
  const reach = isBelowHome ? above.slice(0, above.indexOf(home) + 1) : above
  const isWhole = (at: string) =>
    at === cwd || (at !== home && attempt(() => lstatSync(join(at, '.git'), quiet)) != null)
  const top = reach.findLastIndex(isWhole)
  return reach
    .slice(Math.max(top, 0))
    .map((at, index) => [at, top >= 0 && index === 0 ? whole : brief])
}
