import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import {
  type ConfigSection,
  defineSection,
  flightPlanFiles,
  oneOf,
  parseIgnore,
  type Runtime,
  sightOf,
  words,
} from '@passepartout/core'
import { z } from 'zod'
import { expandPath, type PathPlaces } from '../paths/paths.ts'
import { judgeRead } from '../paths/secret.ts'
import { inodeOf, isHiddenNote, twinsOfKeys } from './hidden-notes.ts'

/** A folder that the owner has opened to the tools. */
export interface Workspace {
  /** Absolute, or beginning with ~/ as it was written. */
  folder: string
  /** Whether what the owner had is committed before a tool changes a file here. */
  commitFirst: boolean
}

/** The section that names workspaces. */
export const workspaceSection: ConfigSection<Workspace> = defineSection({
  marker: 'WORKSPACE',
  properties: z.object({
    WORKSPACE: words('a folder, such as ~/src/garden'),
    COMMIT_FIRST: oneOf('yes', 'no').optional(),
  }),
  read({ WORKSPACE, COMMIT_FIRST }, entry) {
    if (/^~?\/+[^/]/.test(WORKSPACE)) {
      return { folder: WORKSPACE, commitFirst: COMMIT_FIRST === 'yes' }
    }
    const message = ':WORKSPACE: expected a folder inside of your home, such as ~/src/garden'
    entry.report('error', 'WORKSPACE', message)
    return null
  },
})

/** The workspaces with absolute folders; those around the home are left out. */
export function workspacesOf(written: readonly Workspace[], home: string): Workspace[] {
  return written
    .map(({ folder, ...rest }) => ({ ...rest, folder: resolve(folder.replace(/^~(?=\/)/, home)) }))
    .filter(({ folder }) => !isIn(home, folder))
}

/** Whether a path is this folder or lies in it. Absolute, normalised. */
function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/** A file or folder in a workspace. */
export interface Place {
  workspace: Workspace
  /** Absolute, links resolved. */
  file: string
  /** Relative to the workspace, with slashes; empty for the workspace itself. */
  path: string
  /** Relative to the memex, with slashes; null outside of it. */
  note: string | null
  /** For people: relative to the memex, else as ~/… */
  shown: string
}

/**
 * The place that a path means. Throws a RangeError that says why it is none. What is private is a
 * place only for who names it and shows nothing of it.
 */
export function placeOf(
  runtime: Runtime,
  opened: readonly Workspace[],
  path: string,
  hidden: 'refused' | 'named' = 'refused',
): Place {
  if (path.includes('\0')) throw new RangeError('A path has no zero character in it')
  const file = realOrNew(expandPath(path, placesOf(runtime)))
  const place = file === null ? null : placeAt(runtime, opened, file)
  if (place === null) {
    const reason = 'is neither in the memex nor in a workspace; the owner can open a folder with'
    throw new RangeError(`${path} ${reason} :WORKSPACE: in config.org`)
  }
  const objection = objectionTo(runtime, place, hidden)
  if (objection !== null) throw new RangeError(`${path} ${objection}`)
  return place
}

function placeAt(runtime: Runtime, opened: readonly Workspace[], file: string): Place | null {
  const memex = { folder: runtime.memex.dir, commitFirst: false }
  const all = [memex, ...opened].map((one) => ({ ...one, folder: realOrNew(one.folder) ?? '' }))
  const around = all.filter(({ folder }) => folder !== '' && isIn(file, folder))
  const workspace = around.sort((a, b) => b.folder.length - a.folder.length).at(0)
  if (workspace === undefined) return null
  const { commitFirst } = around.find(({ commitFirst }) => commitFirst) ?? workspace
  const note = isIn(file, memex.folder) ? slashed(memex.folder, file) : null
  const { home } = runtime.config
  const shown = note ?? (isIn(file, home) ? `~/${slashed(home, file)}` : file)
  const path = slashed(workspace.folder, file)
  return { workspace: { ...workspace, commitFirst }, file, path, note, shown }
}

function slashed(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/')
}

function placesOf({ config, memex }: Runtime): PathPlaces {
  const { home, stateDir } = config
  return { home, stateDir, cwd: memex.dir, realPath: (path) => path }
}

/** The real path of what exists, with the rest of the name; null for a link to nothing. */
function realOrNew(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return null
    const parent = dirname(path)
    const real = parent === path ? null : realOrNew(parent)
    return real === null ? null : join(real, basename(path))
  }
}

const versionFolder = /^(?:\.git|\.hg|\.svn|\.bzr|\.jj|_darcs|cvs)$/i

function objectionTo(
  runtime: Runtime,
  { file, note }: Place,
  hidden: 'refused' | 'named' = 'refused',
): string | null {
  const { config, memex, store } = runtime
  const parts = file.split(sep)
  if (parts.some((part) => versionFolder.test(part))) {
    return 'belongs to version control; git-status, git-diff and git-log tell about it'
  }
  const state = realOrNew(config.stateDir) ?? config.stateDir
  if (isIn(file, state) || judgeRead(file, placesOf(runtime)).level === 'secret') {
    return 'is a secret'
  }
  const [inode] = inodeOf(file)
  if (inode !== undefined && twinsOfKeys({ home: config.home, stateDir: state }).has(inode)) {
    return 'is a secret under another name'
  }
  if (note === null) return null
  const name = basename(file).toLowerCase()
  if (flightPlanFiles.some((own) => name.includes(own))) return 'is written by the daemon only'
  const isHidden = hidden === 'refused' && isHiddenNote(memex.dir, file, store)
  if (!isHidden && !isIgnored(memex.dir, note)) return null
  return 'has something private in it, or is left out of the memex; show-note shows what it can'
}

/** Whether the owner has told the daemon to leave this path of the memex alone. */
function isIgnored(dir: string, note: string): boolean {
  if (note === '') return false
  const file = join(dir, '.passepartoutignore')
  if (!existsSync(file)) return false
  const ignores = parseIgnore(readFileSync(file, 'utf8'))
  const parts = note.split('/')
  const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
  return ignores(note, isFolder(join(dir, note))) || above.some((folder) => ignores(folder, true))
}

function isFolder(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Whether a file or folder that a walk has found may be shown. */
export function isShown(runtime: Runtime, opened: readonly Workspace[], file: string): boolean {
  const real = realOrNew(file)
  if (real !== file) return false
  const place = placeAt(runtime, opened, file)
  return place !== null && objectionTo(runtime, place) === null
}

/** The names of these tools where no folder is opened: a model is not offered them there. */
export function hiddenWithout(
  opened: readonly Workspace[],
  tools: readonly { name: string }[],
): string[] {
  return opened.length === 0 ? tools.map(({ name }) => name) : []
}

/** A text as it may be shown: without what leads to private notes. */
export function shownText({ store }: Runtime, { note }: Place, text: string): string {
  return sightOf(store).text(text, note ?? '')
}
