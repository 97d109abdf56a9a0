import { type ChildProcess, type ExecFileException, execFile, spawn } from 'node:child_process'
import { bubblewrapArguments, commandEnvironment, type SandboxView } from './sandbox.ts'

/** How long a command may run. */
export interface RunLimits {
  timeoutMs: number
  /** Ends the command when it fires. */
  abort: AbortSignal
}

/** What a command printed, and how it ended. */
export interface RunResult {
  /** The exit code; null when the command did not run or was stopped. */
  code: number | null
  /** Standard output and standard error, as they came, cut in the middle when there was too much. */
  output: string
  /** Why it was stopped or did not run. */
  fault: string | null
  /** Names of files in `/tmp` that went with the command. */
  lost: string[]
}

/** The most output that is kept, in UTF-16 units. */
export const commandOutputMax = 64_000

class Output {
  #head = ''
  #tail = ''
  #dropped = 0

  add(text: string): void {
    const room = (commandOutputMax * 3) / 4 - this.#head.length
    this.#head += text.slice(0, Math.max(room, 0))
    this.#tail += text.slice(Math.max(room, 0))
    const surplus = this.#tail.length - commandOutputMax / 4
    if (surplus <= 0) return
    this.#dropped += surplus
    this.#tail = this.#tail.slice(surplus)
  }

  text(): string {
    if (this.#dropped === 0) return (this.#head + this.#tail).trimEnd()
    const mark = `\n[… ${this.#dropped} characters were left out here …]\n`
    return (this.#head + mark + this.#tail).trimEnd().toWellFormed()
  }
}

const glance = `{ ulimit -p 2048 || ulimit -u 2048; ulimit -f 4194304; ulimit -c 0; } 2>/dev/null
{ ls -A /tmp; echo /; } >&3 2>/dev/null
sh -c -- "$1" 3>&-
code=$?
ls -A /tmp >&3 2>/dev/null
exit $code`

/** Runs a command in this view, after lines of shell that are ours. Never throws. */
export function runContained(
  command: string,
  view: SandboxView,
  sandbox: { program: string; options: readonly string[] },
  limits: RunLimits,
  prelude = '',
): Promise<RunResult> {
  const args = bubblewrapArguments(view, sandbox.options)
  args.push('/bin/sh', '-c', prelude + glance, 'sh', command)
  return ending(() => {
    return spawn(sandbox.program, args, {
      cwd: '/',
      env: commandEnvironment(view.workspace),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
  }, limits)
}

/** Runs a command with all of the daemon's rights. Never throws. */
export function runUncontained(
  command: string,
  workspace: string,
  limits: RunLimits,
): Promise<RunResult> {
  return ending(() => {
    return spawn('/bin/sh', ['-c', '--', command], {
      cwd: workspace,
      env: commandEnvironment(workspace),
      stdio: ['ignore', 'pipe', 'pipe', 'ignore'],
      detached: true,
    })
  }, limits)
}

/** How a program ended that was asked something. */
export interface ProgramAnswer {
  /** The exit code; null when it did not run or was stopped. */
  code: number | null
  out: string
  /** What it printed besides, or why it did not run. */
  fault: string
}

/** Runs a program with these arguments in this view. Never rejects. */
export function askContained(
  argv: readonly string[],
  view: SandboxView,
  sandbox: { program: string; options: readonly string[] },
  limits: RunLimits,
): Promise<ProgramAnswer> {
  const args = [...bubblewrapArguments(view, sandbox.options), ...argv]
  return answerOf(sandbox.program, args, { cwd: '/', env: {} }, limits)
}

/** Runs a program that no file can make run another, where there is no sandbox. Never rejects. */
export function askUncontained(
  [program = '', ...args]: readonly string[],
  workspace: string,
  limits: RunLimits,
): Promise<ProgramAnswer> {
  return answerOf(program, args, { cwd: workspace, env: commandEnvironment(workspace) }, limits)
}

const answerBytesMax = 16_000_000

function answerOf(
  program: string,
  args: readonly string[],
  where: { cwd: string; env: Record<string, string> },
  { timeoutMs, abort }: RunLimits,
): Promise<ProgramAnswer> {
  const limits = { timeout: timeoutMs, maxBuffer: answerBytesMax, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    const ended = (error: ExecFileException | null, out: string, fault: string) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null
      resolve({ code, out, fault: fault.trim() || (error?.message ?? '') })
    }
    try {
      execFile(program, [...args], { ...where, ...limits, signal: abort }, ended)
    } catch (error) {
      ended(error as ExecFileException, '', '')
    }
  })
}

function ending(start: () => ChildProcess, limits: RunLimits): Promise<RunResult> {
  return new Promise((resolve) => {
    const output = new Output()
    let lost = ''
    let fault: string | null = null
    if (limits.abort.aborted) return resolve({ code: null, output: '', fault: stopped, lost: [] })
    const child = start()
    const [, out, err, names] = child.stdio
    const keep = (text: string) => output.add(text)
    if (out) read(out, keep)
    if (err) read(err, keep)
    const keepNames = (text: string) => {
      lost = (lost + text).slice(0, 10_000)
    }
    if (names) read(names, keepNames)
    const stop = (reason: string) => {
      fault ??= reason
      killGroup(child)
    }
    const timer = setTimeout(
      () => stop(`Stopped after ${limits.timeoutMs / 1_000} s.`),
      limits.timeoutMs,
    )
    const onAbort = () => stop(stopped)
    limits.abort.addEventListener('abort', onAbort)
    const finish = (code: number | null) => {
      clearTimeout(timer)
      limits.abort.removeEventListener('abort', onAbort)
      const ended = fault === null ? code : null
      resolve({ code: ended, output: output.text(), fault, lost: newNames(lost) })
    }
    child.once('error', (error) => {
      fault ??= `The command did not run: ${error.message}`
      finish(null)
    })
    child.once('exit', () => {
      killGroup(child)
      setTimeout(() => destroyStreams(child), 1_000).unref()
    })
    child.once('close', finish)
  })
}

const stopped = 'Stopped by the owner.'

function newNames(lists: string): string[] {
  const [before = '', after = ''] = lists.split('/\n')
  const known = new Set(before.split('\n'))
  return after.split('\n').filter((name) => name !== '' && !known.has(name))
}

function read(
  stream: NonNullable<ChildProcess['stdio'][number]>,
  keep: (text: string) => void,
): void {
  if (!('setEncoding' in stream)) return
  stream
    .setEncoding('utf8')
    .on('data', keep)
    .on('error', () => {})
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended by itself.
  }
}

function destroyStreams(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy()
}
