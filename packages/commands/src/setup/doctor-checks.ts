import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  commandName,
  createRuntime,
  findInstance,
  formatMemoryProblem,
  loadSkills,
  memoryFault,
  messageOf,
  openDatabase,
  openMemex,
  presenceOf,
  type Runtime,
  readWitness,
  socketPathOf,
  writeWitness,
} from '@passepartout/core'
import type { DaemonConfig } from '@passepartout/daemon'
import { findSandbox } from '@passepartout/gates/sandbox'
import type { Vault } from '@passepartout/gates/secrets'
import type { KnownSkill, KnownSkills } from '@passepartout/skills/improve'

/** What a check has found. */
export interface Finding {
  /** Such as `memex` or `token`; stable, for programs. */
  check: string
  level: 'ok' | 'warn' | 'error'
  found: string
  /** What to do; empty when nothing is. */
  todo: string
  /** Puts it right, where that is safe. */
  fix?: () => void | Promise<void>
}

const ok = (check: string, found: string): Finding => ({ check, level: 'ok', found, todo: '' })
const warn = (check: string, found: string, todo: string, fix?: Finding['fix']): Finding => ({
  check,
  level: 'warn',
  found,
  todo,
  ...(fix && { fix }),
})
const wrong = (check: string, found: string, todo: string, fix?: Finding['fix']): Finding => ({
  ...warn(check, found, todo, fix),
  level: 'error',
})

const nodeMin = 24

/** Node, the sandbox and the room on the disk. */
export function checkMachine(path: string, stateDir: string): Finding[] {
  const major = Number(process.versions.node.split('.')[0])
  const node =
    major >= nodeMin
      ? ok('node', `Node ${process.versions.node}`)
      : wrong('node', `Node ${process.versions.node}`, `use Node ${nodeMin} or newer`)
  const has = (name: string) => path.split(delimiter).some((dir) => isProgram(join(dir, name)))
  const tools = ['bwrap', 'socat', 'rg'].filter((name) => !has(name))
  const packages =
    'install bubblewrap, socat and ripgrep; until then commands ask each time and git is not run'
  const sandbox =
    tools.length > 0
      ? warn('sandbox', `${tools.join(', ')} not found`, packages)
      : findSandbox().available
        ? ok('sandbox', 'bubblewrap, socat and rg are there, and bubblewrap works')
        : warn(
            'sandbox',
            'bubblewrap is there and may not make a namespace',
            'allow unprivileged user namespaces for it',
          )
  return [node, sandbox, room(stateDir)]
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function room(stateDir: string): Finding {
  const folder = existsSync(stateDir) ? stateDir : '/'
  const { bavail, bsize } = statfsSync(folder)
  const megabytes = Math.floor((bavail * bsize) / 1_000_000)
  const found = `${megabytes} MB free where the memory is`
  return megabytes < 100
    ? wrong('disk', found, 'make room; the memory is written there')
    : ok('disk', found)
}

/** The folder of notes and the files in it that are not read. */
export function checkMemex(dir: string): Finding[] {
  const memex = openMemex(dir)
  const count = memex.files().length
  const found = `${count} files of notes in ${dir}`
  const findings =
    count === 0
      ? [warn('memex', `no Org files in ${dir}`, 'check the folder, or begin with a first note')]
      : [ok('memex', found)]
  if (!isWritable(dir)) {
    findings.push(
      warn('memex', `${dir} may not be written`, 'change its mode, or only ask and do not capture'),
    )
  }
  for (const unread of memex.unread()) {
    const text = formatMemoryProblem({ kind: 'unread', ...unread })
    findings.push(warn('notes', text, 'decrypt it or allow it to be read, if it should be found'))
  }
  return findings
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const ownerOnly = [
  'token',
  'vault.age',
  'vault.key',
  'memory.db',
  'memory.lock',
  'daemon.json',
  'daemon.lock',
  'log',
  'trace',
  '.',
]

/** Modes, left-overs and sockets of the state directory. */
export async function checkState(stateDir: string): Promise<Finding[]> {
  if (!existsSync(stateDir)) return [ok('state', `${stateDir} will be made at the first start`)]
  const findings: Finding[] = []
  for (const name of ownerOnly) {
    const path = join(stateDir, name)
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o077) === 0) continue
    const todo = `chmod go= ${path}`
    findings.push(
      wrong('permissions', `others may read ${path}`, todo, () => chmodSync(path, mode & 0o700)),
    )
  }
  if (findings.length === 0) findings.push(ok('permissions', 'only you can read the state'))
  return [...findings, ...(await checkDaemon(stateDir))]
}

async function checkDaemon(stateDir: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const presence = await presenceOf(stateDir)
  if (presence !== null) {
    const who = `process ${presence.pid}, for ${presence.memex}`
    if (presence.state === 'ready') findings.push(ok('daemon', `${who}, answers`))
    else if (presence.state === 'starting') findings.push(ok('daemon', `${who}, is starting`))
    else findings.push(wrong('daemon', `${who}, does not answer`, `${commandName} restart`))
  } else {
    findings.push(ok('daemon', 'none is running'))
    for (const name of ['daemon.json', 'daemon.sock', 'daemon.pid']) {
      const path = join(stateDir, name)
      if (!existsSync(path)) continue
      const fix = () => {
        if (findInstance(stateDir) === null) rmSync(path, { force: true })
      }
      findings.push(warn('left over', `${path} of a daemon that is gone`, `remove it`, fix))
    }
  }
  if (socketPathOf(stateDir) === undefined) {
    const todo = 'set XDG_STATE_HOME to a shorter path; until then clients use the port'
    findings.push(warn('socket', `${stateDir} is too long a path for a socket`, todo))
  }
  return findings
}

