import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory, isAlive, keepState, stateDirectory } from '@passepartout/core/presence'

/** A daemon that this process started. */
interface StartedDaemon {
  child: ChildProcess
  port: number
  /** Where its standard error goes. */
  logPath: string
  /** What it had to say there before it was ready, such as mistakes in the configuration. */
  warnings: string
}

const daemonUrl = '#daemon'

/** What keeps a process small that waits most of its life. */
const daemonFlags = [
  '--disable-warning=ExperimentalWarning',
  '--conditions=@passepartout/source',
  '--max-semi-space-size=1',
]

/** The program and the arguments that are a daemon. */
export function daemonCommand(): [string, ...string[]] {
  const path = fileURLToPath(import.meta.resolve(daemonUrl))
  return [process.execPath, ...daemonFlags, ...preloads(process.execArgv), path]
}

/** Starts a daemon in this environment. Rejects with what it printed when it does not get ready. */
export async function spawnDaemon(env: Record<string, string | undefined>): Promise<StartedDaemon> {
  const stateDir = stateDirectory(env)
  const { said } = keepState(stateDir)
  const logPath = join(stateDir, 'daemon.log')
  const log = openSync(logPath, 'w', 0o600)
  const [program, ...args] = daemonCommand()
  const child = spawn(program, args, {
    env: { NODE_COMPILE_CACHE: cacheDirectory(env), ...env, PASSEPARTOUT_DETACHED: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  const port = await readyPort(child, logPath)
  const lines = said.map((line) => `${line}\n`).join('')
  return { child, port, logPath, warnings: lines + readFileSync(logPath, 'utf8') }
}

function readyPort(child: ChildProcess, logPath: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const ended = () => {
      const reason = readFileSync(logPath, 'utf8').trim()
      reject(new Error(reason === '' ? 'The daemon ended before it was ready' : reason))
    }
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const ready = /^ready (\d+)$/m.exec(printed)
      if (ready === null) return
      child.off('exit', ended)
      resolve(Number(ready[1]))
    })
    child.once('error', reject).once('exit', ended)
  })
}

const outputMaxBytes = 16_000_000

/** Runs `passepartout` with these words and reads what it prints. Rejects when it cannot start. */
export function readCommand(
  words: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  flags.push(...preloads(process.execArgv))
  const path = fileURLToPath(import.meta.resolve('#passepartout'))
  const options = { encoding: 'utf8', maxBuffer: outputMaxBytes } as const
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...flags, path, ...words], options, (error, out, err) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve({ code: Number(error?.code ?? 0), out, err })
    }).stdin?.end()
  })
}

/** The flags of a Node, as in `process.execArgv`, that load a module before the program. */
export function preloads(flags: readonly string[]): string[] {
  return flags.flatMap((flag, index) => {
    if (flag === '--import') return flags.slice(index, index + 2)
    return flag.startsWith('--import=') ? [flag] : []
  })
}

/** Lets the daemon live on when this process ends. */
export function release(daemon: StartedDaemon): void {
  daemon.child.stdout?.destroy()
  daemon.child.unref()
}

const patienceMs = 7_000
const pollMs = 25

/** Asks a process to end and waits for it; kills it after seven seconds. Says how it went. */
export async function endProcess(pid: number): Promise<'gone' | 'ended' | 'killed'> {
  const wanted = { pid, start: null }
  if (!isAlive(wanted)) return 'gone'
  process.kill(pid, 'SIGTERM')
  const deadline = performance.now() + patienceMs
  let end: 'ended' | 'killed' = 'ended'
  while (isAlive(wanted)) {
    if (performance.now() > deadline) {
      process.kill(pid, 'SIGKILL')
      end = 'killed'
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return end
}
