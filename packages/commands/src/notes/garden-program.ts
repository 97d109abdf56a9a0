import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import {
  checkStore,
  commandName,
  configPath,
  findDaemon,
  flightPlanFiles,
  Indexes,
  type Memex,
  messageOf,
  ObjectStore,
  openMemex,
  print,
  readDatabase,
  stateDirectory,
} from '@passepartout/core'
import { readConfigFile } from '@passepartout/gates/secrets'
import {
  type ArchivistSettings,
  archivistDefaults,
  archivistSection,
  type Finding,
  findEverywhere,
} from '@passepartout/skills/archivist'

type Env = Record<string, string | undefined>

const help = `Usage: passepartout garden [--json] [--dry-run]
Lists what is broken or overgrown in your notes: links that lead nowhere, ids that are missing,
lost or there twice, notes that say nearly the same, notes that nothing links to, tasks that were
not touched for long or done long ago, files that are not there, and hashes that are wrong.
A line with an arrow has a repair. A running daemon is asked to propose the repairs, as flight
plans with diffs; with --dry-run it is not. --json prints the findings as JSON.
`

/** What came of it: an exit code and a text, for standard error unless the code is 0. */
export interface GardenAnswer {
  code: 0 | 1 | 2
  text: string
}

function settingsOf(env: Env): ArchivistSettings {
  const path = configPath(env, env.HOME ?? homedir())
  return (
    readConfigFile(path, { archivist: archivistSection }).sections.archivist[0] ?? archivistDefaults
  )
}

function opened(env: Env): { store: ObjectStore; indexes: Indexes; memex: Memex; close(): void } {
  const stateDir = stateDirectory(env)
  const folder = env.MEMEX_DIR ?? findDaemon(stateDir)?.memex
  if (folder === undefined || !existsSync(folder)) {
    throw new Error(
      'Which notes? Set MEMEX_DIR to the folder of your Org files, or start a daemon.',
    )
  }
  const whole = openMemex(folder)
  const files = () => whole.files().filter((path) => !flightPlanFiles.includes(path))
  const memex: Memex = { ...whole, files }
  const database = readDatabase(stateDir)
  const store = new ObjectStore(undefined, undefined, (path) => memex.setup(path))
  const stamps = new Map<string, string>()
  database?.load(store, stamps)
  const present = new Set(files())
  for (const path of store.paths()) if (!present.has(path)) store.removeFile(path)
  for (const path of present) readNewer(store, memex, path, stamps.get(path))
  return { store, memex, indexes: new Indexes(store), close: () => database?.close() }
}

function readNewer(
  store: ObjectStore,
  memex: Memex,
  path: string,
  stamp: string | undefined,
): void {
  try {
    if (memex.stamp(path) !== stamp) store.ingestFile(path, memex.read(path))
  } catch {
    // A file that is no text is a finding, and not an end.
  }
}

/** Does what the words say. Never throws. */
export function gardenProgram(
  words: readonly string[],
  env: Env,
  now: Date = new Date(),
): GardenAnswer {
  const options = {
    json: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    const { values } = parseArgs({ args: [...words], options })
    if (values.help) return { code: 0, text: help }
    const findings = look(env, now)
    const text = values.json ? JSON.stringify(findings, null, 1) : shown(findings)
    return { code: 0, text: `${text}\n` }
  } catch (error) {
    const isWrong = error instanceof TypeError && 'code' in error
    const text = `${messageOf(error)}\n`
    return { code: isWrong ? 2 : 1, text: isWrong ? `${text}${help}` : text }
  }
}

function look(env: Env, now: Date): Finding[] {
  const grounds = opened(env)
  try {
    const found = findEverywhere({ ...grounds, clock: { now: () => now } }, settingsOf(env))
    return [...found, ...wholeCheck(grounds.store)].sort(byFile)
  } finally {
    grounds.close()
  }
}

function byFile(one: Finding, other: Finding): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1
  return one.line - other.line
}

function wholeCheck(store: ObjectStore): Finding[] {
  const flaw = checkStore(store)
  if (flaw === null) return []
  const what = `the version ${flaw.hash} is ${flaw.kind}; say ${commandName} memory check`
  const place = { file: '', line: 0, isPrivate: false, repair: null }
  return [{ ...place, key: flaw.hash.slice(0, 12), kind: 'integrity', what }]
}

function shown(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'The garden is tidy.'
  const lines = findings.map(({ file, isPrivate, kind, line, repair, what }) => {
    const mark = repair === null ? '' : ' →'
    return `${file}:${line}: ${kind}${isPrivate ? ' (private)' : ''}: ${what}${mark}`
  })
  const count = findings.filter(({ isPrivate, repair }) => !isPrivate && repair !== null).length
  const repairs = count === 1 ? 'One of them has a repair.' : `${count} of them have a repair.`
  return `${lines.join('\n')}\n${findings.length} findings. ${repairs}`
}

if (import.meta.main) {
  const { code, text } = gardenProgram(process.argv.slice(2), process.env)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
