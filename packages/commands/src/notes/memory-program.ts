import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import {
  askLater,
  bringBack,
  checkStore,
  compact,
  DatabaseError,
  differences,
  dropSnapshot,
  exportMemory,
  findDaemon,
  flightPlanFiles,
  formatMemoryProblem,
  gc,
  goneNotes,
  importMemory,
  type Memex,
  type MemoryDatabase,
  type MemoryProblem,
  memoryProblems,
  ObjectStore,
  openDatabase,
  openMemex,
  type RollbackStep,
  readDatabase,
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
  stateDirectory,
  stepLines,
  textOfVersion,
  type Version,
} from '@passepartout/core'
import { beforeName, takenName, withNewer } from '@passepartout/skills/notes'
import { type Answer, type Environment, type Given, ProgramError } from '../line/program.ts'

interface Opened {
  database: MemoryDatabase
  store: ObjectStore
}

function withMemory<T>(env: Environment, isWriting: boolean, work: (opened: Opened) => T): T {
  const stateDir = stateDirectory(env)
  const database = isWriting ? openDatabase(stateDir) : readDatabase(stateDir)
  if (database === null) throw new ProgramError('There is no memory yet. Start a daemon first.')
  try {
    const store = new ObjectStore()
    database.load(store)
    return work({ database, store })
  } finally {
    database.close()
  }
}

function versionNamed({ store }: Opened, name: string, id?: string): Version {
  const known = id === undefined ? [] : store.history.changes(id)
  const hash = known.findLast((change) => change.hash?.startsWith(name))?.hash
  const version = store.history.version(hash ?? store.get(name)?.hash ?? name)
  if (version === null) throw new ProgramError(`There is no version or note ${name}.`)
  return version
}

function historyOf(opened: Opened, id: string): Answer {
  const changes = opened.store.history.changes(id)
  if (changes.length === 0) throw new ProgramError(`There is no note ${id}.`)
  const lines = changes.map(({ at, hash, by, signal, outside, file }) => {
    const marks = [by, signal, outside ? 'with text from outside' : null, file]
    return `${new Date(at).toISOString()}  ${hash ?? 'gone'}  ${marks.filter(Boolean).join('  ')}`
  })
  return { text: lines.join('\n'), data: changes }
}

function diffOf(opened: Opened, one: string, other: string | undefined): Answer {
  const changes = opened.store.history.changes(one).flatMap((change) => change.hash ?? [])
  const after = versionNamed(opened, other ?? one, one)
  const isNote = changes.length > 0
  const before = isNote ? opened.store.history.version(changes.at(-2) ?? '') : null
  const { fields, lines } = differences(isNote ? before : versionNamed(opened, one), after)
  const signs = { same: ' ', out: '-', in: '+' }
  const shown = [
    ...fields.map(
      (field) => `${field.name}: ${field.before ?? '(none)'} → ${field.after ?? '(none)'}`,
    ),
    ...lines.map(({ kind, line }) => `${signs[kind]}${line.replace(/\n$/, '')}`),
  ]
  return { text: shown.join('\n'), data: { fields, lines } }
}

function restore(opened: Opened, env: Environment, id: string, name: string | undefined): Answer {
  const { store } = opened
  const object = store.get(id)
  if (object === null) return returnGone(opened, env, id, name)
  const changes = store.history.changes(id).flatMap((change) => change.hash ?? [])
  const earlier = changes.findLast((hash) => hash !== object.hash)
  const version = versionNamed(opened, name ?? earlier ?? object.hash, id)
  const text = textOfVersion(store.history, version.hash)
  const known = textOfVersion(store.history, store.get(`file:${object.file}`)?.hash ?? '')
  if (text === null || known === null) throw new ProgramError('A part of it is not kept.')
  const memex = openMemex(memexDir(env))
  memex.patch(object.file, known, [{ begin: object.begin, end: object.end, text }])
  return { text: `${id} is as it was in ${version.hash}; it was ${object.hash}` }
}

