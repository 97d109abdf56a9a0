import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { diffOf, editFiles, MemexError, type Runtime, type ToolResult } from '@passepartout/core'
import { type Place, shownText } from '@passepartout/gates/sandbox'
import { readText, writeText } from '../common/text-files.ts'
import { type Git, gitIn, identityOf, repositoryOf } from './git-run.ts'

/** What a file was and what it should be. */
export interface FileChange {
  place: Place
  /** Null for a file that is to be made. */
  before: string | null
  after: string
}

/** All changes as one difference for a reader; empty when nothing changes. */
export function changeDiff(changes: readonly FileChange[]): string {
  return changes
    .filter(({ before, after }) => before !== after)
    .map(({ place: { shown }, before, after }) =>
      before === null
        ? `new file ${shown}\n${diffOf(shown, '', after)}`
        : diffOf(shown, before, after),
    )
    .join('\n')
}

/** Commits what the owner had, where that is wanted. Throws a RangeError when it cannot be done. */
async function commitFirst(
  { runtime, abort }: Writing,
  changes: readonly FileChange[],
): Promise<void> {
  const done = new Set<string>()
  for (const { place, before } of changes) {
    if (!place.workspace.commitFirst || before === null) continue
    const top = repositoryOf(place.file, place.workspace.folder)
    if (top === null) continue
    const files = changes.filter(({ before }) => before !== null).map(({ place }) => place.file)
    const own = files.filter((file) => file.startsWith(`${top}/`))
    const git = gitIn(runtime.config, place.workspace.folder, top, abort)
    if (!done.has(top)) await commitAll(git, top, own, place.shown, runtime.config.home)
    done.add(top)
  }
}

async function commitAll(
  git: Git,
  top: string,
  files: readonly string[],
  shown: string,
  home: string,
): Promise<void> {
  const environment = await identityOf(git, home)
  const ask = async (...args: string[]) => {
    const { code, fault, out } = await git(args, { writes: true, environment })
    if (code === 0) return out
    throw new RangeError(`${top} was not committed first, as you want it: ${fault || out}`)
  }
  await ask('add', '--update')
  const plain = { GIT_LITERAL_PATHSPECS: '0' }
  const ignored = await git(['check-ignore', '--', ...files], { environment: plain })
  const known = new Set(ignored.out.split('\n'))
  const added = files.filter((file) => !known.has(file))
  if (added.length > 0) await ask('add', '--', ...added)
  if ((await ask('status', '--porcelain', '--untracked-files=no')) === '') return
  await ask('commit', '--quiet', '--message', `Before Passepartout changes ${shown}`)
}

/** What writing needs. */
interface Writing {
  runtime: Runtime
  abort: AbortSignal
}

/** Writes all changes or none, and tells what was changed as a difference. Never rejects. */
export async function writeChanges(
  writing: Writing,
  label: string,
  changes: readonly FileChange[],
): Promise<ToolResult> {
  const wanted = changes.filter(({ before, after }) => before !== after)
  if (wanted.length === 0) return { status: 'success', content: 'Nothing had to be changed.' }
  const written: FileChange[] = []
  try {
    for (const { place, before } of wanted) {
      if (readText(place.file, place.shown) !== before)
        throw new RangeError(`${place.shown} was changed in the meantime; read it again`)
    }
    await commitFirst(writing, wanted)
    for (const change of wanted.filter((one) => !isNote(one))) {
      writeText(change.place, change.before, change.after)
      written.push(change)
    }
    await writeNotes(writing.runtime, label, wanted.filter(isNote))
    const diff = shownText(writing.runtime, wanted[0]!.place, changeDiff(wanted))
    return { status: 'success', content: `${label}:\n${diff}` }
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof MemexError)) throw error
    const left = written.flatMap((change) => takeBack(change))
    return { status: 'error', message: [`${error.message}.`, ...left].join('\n') }
  }
}

function isNote({ place: { note } }: FileChange): boolean {
  return note?.endsWith('.org') === true
}

function takeBack({ place, before, after }: FileChange): string[] {
  try {
    if (before === null) return [`${place.shown} was made before that, and stays.`]
    writeText(place, after, before)
    return []
  } catch {
    return [`${place.shown} was changed before that, and stays so.`]
  }
}

async function writeNotes(
  runtime: Runtime,
  label: string,
  changes: readonly FileChange[],
): Promise<void> {
  if (changes.length === 0) return
  for (const { place } of changes) mkdirSync(dirname(place.file), { recursive: true })
  await editFiles(runtime, label, (read) =>
    changes.map(({ place: { note }, before, after }) => {
      const path = note ?? ''
      const text = before === null ? null : read(path).text
      if (text !== before) throw new RangeError(`${path} was changed in the meantime`)
      return { path, text, patches: [{ begin: 0, end: before?.length ?? 0, text: after }] }
    }),
  )
}
