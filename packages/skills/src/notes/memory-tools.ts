import {
  bringBack,
  type Change,
  commandName,
  defineSkill,
  diffOf,
  dropSnapshot,
  editFiles,
  type GoneNote,
  goneNotes,
  hasPrivateTag,
  ingestMemex,
  type MemoryDatabase,
  type MemoryObject,
  type ObjectStore,
  type Return,
  type RollbackStep,
  type Runtime,
  remember,
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  type Skill,
  type Snapshot,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
  singleLine,
  stepLines,
  type Tool,
  type ToolResult,
  textOfVersion,
  type Version,
} from '@passepartout/core'
import { applyPatches, smallestPatch } from 'org-ast/edit'
import { z } from 'zod'
import { type Asker, titleWords } from '../common/note-text.ts'
import { quoted } from '../common/planner-words.ts'
import { noteMeant } from './task-edit.ts'

const noteParameters = z.object({
  query: singleLine().min(1).max(500).describe('words of the title'),
  place: singleLine().max(300).optional().describe('file:line, when the title is not enough'),
})

const changesMax = 20

/** Tells when a note changed, and by whom. */
export const noteHistory: Tool = {
  name: 'note-history',
  description: 'Lists the versions of a note, newest first: when, by whom, and the version’s name.',
  parameters: noteParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    const { runtime } = context
    const note = noteMeant(context, noteParameters.parse(args), 'any')
    if ('status' in note) return note
    const changes = runtime.store.history.changes(note.id).toReversed()
    const lines = changes.slice(0, changesMax).map(changeLine)
    const more = changes.length > changesMax ? `\nand ${changes.length - changesMax} before` : ''
    return { status: 'success', content: `“${titleWords(note)}”\n${lines.join('\n')}${more}` }
  },
}

function changeLine({ at, by, file, hash, outside }: Change): string {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const name = hash === null ? 'gone' : hash.slice(0, 8)
  return `${when}  ${name}  ${by}${outside ? ', with text from outside' : ''}  ${file}`
}

const restoreParameters = noteParameters.extend({
  version: z
    .string()
    .regex(/^[0-9a-f]{4,64}$/)
    .optional()
    .describe('the beginning of a version’s name; the one before the last without it'),
})

interface Restoring extends Return {
  title: string
  hash: string
}

function restoring(asker: Asker, args: Record<string, unknown>): Restoring | ToolResult {
  const { version, ...name } = restoreParameters.parse(args)
  const note = noteMeant(asker, name, 'any')
  if (!('status' in note)) return restoringOf(asker.runtime, note, version)
  const { store } = asker.runtime
  const found = goneMeant(store, name.query)
  const [gone] = found
  if (gone === undefined) return note
  const places = found.map(({ file, version: { title } }) => `  ${title}, once in ${file}`)
  if (found.length > 1) return failed(`Which one?\n${places.join('\n')}`)
  const back = bringBack(store, gone)
  if (back === null) return failed('A part of that version is not kept any more.')
  return { ...back, title: gone.version.title, hash: gone.version.hash }
}

function goneMeant(store: ObjectStore, query: string): GoneNote[] {
  const wanted = (quoted(query) ?? query).trim().toLowerCase()
  const isMeant = ({ title, type, written, ...version }: Version) =>
    type === 'headline' &&
    (title.toLowerCase() === wanted || written === query) &&
    !hasPrivateTag(version, store.privateTags)
  const gone = store.history.changes(query).findLast(({ hash }) => hash !== null)
  const files = gone === undefined ? store.paths() : [gone.file]
  return files.flatMap((file) => goneNotes(store, file, isMeant)).slice(0, 9)
}

