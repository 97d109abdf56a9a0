import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import {
  commandName,
  findInstance,
  type Instance,
  isAlive,
  print,
  printError,
  stateDirectory,
} from '@passepartout/core/presence'
import { daemonCommand, endProcess, release, spawnDaemon } from '../session/daemon-process.ts'

/** Something that the user can put right; printed without a stack, exit code 1. */
export class UserError extends Error {}

type Environment = Record<string, string | undefined>

/** What `start` was told. */
export interface StartWishes {
  memex?: string
  detach?: boolean
}

/** Starts a daemon; returns what to print. In the foreground it does not return when it can. */
export async function start(wishes: StartWishes, env: Environment): Promise<string> {
  const given = wishes.memex ?? env.MEMEX_DIR
  const memex = given === undefined || given === '' ? undefined : resolve(given)
  const running = findInstance(stateDirectory(env))
  if (running !== null) return alreadyRunning(running, memex)
  const daemonEnv = memex === undefined ? env : { ...env, MEMEX_DIR: memex }
  if (wishes.detach === true) return startDetached(daemonEnv)
  return startHere(daemonEnv)
}

function alreadyRunning({ memex, pid }: Instance, wished: string | undefined): string {
  if (wished !== undefined && wished !== memex) {
    throw new UserError(`A daemon is running for ${memex}. Stop it first: ${commandName} stop`)
  }
  return `Already running for ${memex} (process ${pid}).`
}

async function startDetached(env: Environment): Promise<string> {
  const daemon = await spawnDaemon(env)
  printError(daemon.warnings)
  release(daemon)
  const { memex } = findInstance(stateDirectory(env)) ?? { memex: 'your notes' }
  return `Ready for ${memex} (process ${daemon.child.pid}). What it says: ${commandName} logs`
}

async function startHere(env: Environment): Promise<string> {
  const [program, ...args] = daemonCommand()
  const daemonEnv = definedOnly(env)
  if (process.execve !== undefined && process.platform !== 'win32') {
    process.execve(program, [program, ...args], daemonEnv)
  }
  const child = spawn(program, args, { env: daemonEnv, stdio: 'inherit' })
  process.exitCode = await new Promise<number>((done, fail) => {
    child.once('error', fail).once('exit', (code) => done(code ?? 1))
  })
  return ''
}

function definedOnly(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Ends the daemon; returns what to print. */
export async function stop(env: Environment): Promise<string> {
  const running = findInstance(stateDirectory(env))
  if (running === null) return 'No daemon is running.'
  const end = await endProcess(reachable(running).pid)
  return end === 'killed' ? 'Killed; it did not end within seven seconds.' : 'Stopped.'
}

/** The daemon when it can be sent a signal. Throws a UserError when it cannot, or its number is another process's here. */
function reachable(running: Instance): Instance {
  if (isAlive(running)) return running
  const { memex, pid } = running
  throw new UserError(
    `The daemon for ${memex} is process ${pid} in another container, or another user's. Stop it there.`,
  )
}

/** Ends the daemon, if one runs, and starts one detached, for the same folder unless another is named. */
export async function restart(wishes: StartWishes, env: Environment): Promise<string> {
  const running = findInstance(stateDirectory(env))
  if (running !== null) await endProcess(reachable(running).pid)
  const memex = wishes.memex ?? running?.memex ?? env.MEMEX_DIR
  return start({ ...(memex === undefined ? {} : { memex }), detach: true }, env)
}

/** Has the daemon read its configuration again; returns what to print. */
export function reload(env: Environment): string {
  const running = findInstance(stateDirectory(env))
  if (running === null) throw new UserError('No daemon is running.')
  process.kill(reachable(running).pid, 'SIGHUP')
  return `Process ${running.pid} reads its configuration again. What came of it: ${commandName} logs`
}

/** Runs `start` or `stop` in a usual form; false for any other. Rejects with what the user can put right. */
export async function runLifecycle(word: string | undefined, options: string[]): Promise<boolean> {
  const memex = options[0] === '--memex' ? options[1] : undefined
  const rest = memex === undefined ? options : options.slice(2)
  const detach = rest.length === 1 && ['-d', '--detach'].includes(rest[0] ?? '')
  if (rest.length > 0 && !detach) return false
  if (word === 'stop' && options.length === 0) print(`${await stop(process.env)}\n`)
  else if (word !== 'start') return false
  else {
    const wishes = { detach, ...(memex === undefined ? {} : { memex }) }
    const text = await start(wishes, process.env)
    if (text !== '') print(`${text}\n`)
  }
  return true
}
