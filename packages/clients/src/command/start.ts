import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf, printError } from '@passepartout/core/presence'
import { connectToDaemon, findAnsweringDaemon, stateDirectory } from '@passepartout/core/protocol'
import { asTerminal } from '../session/client-session.ts'
import { endProcess, spawnDaemon } from '../session/daemon-process.ts'
import { converse } from './chat.ts'
import { endWithReader } from './cli.ts'

type Environment = Record<string, string | undefined>

const example = join(import.meta.dirname, '../../../../test/memex')

async function prepare(env: Environment): Promise<Environment> {
  if (env.MEMEX_DIR) {
    return { ...env, MEMEX_DIR: resolve(env.INIT_CWD ?? '.', env.MEMEX_DIR) }
  }
  const home = join(stateDirectory(env), 'demo')
  const memex = join(home, 'memex')
  const demo = { ...env, XDG_STATE_HOME: home, MEMEX_DIR: memex }
  if ((await findAnsweringDaemon(stateDirectory(demo))) === null) {
    rmSync(memex, { recursive: true, force: true })
    mkdirSync(home, { recursive: true, mode: 0o700 })
    cpSync(example, memex, { recursive: true })
  }
  return demo
}

async function start(): Promise<void> {
  const env = await prepare(process.env)
  const stateDir = stateDirectory(env)
  const running = await findAnsweringDaemon(stateDir)
  if (running !== null && running.memex !== resolve(env.MEMEX_DIR ?? '')) {
    throw new Error(
      `A daemon is running for ${running.memex} (process ${running.pid}), not for ${env.MEMEX_DIR}. End that one first.`,
    )
  }
  const started = running === null ? await spawnDaemon(env) : null
  if (started !== null) printError(started.warnings)
  let leaving = false
  const end = async () => {
    leaving = true
    if (started?.child.pid !== undefined) await endProcess(started.child.pid)
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => void end().then(() => process.exit(code)))
  }
  endWithReader(end)
  try {
    const client = await connectToDaemon(stateDir, asTerminal)
    if (client === null) throw new Error('The daemon went away')
    await converse(client, greeting(env))
    client.close()
  } catch (error) {
    if (!leaving) throw error
  } finally {
    await end()
  }
}

function greeting(env: Environment): string {
  return [
    `Passepartout, with the notes in ${env.MEMEX_DIR}.`,
    'Try “what is next?”, “agenda”, “find sourdough”, “capture call Ana tomorrow”, or “help”.',
    'Ctrl-D ends the conversation.',
  ].join('\n')
}

try {
  await start()
} catch (error) {
  printError(`passepartout: ${messageOf(error)}\n`)
  process.exitCode = 1
}