function restoringOf(
  { store }: Runtime,
  note: MemoryObject,
  version: string | undefined,
): Restoring | ToolResult {
  const { history } = store
  const title = titleWords(note)
  const hashes = history.changes(note.id).flatMap(({ hash }) => hash ?? [])
  const hash = hashes.findLast((known) =>
    version === undefined ? known !== note.hash : known.startsWith(version),
  )
  if (hash === undefined) return failed(`“${title}” has no such version.`)
  const wasPrivate = hasPrivateTag(history.version(hash) ?? note, store.privateTags)
  if (wasPrivate) return failed(`It was private then; “${commandName} memory restore” is for that.`)
  const text = textOfVersion(history, hash)
  const base = store.textOf(note.file)
  if (text === null || base === null) return failed('A part of that version is not kept any more.')
  const { begin, end } = note
  const [patch = { begin, end: begin, text: '' }] = smallestPatch(base, begin, end, text)
  return { path: note.file, base, patch, title, hash }
}

/** Writes an earlier text of a note back into its file. */
export const restoreNote: Tool = {
  name: 'restore-note',
  description:
    'Writes an earlier version of a note, or a deleted note, with all inside it, back into its file.',
  parameters: restoreParameters,
  readOnly: false,
  reach: 'notes',
  permission: 'ask',
  async preview(args, context) {
    const plan = restoring(context, args)
    if ('status' in plan) return null
    const { path, base, patch } = plan
    return diffOf(path, base ?? '', applyPatches(base ?? '', [patch]))
  },
  async run(args, context) {
    const { runtime } = context
    const plan = restoring(context, args)
    if ('status' in plan) return plan
    const { path, base, patch, title, hash } = plan
    if (base === null) {
      runtime.memex.create(path, '', 'folders')
      runtime.store.ingestFile(path, '')
    }
    await editFiles(runtime, `restored ${title}`, (read) => {
      const { text } = read(path)
      if (text === (base ?? '')) return [{ path, text, patches: [patch], restores: true }]
      throw new RangeError(`${path} was changed in the meantime; ask again`)
    })
    return done(`“${title}” is as it was in ${hash.slice(0, 8)}. “undo” takes it back.`)
  },
}

function failed(message: string): ToolResult {
  return { status: 'error', message }
}

function done(content: string): ToolResult {
  return { status: 'success', content }
}

const snapshotName = z
  .string()
  .trim()
  .regex(/^[^\p{C}]{1,200}$/u, 'one line of at most 200 characters')
