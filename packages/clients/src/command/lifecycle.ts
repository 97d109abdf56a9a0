import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import {
  commandName,
  findInstance,
  type Instance,
  isAlive,
  printError,
  stateDirectory,
} from '@passepartout/core/presence'
import { type Answer, type Environment, type Given, ProgramError } from '#commands/program'
import { daemonCommand, endProcess, release, spawnDaemon } from '../session/daemon-process.ts'

interface Wish {
  memex?: string | undefined
  detach?: boolean
}

/** Starts a daemon. In the foreground it does not return when it can. */
export async function start({
  env,
  options,
}: Pick<Given<Wish>, 'env' | 'options'>): Promise<Answer> {
  const given = options.memex ?? env.MEMEX_DIR
  const memex = given === undefined || given === '' ? undefined : resolve(given)
  const running = findInstance(stateDirectory(env))
  if (running !== null) return { text: alreadyRunning(running, memex) }
  const daemonEnv = memex === undefined ? env : { ...env, MEMEX_DIR: memex }
  return options.detach === true ? startDetached(daemonEnv) : startHere(daemonEnv)
}

function alreadyRunning({ memex, pid }: Instance, wished: string | undefined): string {
  if (wished !== undefined && wished !== memex) {
    throw new ProgramError(`A daemon is running for ${memex}. Stop it first: ${commandName} stop`)
  }
  return `Already running for ${memex} (process ${pid}).`
}

async function startDetached(env: Environment): Promise<Answer> {
  const daemon = await spawnDaemon(env)
  printError(daemon.warnings)
  release(daemon)
  const { memex } = findInstance(stateDirectory(env)) ?? { memex: 'your notes' }
  const who = `${memex} (process ${daemon.child.pid})`
  return { text: `Ready for ${who}. What it says: ${commandName} logs` }
}

async function startHere(env: Environment): Promise<Answer> {
  const [program, ...args] = daemonCommand()
  const daemonEnv = definedOnly(env)
  if (process.execve !== undefined && process.platform !== 'win32') {
    process.execve(program, [program, ...args], daemonEnv)
  }
  const child = spawn(program, args, { env: daemonEnv, stdio: 'inherit' })
  const code = await new Promise<number>((done, fail) => {
    child.once('error', fail).once('exit', (ended) => done(ended ?? 1))
  })
  return { code, text: '' }
}

function definedOnly(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Ends the daemon. */
export async function stop(env: Environment): Promise<Answer> {
  const running = findInstance(stateDirectory(env))
  if (running === null) return { text: 'No daemon is running.' }
  const end = await endProcess(reachable(running).pid)
  const text = end === 'killed' ? 'Killed; it did not end within seven seconds.' : 'Stopped.'
  return { text }
}

/** The daemon when it can be sent a signal. Throws a ProgramError when it cannot, or its number is another process's here. */
function reachable(running: Instance): Instance {
  if (isAlive(running)) return running
  const { memex, pid } = running
  throw new ProgramError(
    `The daemon for ${memex} is process ${pid} in another container, or another user's. Stop it there.`,
  )
}

/** Ends the daemon, if one runs, and starts one detached, for the same folder unless another is named. */
export async function restart({ env, options }: Given<Pick<Wish, 'memex'>>): Promise<Answer> {
  const running = findInstance(stateDirectory(env))
  if (running !== null) await endProcess(reachable(running).pid)
  const memex = options.memex ?? running?.memex ?? env.MEMEX_DIR
  return start({ env, options: { memex, detach: true } })
}

/** Has the daemon read its configuration again. */
export async function reload(env: Environment): Promise<Answer> {
  const running = findInstance(stateDirectory(env))
  if (running === null) throw new ProgramError('No daemon is running.')
  process.kill(reachable(running).pid, 'SIGHUP')
  const who = `Process ${running.pid} reads its configuration again.`
  return { text: `${who} What came of it: ${commandName} logs` }
}
