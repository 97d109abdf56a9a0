import { execFileSync, type StdioOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import {
  commandName,
  configDirectory,
  findInstance,
  isServed,
  leftRestores,
  memoryFault,
  readDatabase,
  restorePrefix,
  stateDirectory,
} from '@passepartout/core'
import { z } from 'zod'
import { type Answer, type Environment, type Given, ProgramError } from '../line/program.ts'

/** Without the vectors, which are made again from the notes. */
const databases = ['memory.db', 'events.db', 'gateways.db', 'archivist.db', 'outbox.db']
const ofState = [
  ...['trace', 'approvals', 'scopes', 'vault.age', 'usage', 'improvements', 'mcp'],
  ...['skills-kept.json', 'skill-scripts.json'],
]
const ofConfig = ['config.org', 'permissions.org']

function filesBelow(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (stat.isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}

const manifestSchema = z.object({
  format: z.literal(1),
  created: z.string(),
  files: z.array(
    z.object({
      path: z.string().regex(/^(?:state|config)\/(?!.*(?:^|\/)\.\.(?:\/|$))[^\0]+$/),
      size: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})

type Manifest = z.output<typeof manifestSchema>

const laterSchema = z.object({ format: z.int().min(2) })

function manifestOf(folder: string, created: Date): Manifest {
  const files = filesBelow(folder).map((file) => {
    const bytes = readFileSync(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { path: relative(folder, file), size: bytes.length, sha256 }
  })
  return { format: 1, created: created.toISOString(), files }
}

async function backup(file: string, env: Environment): Promise<string> {
  const target = resolve(file)
  if (existsSync(target)) throw new ProgramError(`${target} is there already; choose another name`)
  const stateDir = stateDirectory(env)
  const fault = memoryFault(stateDir)
  if (fault !== null) {
    throw new ProgramError(`The memory is damaged (${fault}); first: ${commandName} doctor --fix`)
  }
  const memory = join(stateDir, 'memory.db')
  if (!existsSync(memory)) throw new ProgramError('There is no memory yet. Start a daemon first.')
  const staging = mkdtempSync(join(dirname(target), '.backup-'))
  try {
    mkdirSync(join(staging, 'state'))
    for (const name of databases) {
      if (existsSync(join(stateDir, name)))
        await copyOne(join(stateDir, name), join(staging, 'state', name))
    }
    copyAll(stateDir, ofState, join(staging, 'state'))
    copyAll(configDirectory(env), ofConfig, join(staging, 'config'))
    const manifest = manifestOf(staging, new Date())
    writeFileSync(join(staging, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    const part = `${staging}.tar.gz`
    execFileSync('tar', ['-czf', part, '-C', staging, '.'])
    chmodSync(part, 0o600)
    renameSync(part, target)
    const vault = existsSync(join(staging, 'state/vault.age'))
    const warning = vault
      ? '\nThe vault is in it, and what opens the vault is not: keep that elsewhere.'
      : ''
    return `${manifest.files.length} files are in ${target}.${warning}`
  } finally {
    rmSync(staging, { recursive: true, force: true })
    rmSync(`${staging}.tar.gz`, { force: true })
  }
}

async function copyOne(from: string, to: string): Promise<void> {
  const db = new DatabaseSync(from, { readOnly: true })
  try {
    await copyDatabase(db, to)
  } finally {
    db.close()
  }
  asOneFile(to)
}

/** Takes the copy out of the mode in which SQLite keeps two files beside a database. */
function asOneFile(path: string): void {
  const db = new DatabaseSync(path)
  try {
    mustBeSound(db, `${basename(path)} is damaged; see ${commandName} doctor`)
    db.exec('PRAGMA journal_mode = DELETE')
  } finally {
    db.close()
  }
}

function mustBeSound(db: DatabaseSync, message: string): void {
  let found: unknown
  try {
    found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check
  } catch (error) {
    throw new ProgramError(message, 1, { cause: error })
  }
  if (found !== 'ok') throw new ProgramError(message)
}

function copyAll(from: string, names: readonly string[], to: string): void {
  for (const name of names) {
    for (const file of filesBelow(join(from, name))) {
      const target = join(to, relative(from, file))
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(file, target)
    }
  }
}

function restore(file: string, env: Environment, movesAside: boolean): string {
  const stateDir = stateDirectory(env)
  const running = findInstance(stateDir)
  if (running !== null) {
    throw new ProgramError(
      `A daemon is running (process ${running.pid}). First: ${commandName} stop`,
    )
  }
  if (isServed(stateDir)) {
    throw new ProgramError(
      `A process has ${stateDir} and does not say which. End the daemon first.`,
    )
  }
  const isThere = existsSync(join(stateDir, 'memory.db'))
  if (isThere && !movesAside) {
    throw new ProgramError(`${stateDir} has a memory. To move it aside: restore --move-aside FILE`)
  }
  mkdirSync(dirname(stateDir), { recursive: true })
  for (const left of leftRestores(stateDir)) rmSync(left, { recursive: true, force: true })
  const staging = mkdtempSync(restorePrefix(stateDir))
  try {
    unpack(resolve(file), staging)
    const manifest = verified(staging)
    const lines = [`${manifest.files.length} files of ${manifest.created} are whole.`]
    if (existsSync(stateDir)) {
      const aside = `${stateDir}.before-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
      renameSync(stateDir, aside)
      lines.push(`What was there is in ${aside}.`)
    }
    renameSync(join(staging, 'state'), stateDir)
    chmodSync(stateDir, 0o700)
    return [...lines, ...restoreConfig(staging, configDirectory(env))].join('\n')
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function unpack(archive: string, staging: string): void {
  if (!existsSync(archive)) throw new ProgramError(`There is no file ${archive}`)
  const options = ['--no-same-owner', '--no-same-permissions', '-xzf', archive, '-C', staging]
  const stray = tar(archive, ['-tzPf', archive])
    .split('\n')
    .find((name) => isAbsolute(name) || name.split('/').includes('..'))
  if (stray !== undefined) throw new ProgramError(`${stray} does not belong into a backup`)
  tar(archive, options)
}

const listMaxBytes = 64_000_000

function tar(archive: string, args: readonly string[]): string {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
    return execFileSync('tar', args, { stdio, encoding: 'utf8', maxBuffer: listMaxBytes })
  } catch {
    throw new ProgramError(`${archive} is no backup, or is damaged`)
  }
}

function restoreConfig(staging: string, folder: string): string[] {
  return ofConfig.flatMap((name) => {
    const from = join(staging, 'config', name)
    if (!existsSync(from)) return []
    const to = join(folder, name)
    if (existsSync(to)) return [`${to} is there and was left as it is.`]
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    copyFileSync(from, to)
    chmodSync(to, 0o600)
    return [`${to} is restored.`]
  })
}

function verified(staging: string): Manifest {
  const parsed = readManifest(join(staging, 'manifest.json'))
  const names = new Set(['manifest.json', ...parsed.files.map(({ path }) => path)])
  for (const entry of readdirSync(staging, { recursive: true, withFileTypes: true })) {
    const path = relative(staging, join(entry.parentPath, entry.name))
    if (entry.isDirectory()) continue
    if (!entry.isFile() || !names.has(path))
      throw new ProgramError(`${path} does not belong into a backup`)
  }
  for (const { path, sha256, size } of parsed.files) {
    const file = join(staging, path)
    const bytes = existsSync(file) ? readFileSync(file) : null
    const digest = bytes === null ? null : createHash('sha256').update(bytes).digest('hex')
    if (bytes?.length !== size || digest !== sha256) throw new ProgramError(`${path} is damaged`)
    chmodSync(file, 0o600)
  }
  const state = join(staging, 'state')
  if (!existsSync(join(state, 'memory.db'))) throw new ProgramError('There is no memory in it')
  const db = new DatabaseSync(join(state, 'memory.db'), { readOnly: true })
  try {
    mustBeSound(db, 'The memory in it is damaged')
  } finally {
    db.close()
  }
  readDatabase(state)?.close()
  const fault = memoryFault(state)
  if (fault !== null) throw new ProgramError(`The memory in it is damaged: ${fault}`)
  rmSync(join(state, 'memory.lock'), { force: true })
  return parsed
}

function readManifest(path: string): Manifest {
  let found: unknown
  try {
    found = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new ProgramError('It has no manifest that can be read; it is no backup')
  }
  const { data: later } = laterSchema.safeParse(found)
  if (later !== undefined) {
    throw new ProgramError(`A later version made it (format ${later.format}); install that one`)
  }
  const { data } = manifestSchema.safeParse(found)
  if (data === undefined)
    throw new ProgramError('It has no manifest that can be read; it is no backup')
  return data
}

/** Puts what the notes do not hold into one archive. */
export async function makeBackup({ env, words: [file = ''] }: Given): Promise<Answer> {
  try {
    return { text: await backup(file, env) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (!/ENOSPC|EDQUOT|database or disk is full/.test(text)) throw error
    throw new ProgramError(`There is no room there for the copy: ${text}`)
  }
}

/** Brings an archive back. */
export async function restoreBackup({
  env,
  options,
  words: [file = ''],
}: Given<{ 'move-aside': boolean }>): Promise<Answer> {
  return { text: restore(file, env, options['move-aside']) }
}
