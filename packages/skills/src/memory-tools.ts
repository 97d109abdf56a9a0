import {
  type Change,
  defineSkill,
  difference,
  hasPrivateTag,
  type MemoryDatabase,
  type RollbackStep,
  type Runtime,
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  type Skill,
  type Snapshot,
  savedSnapshot,
  saveSnapshot,
  stepLines,
  type Tool,
  type ToolResult,
  textOfVersion,
} from '@passepartout/core'
import { z } from 'zod'
import { titleWords } from './note-text.ts'
import { editFile, noteMeant } from './task-edit.ts'

const noteParameters = z.object({
  query: z.string().min(1).max(500).describe('words of the title'),
  place: z.string().max(300).optional().describe('file:line, when the title is not enough'),
})

const changesMax = 20

/** Tells when a note changed, and by whom. */
export const noteHistory: Tool = {
  name: 'note-history',
  description: 'Lists the versions of a note, newest first: when, by whom, and the version’s name.',
  parameters: noteParameters,
  readOnly: true,
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

/** Writes an earlier text of a note back into its file. */
export const restoreNote: Tool = {
  name: 'restore-note',
  description: 'Writes an earlier version of a note, with all inside it, back into its file.',
  parameters: restoreParameters,
  readOnly: false,
  reach: 'notes',
  permission: 'ask',
  async run(args, context) {
    const { runtime } = context
    const { version, ...name } = restoreParameters.parse(args)
    const note = noteMeant(context, name, 'any')
    if ('status' in note) return note
    const { history } = runtime.store
    const hashes = history.changes(note.id).flatMap(({ hash }) => hash ?? [])
    const hash = hashes.findLast((known) =>
      version === undefined ? known !== note.hash : known.startsWith(version),
    )
    if (hash === undefined) return failed(`“${titleWords(note)}” has no such version.`)
    const wasPrivate = hasPrivateTag(history.version(hash) ?? note, runtime.store.privateTags)
    if (wasPrivate) return failed('It was private then; “passepartout memory restore” is for that.')
    const text = textOfVersion(history, hash)
    if (text === null) return failed('A part of that version is not kept any more.')
    const before = textOfVersion(history, note.hash)
    editFile(runtime, `restored ${titleWords(note)}`, note.file, (file) => {
      const now = file.slice(note.begin, note.end)
      if (now !== before) throw new Error(`${note.file} was changed in the meantime; ask again.`)
      const { begin, end, text: put } = difference(now, text)
      return [{ begin: note.begin + begin, end: note.begin + end, text: put }]
    })
    return done(`“${titleWords(note)}” is as it was in ${hash.slice(0, 8)}. “undo” takes it back.`)
  },
}

function failed(message: string): ToolResult {
  return { status: 'error', message }
}

function done(content: string): ToolResult {
  return { status: 'success', content }
}

const rollBackParameters = z.object({
  snapshot: z
    .string()
    .min(1)
    .max(200)
    .describe('the name of a kept snapshot, such as “before-trip”'),
})

/** Puts the owner's files back to a snapshot. */
export const rollBack: Tool = {
  name: 'roll-back',
  description: 'Puts all files back to a named snapshot of the memory. Files made since stay.',
  parameters: rollBackParameters,
  readOnly: false,
  reach: 'notes',
  permission: 'ask',
  async preview(args, { runtime }) {
    const plan = planOf(runtime, rollBackParameters.parse(args).snapshot)
    if (plan === null) return null
    return `${stepLines(plan.steps)}\n${rollbackDiff(plan.steps, runtime.store.history)}`
  },
  async run(args, { runtime }) {
    const { snapshot: name } = rollBackParameters.parse(args)
    const plan = planOf(runtime, name)
    if (plan === null) return failed(`There is no snapshot ${name}.`)
    const before = beforeName(runtime.clock.now())
    saveSnapshot(plan.database, before, runtime.clock.now().getTime())
    const written = rollFilesBack(runtime.memex, runtime.store, plan.steps)
    for (const path of written) runtime.stamps.delete(path)
    runtime.store.restore(withNewer(runtime.store.snapshot(), plan.then, plan.steps))
    const what = stepLines(plan.steps) || 'Nothing had changed.'
    return done(
      `${what}\nThe files are as they were in ${name}; “roll back to ${before}” undoes it.`,
    )
  },
}

/** The name under which the moment before a return is kept. */
export function beforeName(now: Date): string {
  return `before-${now.toISOString().slice(0, 19).replaceAll(':', '')}`
}

interface Plan {
  database: MemoryDatabase
  then: Snapshot
  steps: RollbackStep[]
}

function planOf({ database, store }: Runtime, name: string): Plan | null {
  const then = database === null ? null : savedSnapshot(database, name)
  if (database === null || then === null) return null
  return { database, then, steps: rollbackSteps(store.snapshot(), then) }
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
  tools: [noteHistory, restoreNote, rollBack],
})
