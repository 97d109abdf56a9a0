import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
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
  messageOf,
  ObjectStore,
  openDatabase,
  openMemex,
  print,
  printError,
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
import { memoryWhy } from './memory-why.ts'

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

function history(opened: Opened, id: string): Said {
  const changes = opened.store.history.changes(id)
  if (changes.length === 0) throw new MemoryProgramError(`There is no note ${id}.`)
  const lines = changes.map(({ at, hash, by, signal, outside, file }) => {
    const marks = [by, signal, outside ? 'with text from outside' : null, file]
    return `${new Date(at).toISOString()}  ${hash ?? 'gone'}  ${marks.filter(Boolean).join('  ')}`
  })
  return { text: lines.join('\n'), data: changes }
}

function diff(opened: Opened, one: string, other: string | undefined): Said {
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

function restore(opened: Opened, env: Env, id: string, name: string | undefined): string {
  const { store } = opened
  const object = store.get(id)
  if (object === null) return returnGone(opened, env, id, name)
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

function returnGone(opened: Opened, env: Env, id: string, name: string | undefined): string {
  const { store } = opened
  const last = store.history.changes(id).findLast(({ hash }) => hash?.startsWith(name ?? ''))
  if (last === undefined) throw new MemoryProgramError(`There is no note ${id}.`)
  const [gone] = goneNotes(store, last.file, ({ hash }) => hash === last.hash)
  const back = gone === undefined ? null : bringBack(store, gone)
  if (back === null) throw new MemoryProgramError('A part of it is not kept; use rollback.')
  const memex = openMemex(memexDir(env))
  if (back.base === null) memex.create(back.path, back.patch.text, 'folders')
  else memex.patch(back.path, back.base, [back.patch])
  return `${id} is in ${back.path} again, as it was in ${last.hash}`
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
  const { database, store } = opened
  const then = savedSnapshot(database, name)
  if (then === null) throw new MemoryProgramError(`There is no snapshot ${name}.`)
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
  env: Env,
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

function snapshots(
  { database }: Opened,
  name: string | undefined,
  { all: isAll, remove: isRemoved }: { all: boolean; remove: boolean },
): string | Said {
  if (name === undefined) {
    const data = savedSnapshots(database, isAll)
    const lines = data.map(({ at, entry, name: known }) => {
      const why = entry === null ? '' : `  before what began with ${entry}`
      return `${new Date(at).toISOString()}  ${known}${why}`
    })
    return { text: lines.length === 0 ? 'There are no snapshots.' : lines.join('\n'), data }
  }
  if (isRemoved) {
    return dropSnapshot(database, name) ? `${name} is removed.` : `There is no snapshot ${name}.`
  }
  const taken = takenName(database, name)
  if (taken !== null) throw new MemoryProgramError(taken)
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
  snapshot [NAME]         keeps this moment under a name, or lists those that are kept; --all lists more
  snapshot NAME --remove  removes it
  rollback NAME           puts the memory back; with --files the files too, when the plan is approved
  why ID [--question …]   whether a model is shown a note, and why not; --help says more
  check                   computes every hash again, and lists what cannot be read or is there twice
  export FILE             writes all of it as an Org file
  import FILE             reads such a file, to the same hashes
  gc                      removes what the policy lets go
With --json each prints what it found as JSON, and what it did as {"said": …}.`

const options = {
  files: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  remove: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** What a command has found, for people and for programs. */
interface Said {
  text: string
  data: unknown
}

/** Runs one command and returns what it has to say. Throws an Error with a sentence. */
export function memoryProgram(args: readonly string[], env: Env): string {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const said = runCommand(positionals, values, env)
  if (!values.json) return typeof said === 'string' ? said : said.text
  return JSON.stringify(typeof said === 'string' ? { said } : said.data, null, 2)
}

type Flags = Record<Exclude<keyof typeof options, 'json'>, boolean>

function runCommand(words: readonly string[], values: Flags, env: Env): string | Said {
  const [command, name, other] = words
  const needed = () => {
    if (name === undefined) throw new MemoryProgramError(help)
    return name
  }
  const reading = <T>(work: (opened: Opened) => T): T => withMemory(env, false, work)
  const writing = <T>(work: (opened: Opened) => T): T => withMemory(env, true, work)
  if (command === undefined || values.help) return help
  if (command === 'history') return reading((opened) => history(opened, needed()))
  if (command === 'diff') return reading((opened) => diff(opened, needed(), other))
  if (command === 'restore') return reading((opened) => restore(opened, env, needed(), other))
  if (command === 'check') return reading(({ store }) => checkedWhole(store, env))
  if (command === 'gc') return writing(({ database }) => collected(database))
  if (command === 'export') return reading((opened) => exportTo(opened, needed()))
  if (command === 'import') return writing((opened) => importFrom(opened, needed()))
  if (command === 'rollback') return rolledBack(env, needed(), values)
  if (command === 'snapshot' && name === undefined) {
    return reading((opened) => snapshots(opened, name, values))
  }
  if (command === 'snapshot') return writing((opened) => snapshots(opened, name, values))
  throw new MemoryProgramError(help)
}

function rolledBack(env: Env, name: string, flags: { files: boolean; yes: boolean }): string {
  try {
    return withMemory(env, true, (opened) => rollback(opened, env, name, flags))
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== 'busy') throw error
    throw new MemoryProgramError(
      `${error.message}\nSay to it: roll back to ${name}; or, in a shell, add --files`,
    )
  }
}

function collected(database: MemoryDatabase): string {
  const count = gc(database, Date.now())
  compact(database)
  return `${count} versions went.`
}

function checkedWhole(store: ObjectStore, env: Env): Said {
  const said = checked(store)
  const found = problems(store, env)
  return { text: [said, ...found.map(formatMemoryProblem)].join('\n'), data: { problems: found } }
}

function problems(store: ObjectStore, env: Env): MemoryProblem[] {
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
  throw new MemoryProgramError(`${whose}the version ${hash} ${what}`)
}

if (import.meta.main) {
  const [command, ...words] = process.argv.slice(2)
  try {
    if (command === 'why') {
      const { code, text } = await memoryWhy(words, process.env)
      print(text, code === 0 ? 'stdout' : 'stderr')
      process.exitCode = code
    } else print(`${memoryProgram(process.argv.slice(2), process.env)}\n`)
  } catch (error) {
    printError(`${messageOf(error)}\n`)
    process.exitCode = 1
  }
}
