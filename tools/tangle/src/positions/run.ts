import { type ChildProcess, spawn } from 'node:child_process'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Positions } from './positions.ts'
import { type Place, Rewriter } from './rewrite.ts'

/** Runs a command in a folder; the exit code is the command's, or 127 when there is none. */
export async function runCommand(cwd: string, command: string, args: string[]): Promise<number> {
  const positions = new Positions(cwd)
  const child = spawn(command, args, {
    cwd,
    env: environment(),
    stdio: ['inherit', 'pipe', 'pipe'],
  })
  const stop = passSignals(child)
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const streams = [
    rewritten(child.stdout, process.stdout, cwd, positions),
    rewritten(child.stderr, process.stderr, cwd, positions),
  ]
  const ending = await ended
  await Promise.all(streams)
  stop()
  return exitCode(ending, command)
}

type Ending = { error: Error } | { code: number | null; signal: NodeJS.Signals | null }

function exitCode(ending: Ending, command: string): number {
  if ('error' in ending) {
    const isMissing = 'code' in ending.error && ending.error.code === 'ENOENT'
    const why = isMissing ? 'there is no such command' : ending.error.message
    console.error(`org-tangle: ${command}: ${why}`)
    return isMissing ? 127 : 126
  }
  if (ending.signal !== null) process.kill(process.pid, ending.signal)
  return ending.code ?? 1
}

function passSignals(child: ChildProcess): () => void {
  const isOnTerminal = process.stdin.isTTY
  const signals = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const
  const handlers = signals.map((signal) => {
    const everybodys = isOnTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT')
    const handler = () => void (everybodys || child.kill(signal))
    process.on(signal, handler)
    return [signal, handler] as const
  })
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}

async function rewritten(
  from: NodeJS.ReadableStream,
  to: NodeJS.WritableStream,
  cwd: string,
  positions: Positions,
): Promise<void> {
  const rewriter = new Rewriter(cwd, (place) => inDocument(positions, place))
  const filter = new Transform({
    transform: (bytes, _encoding, done) => done(null, rewriter.write(bytes)),
    flush: (done) => done(null, rewriter.end()),
  })
  try {
    await pipeline(from, filter, to, { end: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}

function inDocument(positions: Positions, { file, line, column }: Place): Place | null {
  if (file.includes('/node_modules/') || !positions.isInside(file)) return null
  const origin = positions.toDocument(file, line, column)
  return origin && { file: origin.file, line: origin.line, column: column && origin.column }
}

function environment(): NodeJS.ProcessEnv {
  const { env, stdout } = process
  const isDecided = ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE'].some((name) => name in env)
  if (!stdout.isTTY || isDecided) return env
  const level = { 4: '1', 8: '2', 24: '3' }[stdout.getColorDepth()]
  if (level === undefined) return env
  return { ...env, FORCE_COLOR: level, CLICOLOR_FORCE: '1', COLUMNS: String(stdout.columns) }
}