function returnGone(
  opened: Opened,
  env: Environment,
  id: string,
  name: string | undefined,
): Answer {
  const { store } = opened
  const last = store.history.changes(id).findLast(({ hash }) => hash?.startsWith(name ?? ''))
  if (last === undefined) throw new ProgramError(`There is no note ${id}.`)
  const [gone] = goneNotes(store, last.file, ({ hash }) => hash === last.hash)
  const back = gone === undefined ? null : bringBack(store, gone)
  if (back === null) throw new ProgramError('A part of it is not kept; use rollback.')
  const memex = openMemex(memexDir(env))
  if (back.base === null) memex.create(back.path, back.patch.text, 'folders')
  else memex.patch(back.path, back.base, [back.patch])
  return { text: `${id} is in ${back.path} again, as it was in ${last.hash}` }
}

function memexDir(env: Environment): string {
  const dir = env.MEMEX_DIR ?? findDaemon(stateDirectory(env))?.memex
  if (dir === undefined) throw new ProgramError('Which notes? Set MEMEX_DIR.')
  return dir
}

function rollback(
  opened: Opened,
  env: Environment,
  name: string,
  flags: { files: boolean; yes: boolean },
): string {
  const { database, store } = opened
  const then = savedSnapshot(database, name)
  if (then === null) throw new ProgramError(`There is no snapshot ${name}.`)
  const now = store.snapshot()
  const steps = rollbackSteps(now, then)
  const plan = stepLines(steps) || 'Nothing has changed since.'
  if (flags.files && !flags.yes) return `${plan}\n${planned(env, name, opened, steps)}`
  const before = beforeName(new Date())
  const ready = () => saveSnapshot(database, before, Date.now())
  if (flags.files) rollFilesBack(openMemex(memexDir(env)), store, steps, ready)
  else ready()
  store.restore(withNewer(now, then, steps))
  database.commit(store)
  const files = flags.files ? ' --files' : ''
  return `${plan}\n${flags.files ? 'The files are' : 'The memory is'} as in ${name}; rollback ${before}${files} undoes it.`
}

function planned(
  env: Environment,
  name: string,
  { store }: Opened,
  steps: readonly RollbackStep[],
): string {
  const token = askLater({
    stateDir: stateDirectory(env),
    memex: openMemex(memexDir(env)),
    clock: { now: () => new Date() },
    action: {
      type: 'request',
      target: 'tool',
      payload: {
        action: 'call',
        tool: 'roll-back',
        args: { snapshot: name },
        explanation: 'You asked for it with passepartout memory rollback.',
      },
    },
    asker: { gate: 'permissions', rule: 'permissions.default', reason: 'roll-back asks' },
    preview: `${stepLines(steps)}\n${rollbackDiff(steps, store.history)}`,
  })
  return `Nothing was written. Set the plan in flight-plans.org to APPROVED, or say “approve ${token}” to a daemon;\nwithout a daemon, say --yes here.`
}

function listed(database: MemoryDatabase, isAll: boolean): Answer {
  const data = savedSnapshots(database, isAll)
  const lines = data.map(({ at, entry, name: known }) => {
    const why = entry === null ? '' : `  before what began with ${entry}`
    return `${new Date(at).toISOString()}  ${known}${why}`
  })
  return { text: lines.length === 0 ? 'There are no snapshots.' : lines.join('\n'), data }
}

function kept(database: MemoryDatabase, name: string, isRemoved: boolean): Answer {
  if (isRemoved) {
    if (dropSnapshot(database, name)) return { text: `${name} is removed.` }
    throw new ProgramError(`There is no snapshot ${name}.`)
  }
  const taken = takenName(database, name)
  if (taken !== null) throw new ProgramError(taken)
  saveSnapshot(database, name, Date.now())
  return { text: `${name} is kept.` }
}

/** Writes all of the memory as an Org file. */
export async function exportFile({ env, words: [path = ''] }: Given): Promise<Answer> {
  return withMemory(env, false, ({ database }) => {
    const file = openSync(path, 'wx', 0o600)
    try {
      for (const piece of exportMemory(database)) writeFileSync(file, piece)
    } finally {
      closeSync(file)
    }
    return { text: `The memory is in ${path}.` }
  })
}

/** Reads such a file, to the same hashes. */
export async function importFile({ env, words: [path = ''] }: Given): Promise<Answer> {
  return withMemory(env, true, ({ database }) => {
    importMemory(database, readFileSync(path, 'utf8'))
    return { text: `The memory has what is in ${path}.` }
  })
}

/** Every version of a note, oldest first. */
export async function history({ env, words: [id = ''] }: Given): Promise<Answer> {
  return withMemory(env, false, (opened) => historyOf(opened, id))
}

