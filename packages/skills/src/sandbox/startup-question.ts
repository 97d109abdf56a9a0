import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseAction, propose, type Runtime, type Signal } from '@passepartout/core'
import { type restoreStartup, type StartupChange, unchecked } from './startup-files.ts'

const askedMax = 5
const textMax = 100_000

/** Where the changes were found, and for whom. */
export interface ChangedFolder {
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
  { changes, complete, projects }: ReturnType<typeof restoreStartup>,
): Promise<string[]> {
  const notes: string[] = []
  let left = askedMax
  for (const change of changes) {
    const { path, what, aside } = change
    const text = textOf(change)
    const isAsked = text !== null && left-- > 0 && (await ask(path, text))
    if (isAsked && aside !== null) rmSync(join(dir, aside), { force: true })
    const end = isAsked ? '; the owner is asked whether to keep the change' : ''
    notes.push(`${path} ${what}, since it would run later${end}.`)
  }
  for (const path of projects) {
    notes.push(`${path} is a project that is new here; read what it would run before you build it.`)
  }
  if (!complete) notes.push(unchecked)
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

/** The text that the file was to have; null for what is not asked about. */
function textOf({ path, after, before, what }: StartupChange): string | null {
  const isFile = after.kind === 'file' && (before === null || before.kind === 'file')
  const isGits = /(?:^|\/)\.(?:git|hg|svn|bzr|jj)(?:\/|$)/i.test(path)
  if (!isFile || isGits || !after.isWhole || what === 'could not be put back') return null
  const text = after.content.toString('utf8')
  const isText = !text.includes('\0') && Buffer.from(text).equals(after.content)
  return isText && text.length <= textMax ? text : null
}
