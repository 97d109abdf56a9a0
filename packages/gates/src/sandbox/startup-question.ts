import { randomBytes } from 'node:crypto'
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { parseAction, propose, type Runtime, type Signal } from '@passepartout/core'
import type { StartupChange, StartupOutcome } from './startup-files.ts'

const askedMax = 5
const textMax = 100_000

/** Where the changes were found, and for whom. */
interface ChangedFolder {
  runtime: Runtime
  signal: Signal
  /** Absolute. */
  dir: string
  /** What has changed the files, in a few words. */
  cause: string
}

/** Puts the changes before the owner where that can be done. Returns what is to be told. */
export async function askAboutChanges(
  { runtime, signal, dir, cause }: ChangedFolder,
  { changes, projects, removed, unread }: StartupOutcome,
): Promise<string[]> {
  const notes: string[] = []
  let left = askedMax
  for (const change of changes) {
    const { path, what, aside, orders } = change
    const text = orders.length > 0 ? null : textOf(change)
    const isAsked = text !== null && left-- > 0 && (await ask(path, text))
    if (isAsked && aside !== null) putAway(runtime.config.stateDir, join(dir, aside))
    if (orders.length > 0) {
      notes.push(noteSentence(change))
      continue
    }
    const look = aside === null ? '; look at it before you use it' : ''
    const end = isAsked ? '; the owner is asked whether to keep the change' : look
    notes.push(`${path.toWellFormed()} ${what}, since it would run later${end}.`)
  }
  for (const path of projects) {
    notes.push(`${path} is a project that is new here; read what it would run before you build it.`)
  }
  if (removed.length > 0) {
    notes.push(`Gone, and with them what they were there for: ${namesOf(removed)}.`)
  }
  if (unread.length > 0) {
    const places = namesOf(unread.map((path) => path || 'the folder itself'))
    notes.push(`Not checked for files that run later: ${places}; look there before you use it.`)
  }
  return notes

  async function ask(path: string, content: string): Promise<boolean> {
    const args = { path: join(dir, path), content }
    const explanation = `${cause} has written this, and it would run later.`
    const payload = { action: 'call', tool: 'write-file', args, explanation }
    const action = parseAction({ type: 'request', target: 'tool', payload })
    if (!action.ok || !runtime.tools.has('write-file')) return false
    const meta = { ...signal.meta, origin: 'tool' as const }
    return (await propose(runtime, { ...signal, meta }, action.value)) !== 'refused'
  }
}

function noteSentence({ aside, orders, path, what }: StartupChange): string {
  const place = JSON.stringify((orders[0] ?? '').slice(0, 80).toWellFormed())
  const where =
    aside === null ? 'look at it before you open it' : `the change is in ${aside.toWellFormed()}`
  return `${path.toWellFormed()} ${what}, since Emacs would obey ${place} there; ${where}.`
}

const keptMs = 30 * 24 * 60 * 60_000

/** Moves a file into the daemon's folder, and removes from there what has lain a month. */
function putAway(stateDir: string, file: string): void {
  const folder = join(stateDir, 'set-aside')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const old = join(folder, name)
    if (Date.now() - lstatSync(old).mtimeMs > keptMs) rmSync(old, { force: true })
  }
  const kept = join(folder, `${Date.now()}-${randomBytes(4).toString('hex')}-${basename(file)}`)
  copyFileSync(file, kept, constants.COPYFILE_EXCL)
  utimesSync(kept, new Date(), new Date())
  rmSync(file)
}

function namesOf(paths: readonly string[]): string {
  const brief = (path: string) => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
  const shown = paths.slice(0, askedMax).map((path) => brief(path.toWellFormed()))
  const more = paths.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The text that the file was to have; null for what is not asked about. */
function textOf({ path, after, aside, before }: StartupChange): string | null {
  const isFile = after.kind === 'file' && (before === null || before.kind === 'file')
  const isGits = /(?:^|\/)\.(?:git|hg|svn|bzr|jj)(?:\/|$)/i.test(path)
  if (!isFile || isGits || !after.isWhole || aside === null) return null
  const text = after.content.toString('utf8')
  const isText = !text.includes('\0') && Buffer.from(text).equals(after.content)
  return isText && text.length <= textMax ? text : null
}
