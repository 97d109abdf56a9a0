import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import {
  checkStore,
  commandName,
  configPath,
  findDaemon,
  flightPlanFiles,
  Indexes,
  type Memex,
  ObjectStore,
  openMemex,
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
import { type Answer, type Environment, type Given, ProgramError } from '../line/program.ts'

function settingsOf(env: Environment): ArchivistSettings {
  const path = configPath(env, env.HOME ?? homedir())
  return (
    readConfigFile(path, { archivist: archivistSection }).sections.archivist[0] ?? archivistDefaults
  )
}

function opened(env: Environment): {
  store: ObjectStore
  indexes: Indexes
  memex: Memex
  close(): void
} {
  const stateDir = stateDirectory(env)
  const folder = env.MEMEX_DIR ?? findDaemon(stateDir)?.memex
  if (folder === undefined || !existsSync(folder)) {
    throw new ProgramError(
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

/** What is broken or overgrown in the notes. A daemon is asked to repair it, unless it was only looked at. */
export async function lookAfterGarden({
  daemon,
  env,
  now,
  options,
}: Given<{ json: boolean; 'dry-run': boolean }>): Promise<Answer> {
  const findings = look(env, now)
  if (options.json || options['dry-run']) return { text: shown(findings), data: findings }
  const asked = await daemon.say('tend the garden', { isJson: true })
  const next =
    asked === null
      ? 'No daemon runs, so nothing was proposed.'
      : 'What can be repaired is proposed within a minute, in flight-plans.org.'
  return { text: `${shown(findings)}\n${next}` }
}

function look(env: Environment, now: Date): Finding[] {
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