const keepParameters = z.object({
  name: snapshotName
    .regex(/^[^#]/, 'no number sign at the beginning, which stands for those without a name')
    .optional()
    .describe('a new name, such as “before-trip”; the time of day without it'),
})

const forgetful = 'This daemon forgets its memory when it stops, and keeps no snapshots.'

/** Keeps the present moment of the memory under a name. */
export const keepSnapshot: Tool = {
  name: 'keep-snapshot',
  description: 'Keeps the present state of all notes under a name, for roll-back. Writes no note.',
  parameters: keepParameters,
  readOnly: false,
  permission: 'allow',
  async run(args, { runtime }) {
    const { database, clock } = runtime
    if (database === null) return failed(forgetful)
    const now = clock.now()
    const { name = clockName(now) } = keepParameters.parse(args)
    const taken = takenName(database, name)
    if (taken !== null) return failed(taken)
    ingestMemex(runtime)
    remember(runtime)
    saveSnapshot(database, name, now.getTime())
    return done(`The moment is kept as ${name}. “roll back to ${name}” goes back to it.`)
  },
}

/** Why a snapshot may not have this name, or null: another has it. */
export function takenName(database: MemoryDatabase, name: string): string | null {
  const known = savedSnapshots(database).find((one) => one.name === name)
  if (known === undefined) return null
  const when = minuteOf(known.at)
  return `${name} is the name of the moment of ${when}. Choose another, or remove that snapshot.`
}

function clockName(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(':', '')
}

function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** Lists the snapshots that have a name. */
export const listSnapshots: Tool = {
  name: 'list-snapshots',
  description: 'Lists the kept snapshots of the notes, oldest first.',
  parameters: z.object({}),
  readOnly: true,
  reach: 'notes',
  async run(_, { runtime: { database } }) {
    if (database === null) return failed(forgetful)
    const lines = savedSnapshots(database).map(({ at, name }) => `${minuteOf(at)}  ${name}`)
    return done(lines.join('\n') || 'There are no snapshots. “snapshot NAME” keeps one.')
  },
}

const snapshotParameters = z.object({
  snapshot: snapshotName.describe('the name of a kept snapshot, such as “before-trip”'),
})

/** Removes a snapshot. */
export const removeSnapshot: Tool = {
  name: 'remove-snapshot',
  description: 'Removes a named snapshot of the memory; it cannot be gone back to any more.',
  parameters: snapshotParameters,
  readOnly: false,
  permission: 'ask',
  async run(args, { runtime: { database } }) {
    const { snapshot: name } = snapshotParameters.parse(args)
    if (database === null) return failed(forgetful)
    return dropSnapshot(database, name) ? done(`${name} is removed.`) : unknown(database, name)
  },
}

function unknown(database: MemoryDatabase, name: string): ToolResult {
  const names = savedSnapshots(database).map((known) => known.name)
  const others = names.length === 0 ? '' : ` There are ${names.slice(-9).join(', ')}.`
  return failed(`There is no snapshot ${name}.${others}`)
}

/** Puts the owner's files back to a snapshot. */
export const rollBack: Tool = {
  name: 'roll-back',
  description: 'Puts all files back to a named snapshot of the memory. Files made since stay.',
  parameters: snapshotParameters,
  readOnly: false,
  reach: 'notes',
  permission: 'ask',
  async preview(args, { runtime }) {
    const plan = planOf(runtime, snapshotParameters.parse(args).snapshot)
    if (plan === null) return null
    return `${stepLines(plan.steps)}\n${rollbackDiff(plan.steps, runtime.store.history)}`
  },
  async run(args, { runtime }) {
    const { snapshot: name } = snapshotParameters.parse(args)
    if (runtime.database === null) return failed(forgetful)
    const plan = planOf(runtime, name)
    if (plan === null) return unknown(runtime.database, name)
    const before = beforeName(runtime.clock.now())
    const ready = () => saveSnapshot(plan.database, before, runtime.clock.now().getTime())
    const written = rollFilesBack(runtime.memex, runtime.store, plan.steps, ready)
    for (const path of written) runtime.stamps.delete(path)
    runtime.store.restore(withNewer(runtime.store.snapshot(), plan.past, plan.steps))
    const what = stepLines(plan.steps) || 'Nothing had changed.'
    return done(
      `${what}\nThe files are as they were in ${name}; “roll back to ${before}” undoes it.`,
    )
  },
}

/** The name under which the moment before a return is kept. */
export function beforeName(now: Date): string {
  return `before-${clockName(now)}`
}

interface Plan {
  database: MemoryDatabase
  past: Snapshot
  steps: RollbackStep[]
}

function planOf({ database, store }: Runtime, name: string): Plan | null {
  const past = database === null ? null : savedSnapshot(database, name)
  if (database === null || past === null) return null
  return { database, past, steps: rollbackSteps(store.snapshot(), past) }
}

/** The moment of then, with the files that have come since. */
export function withNewer(now: Snapshot, then: Snapshot, steps: readonly RollbackStep[]): Snapshot {
  let { files, places } = then
  for (const { kind, path } of steps) {
    const entry = now.files.get(path)
    if (kind !== 'stays' || entry === undefined) continue
    files = files.with(path, entry)
    for (const id of entry.objects.keys())
      if (places.get(id) === undefined) places = places.with(id, path)
  }
  return { files, places }
}

/** The skill that goes back. */
export const memoryTools: Skill = defineSkill({
  name: 'memory-tools',
  description: 'Tells what notes were, and brings it back.',
  offeredFor: ['version', 'snapshot', 'restore', 'deleted'],
  tools: [noteHistory, restoreNote, keepSnapshot, listSnapshots, removeSnapshot, rollBack],
})