/** Whether the memory is sound, and the other databases of the state directory. */
export function checkDatabases(stateDir: string): Finding[] {
  return [checkMemory(stateDir), ...checkLoss(stateDir), ...checkOthers(stateDir)]
}

function checkMemory(stateDir: string): Finding {
  const path = join(stateDir, 'memory.db')
  try {
    const fault = memoryFault(stateDir)
    if (fault !== null) {
      const todo = `put it aside and make it again with what can be saved; or ${commandName} restore FILE`
      return wrong('memory', `damaged: ${fault}`, todo, () => mendMemory(stateDir))
    }
  } catch (error) {
    return wrong('memory', messageOf(error), 'see who may read that file')
  }
  if (!existsSync(path)) return ok('memory', 'there is none yet; it is made from the notes')
  return ok('memory', `sound, ${Math.ceil(statSync(path).size / 1_000_000)} MB`)
}

function checkLoss(stateDir: string): Finding[] {
  const witness = readWitness(stateDir)
  if (witness === null || witness.lost === null) return []
  const todo = `look into the damaged file beside it, or ${commandName} restore FILE; --fix takes this off the list`
  const seen = () => writeWitness(stateDir, { ...(readWitness(stateDir) ?? witness), lost: null })
  return [warn('memory', witness.lost, todo, seen)]
}

/** What skills keep is made again when the daemon meets damage in it, as far as it can be read. */
function checkOthers(stateDir: string): Finding[] {
  if (!existsSync(stateDir)) return []
  const names = readdirSync(stateDir).filter((name) => /^[a-z]+\.db$/.test(name))
  return names.flatMap((name) => {
    const fault = name === 'memory.db' ? null : faultIn(join(stateDir, name))
    const todo = `${commandName} restart; it is made again with what can be read when it is used`
    return fault === null ? [] : [warn('database', `${name}: ${fault}`, todo)]
  })
}

function faultIn(path: string): string | null {
  try {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      const found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check
      return found === 'ok' ? null : String(found)
    } finally {
      db.close()
    }
  } catch (error) {
    return messageOf(error)
  }
}

const mendingMs = 30_000

async function mendMemory(stateDir: string): Promise<void> {
  const daemon = findInstance(stateDir)
  if (daemon === null) {
    const database = openDatabase(stateDir)
    database.connection.check()
    database.close()
    return
  }
  process.kill(daemon.pid, 'SIGHUP')
  const deadline = performance.now() + mendingMs
  while (memoryFault(stateDir) !== null && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The configuration, the vault and the skills. */
export function checkConfigured(
  config: DaemonConfig,
  vault: Vault | null,
  skills: Parameters<typeof loadSkills>[1],
): Finding[] {
  const findings = config.problems.map((problem) => {
    const make = problem.includes(': error: ') ? wrong : warn
    return make('configuration', problem, `edit that line, then ${commandName} reload`)
  })
  if (findings.length === 0) findings.push(ok('configuration', 'nothing is wrong with it'))
  const problem = vault?.problem() ?? null
  if (problem !== null) findings.push(wrong('vault', problem, `see ${commandName} vault --help`))
  try {
    const memex = openMemex(config.memexDir)
    const runtime = createRuntime({ config, memex })
    loadSkills(runtime, skills)
    findings.push(ok('skills', `${runtime.skills.length} skills, ${runtime.gates.length} gates`))
    findings.push(...checkRules(runtime))
  } catch (error) {
    const isSystem = error instanceof Error && 'syscall' in error
    const todo = isSystem
      ? 'see who may read and write that file'
      : 'take out the skill that is named'
    findings.push(wrong('skills', messageOf(error), todo))
  }
  return findings
}

/** Whether every rule of the gates does with its examples what it should. */
function checkRules({ proofs }: Pick<Runtime, 'proofs'>): Finding[] {
  const faults = proofs.finish()
  const todo = 'until it is corrected its gate refuses everything; install the program again'
  if (faults.length === 0) return [ok('rules', 'every rule does what its examples say')]
  return faults.map((fault) => wrong('rules', fault, todo))
}

/** The owner's skills: how many run, and what is the matter with the others. */
export function checkOwnSkills({ from, skills }: KnownSkills): Finding[] {
  const good = skills.filter(({ state }) => state === 'running' || state === 'enabled')
  const run = from === 'daemon' ? 'run' : 'would be loaded by a daemon'
  const count = ok('own skills', `${good.length} of ${skills.length} of your own skills ${run}`)
  return [count, ...skills.flatMap((skill) => (good.includes(skill) ? [] : [aboutOne(skill)]))]
}

function aboutOne({ missing, name, problems, state }: KnownSkill): Finding {
  const what = `${name} is ${state}`
  if (state === 'disabled') return ok('own skills', what)
  if (state === 'waiting') {
    const asks = missing.length === 0 ? 'its text has changed' : `it asks for ${missing.join(' ')}`
    return warn('own skills', `${what}: ${asks}`, `${commandName} skill enable ${name}`)
  }
  const make = state === 'stale' ? warn : wrong
  return make('own skills', [what, ...problems].join(': '), `${commandName} skill why ${name}`)
}
