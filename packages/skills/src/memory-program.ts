import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  checkStore,
  compact,
  differences,
  dropSnapshot,
  exportMemory,
  findDaemon,
  gc,
  importMemory,
  type MemoryDatabase,
  ObjectStore,
  openDatabase,
  openMemex,
  readDatabase,
  type Snapshot,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
  stateDirectory,
  textOfVersion,
  type Version,
} from '@passepartout/core'

type Env = Record<string, string | undefined>

/** Something that the user can put right. */
export class MemoryProgramError extends Error {}

interface Opened {
  database: MemoryDatabase
  store: ObjectStore
}

function withMemory<T>(env: Env, isWriting: boolean, work: (opened: Opened) => T): T {
  const stateDir = stateDirectory(env)
  const database = isWriting ? openDatabase(stateDir) : readDatabase(stateDir)
  if (database === null)
    throw new MemoryProgramError('There is no memory yet. Start a daemon first.')
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
  if (version === null) throw new MemoryProgramError(`There is no version or note ${name}.`)
  return version
}

function history(opened: Opened, id: string): string {
  const changes = opened.store.history.changes(id)
  if (changes.length === 0) throw new MemoryProgramError(`There is no note ${id}.`)
  const lines = changes.map(({ at, hash, by, signal, outside, file }) => {
    const marks = [by, signal, outside ? 'with text from outside' : null, file]
    return `${new Date(at).toISOString()}  ${hash ?? 'gone'}  ${marks.filter(Boolean).join('  ')}`
  })
  return lines.join('\n')
}

function diff(opened: Opened, one: string, other: string | undefined): string {
  const changes = opened.store.history.changes(one).flatMap((change) => change.hash ?? [])
  const after = versionNamed(opened, other ?? one, one)
  const isNote = changes.length > 0
  const before = isNote ? opened.store.history.version(changes.at(-2) ?? '') : null
  const { fields, lines } = differences(isNote ? before : versionNamed(opened, one), after)
  const signs = { same: ' ', out: '-', in: '+' }
  return [
    ...fields.map(
      (field) => `${field.name}: ${field.before ?? '(none)'} → ${field.after ?? '(none)'}`,
    ),
    ...lines.map(({ kind, line }) => `${signs[kind]}${line.replace(/\n$/, '')}`),
  ].join('\n')
}

function restore(opened: Opened, env: Env, id: string, name: string | undefined): string {
  const { store } = opened
  const object = store.get(id)
  if (object === null) throw new MemoryProgramError(`There is no note ${id} now; use rollback.`)
  const changes = store.history.changes(id).flatMap((change) => change.hash ?? [])
  const earlier = changes.findLast((hash) => hash !== object.hash)
  const version = versionNamed(opened, name ?? earlier ?? object.hash, id)
  const text = textOfVersion(store.history, version.hash)
  const known = textOfVersion(store.history, store.get(`file:${object.file}`)?.hash ?? '')
  if (text === null || known === null) throw new MemoryProgramError('A part of it is not kept.')
  const memex = openMemex(memexDir(env))
  memex.patch(object.file, known, [{ begin: object.begin, end: object.end, text }])
  return `${id} is as it was in ${version.hash}; it was ${object.hash}`
}

function memexDir(env: Env): string {
  const dir = env.MEMEX_DIR ?? findDaemon(stateDirectory(env))?.memex
  if (dir === undefined) throw new MemoryProgramError('Which notes? Set MEMEX_DIR.')
  return dir
}

function rollback(
  opened: Opened,
  env: Env,
  name: string,
  flags: { files: boolean; yes: boolean },
): string {
  const snapshot = savedSnapshot(opened.database, name)
  if (snapshot === null) throw new MemoryProgramError(`There is no snapshot ${name}.`)
  const now = opened.store.snapshot()
  const paths = now.files.changes(snapshot.files).sort()
  const changed = paths.filter(
    (path) => now.files.get(path)?.hash !== snapshot.files.get(path)?.hash,
  )
  const plan = changed.map((path) => `${planned(now, snapshot, path)} ${path}`)
  if (flags.files && !flags.yes)
    return [...plan, 'Nothing was written. Say --yes for that.'].join('\n')
  if (flags.files) for (const path of changed) writeBack(opened, env, snapshot, path)
  opened.store.restore(snapshot)
  opened.database.commit(opened.store)
  return [...plan, `The memory is as it was in ${name}.`].join('\n')
}