/** What the last edit changed, or what differs between two versions. */
export async function diff({ env, words: [one = '', other] }: Given): Promise<Answer> {
  return withMemory(env, false, (opened) => diffOf(opened, one, other))
}

/** Writes an earlier text back into the file. */
export async function restoreNote({ env, words: [id = '', hash] }: Given): Promise<Answer> {
  return withMemory(env, false, (opened) => restore(opened, env, id, hash))
}

/** Computes every hash again, and lists what cannot be read or is there twice. */
export async function checkMemory({ env }: Given): Promise<Answer> {
  return withMemory(env, false, ({ store }) => checkedWhole(store, env))
}

/** Removes what the policy lets go. */
export async function collectGarbage({ env }: Given): Promise<Answer> {
  return withMemory(env, true, ({ database }) => {
    const count = gc(database, Date.now())
    compact(database)
    return { text: `${count} versions went.` }
  })
}

interface SnapshotWishes {
  all: boolean
  remove: boolean
  yes: boolean
  json: boolean
}

interface RollbackWishes {
  files: boolean
  yes: boolean
  json: boolean
}

const success = /The moment is kept as|is removed\.|The files are as they were in/

/** The sentence that says to a daemon what these words say; null when they are for this program. */
export function sentenceFor(
  verb: 'snapshot' | 'rollback',
  name: string,
  flags: { remove?: boolean; files?: boolean },
): string | null {
  if (/["“”\n\r]/.test(name)) return null
  if (verb === 'snapshot')
    return flags.remove ? `delete the snapshot "${name}"` : `keep a snapshot called "${name}"`
  return flags.files ? `roll back to snapshot "${name}"` : null
}

/** Keeps this moment under a name, or lists those that are kept. */
export async function snapshot(given: Given<SnapshotWishes>): Promise<Answer> {
  const { daemon, env, options, words } = given
  const [name] = words
  if (name === undefined)
    return withMemory(env, false, ({ database }) => listed(database, options.all))
  const sentence = sentenceFor('snapshot', name, options)
  const wishes = { success, isJson: options.json, isConfirmed: options.yes }
  const said = sentence === null ? null : await daemon.say(sentence, wishes)
  return said ?? withMemory(env, true, ({ database }) => kept(database, name, options.remove))
}

/** Puts the memory back, and the files when that was asked for and approved. */
export async function rollBack(given: Given<RollbackWishes>): Promise<Answer> {
  const { daemon, env, options, words } = given
  const [name = ''] = words
  const sentence = sentenceFor('rollback', name, options)
  const wishes = { success, isJson: options.json, isConfirmed: options.yes }
  const said = sentence === null ? null : await daemon.say(sentence, wishes)
  return said ?? rolledBack(env, name, options)
}

function rolledBack(
  env: Environment,
  name: string,
  flags: { files: boolean; yes: boolean },
): Answer {
  try {
    return { text: withMemory(env, true, (opened) => rollback(opened, env, name, flags)) }
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== 'busy') throw error
    throw new ProgramError(
      `${error.message}\nSay to it: roll back to ${name}; or, in a shell, add --files`,
    )
  }
}

function checkedWhole(store: ObjectStore, env: Environment): Answer {
  const said = checked(store)
  const found = problems(store, env)
  return { text: [said, ...found.map(formatMemoryProblem)].join('\n'), data: { problems: found } }
}

function problems(store: ObjectStore, env: Environment): MemoryProblem[] {
  const memex = openMemex(memexDir(env))
  const known = store.snapshot().files
  const closed = (path: string) =>
    known.get(path) === undefined && !flightPlanFiles.includes(path) && !isText(memex, path)
  const files = () => memex.files().filter(closed)
  return memoryProblems({ memex: { ...memex, files }, store })
}

function isText(memex: Memex, path: string): boolean {
  try {
    memex.read(path)
    return true
  } catch {
    return false
  }
}

function checked(store: ObjectStore): string {
  const flaw = checkStore(store)
  if (flaw === null) return 'Every hash is what it should be.'
  const { found, hash, kind } = flaw
  const note = [...store.objects()].find((object) => object.hash === hash)
  const whose = note === undefined ? '' : `${note.file}:${note.line} “${note.title}”: `
  const what = kind === 'missing' ? 'is missing' : `is not what its name says but ${found}`
  throw new ProgramError(`${whose}the version ${hash} ${what}`)
}