function planned(now: Snapshot, then: Snapshot, path: string): string {
  if (then.files.get(path) === undefined) return 'stays'
  return now.files.get(path) === undefined ? 'comes back' : 'changes'
}

function writeBack({ store }: Opened, env: Env, then: Snapshot, path: string): void {
  const text = textOfVersion(store.history, then.files.get(path)?.hash ?? '')
  if (text === null) return
  const memex = openMemex(memexDir(env))
  const known = textOfVersion(store.history, store.get(`file:${path}`)?.hash ?? '')
  if (known === null) memex.create(path, text)
  else memex.patch(path, known, [{ begin: 0, end: known.length, text }])
}

function snapshots({ database }: Opened, name: string | undefined, isRemoved: boolean): string {
  if (name === undefined) {
    const lines = savedSnapshots(database).map(
      (saved) => `${new Date(saved.at).toISOString()}  ${saved.name}`,
    )
    return lines.length === 0 ? 'There are no snapshots.' : lines.join('\n')
  }
  if (isRemoved) {
    return dropSnapshot(database, name) ? `${name} is removed.` : `There is no snapshot ${name}.`
  }
  saveSnapshot(database, name, Date.now())
  return `${name} is kept.`
}

function exportTo({ database }: Opened, path: string): string {
  const file = openSync(path, 'wx', 0o600)
  try {
    for (const piece of exportMemory(database)) writeFileSync(file, piece)
  } finally {
    closeSync(file)
  }
  return `The memory is in ${path}.`
}

function importFrom({ database }: Opened, path: string): string {
  importMemory(database, readFileSync(path, 'utf8'))
  return `The memory has what is in ${path}.`
}

const help = `Usage: passepartout memory COMMAND
  history ID              every version of a note, oldest first
  diff ID | HASH HASH     what the last edit changed, or what differs between two versions
  restore ID [HASH]       writes an earlier text back into the file
  snapshot [NAME]         keeps this moment under a name, or lists those that are kept
  snapshot NAME --remove  removes it
  rollback NAME           puts the memory back; with --files the files too, after --yes
  check                   computes every hash again
  export FILE             writes all of it as an Org file
  import FILE             reads such a file, to the same hashes
  gc                      removes what the policy lets go`

const options = {
  files: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  remove: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Runs one command and returns what it has to say. Throws an Error with a sentence. */
export function memoryProgram(args: readonly string[], env: Env): string {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const [command, name, other] = positionals
  const needed = () => {
    if (name === undefined) throw new MemoryProgramError(help)
    return name
  }
  const reading = (work: (opened: Opened) => string) => withMemory(env, false, work)
  const writing = (work: (opened: Opened) => string) => withMemory(env, true, work)
  if (command === undefined || values.help) return help
  if (command === 'history') return reading((opened) => history(opened, needed()))
  if (command === 'diff') return reading((opened) => diff(opened, needed(), other))
  if (command === 'restore') return reading((opened) => restore(opened, env, needed(), other))
  if (command === 'check') return reading(({ store }) => checked(store))
  if (command === 'gc') return writing(({ database }) => collected(database))
  if (command === 'export') return reading((opened) => exportTo(opened, needed()))
  if (command === 'import') return writing((opened) => importFrom(opened, needed()))
  if (command === 'rollback') return writing((opened) => rollback(opened, env, needed(), values))
  if (command === 'snapshot' && name === undefined) {
    return reading((opened) => snapshots(opened, name, false))
  }
  if (command === 'snapshot') return writing((opened) => snapshots(opened, name, values.remove))
  throw new MemoryProgramError(help)
}

function collected(database: MemoryDatabase): string {
  const count = gc(database, Date.now())
  compact(database)
  return `${count} versions went.`
}

function checked(store: ObjectStore): string {
  const flaw = checkStore(store)
  if (flaw === null) return 'Every hash is what it should be.'
  throw new MemoryProgramError(
    `${flaw.hash} is ${flaw.kind}${flaw.found === null ? '' : `: ${flaw.found}`}`,
  )
}

if (import.meta.main) {
  try {
    console.log(memoryProgram(process.argv.slice(2), process.env))
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
