import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Actuator,
  callTool,
  defineSkill,
  flightPlanFiles,
  type Runtime,
  type Signal,
  type Skill,
} from '@passepartout/core'

/** Sends a message to the session that the signal came from. */
export const cliActuator: Actuator = {
  name: 'cli',
  silent: true,
  async dispatch(action, signal, runtime) {
    const payload = { action: 'message', text: action.payload.text ?? '' }
    runtime.reply({ type: 'response', meta: signal.meta, payload, depth: signal.depth })
    return null
  },
}

/** Runs a tool and feeds its result back. */
export const toolActuator: Actuator = {
  name: 'tool',
  silent: false,
  async dispatch(action, signal, runtime, abort) {
    const { tool: name = '', args } = action.payload
    const tool = runtime.tools.get(name)
    if (tool === undefined) return outcome(signal, name, 'error', `There is no tool ${name}.`)
    const { status, text, origin } = await callTool(tool, args, { runtime, signal, abort })
    return outcome({ ...signal, meta: { ...signal.meta, origin } }, name, status, text)
  },
}

function outcome(signal: Signal, tool: string, status: string, text: string): Signal {
  return {
    type: 'event',
    meta: signal.meta,
    payload: { sensor: 'tool-output', tool, text, status },
    depth: signal.depth + 1,
  }
}

/** Lets an action ask the daemon to read the owner's files again. */
export const systemActuator: Actuator = {
  name: 'system',
  silent: false,
  async dispatch(action, signal, runtime) {
    if (action.payload.action !== 'reload') {
      return outcome(signal, 'system', 'error', 'The system can only reload the notes.')
    }
    for (const path of runtime.memex.files())
      runtime.store.ingestFile(path, runtime.memex.read(path))
    return outcome(signal, 'system', 'success', 'The notes were read again.')
  },
}

/** Where and how long a command may run. */
export interface ShellOptions {
  /** The one directory that stays writable, absolute. */
  directory: string
  /** Folders that are empty for the command: the home directory, the daemon's state. */
  hiddenFolders: string[]
  /** Files that the command cannot read. */
  hiddenFiles: string[]
  /** The bubblewrap program. */
  sandbox: string
  timeoutMs: number
}

/** What a command printed, and how it ended. */
export interface ShellResult {
  /** The exit code; null when the command did not run or was stopped. */
  code: number | null
  /** Standard output and standard error, as they came. */
  output: string
}

/** The most output that is kept, in UTF-16 units. */
export const shellOutputMax = 64_000

function sandboxArguments(options: ShellOptions): string[] {
  const { directory, hiddenFiles, hiddenFolders } = options
  const hidden = [...new Set(['/home', '/root', '/tmp', '/run', ...hiddenFolders])]
  return [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...hidden.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]),
    ...['--bind', directory, directory],
    ...hiddenFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--chdir', directory],
  ]
}

/** Runs an approved command in the sandbox. Never throws: what went wrong is in the output. */
export function runShell(command: string, options: ShellOptions): Promise<ShellResult> {
  return new Promise((resolve) => {
    const child = spawn(options.sandbox, [...sandboxArguments(options), '/bin/sh', '-c', command], {
      cwd: options.directory,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: options.directory, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const keep = (chunk: string) => {
      output = (output + chunk).slice(0, shellOutputMax)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const timer = setTimeout(() => {
      keep(`\nStopped after ${options.timeoutMs} ms.`)
      child.kill('SIGKILL')
    }, options.timeoutMs)
    child.on('error', () => {
      clearTimeout(timer)
      resolve({
        code: null,
        output: 'The command did not run: bubblewrap (bwrap) is not installed.',
      })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output: output.trimEnd() })
    })
  })
}

/** Runs an approved command in the memex, and feeds back what it printed. */
export const shellActuator: Actuator = {
  name: 'shell',
  silent: false,
  async dispatch(action, signal, runtime) {
    const { code, output } = await runShell(action.payload.cmd ?? '', {
      directory: runtime.memex.dir,
      hiddenFolders: [runtime.config.home, runtime.config.stateDir],
      hiddenFiles: privateFiles(runtime)
        .map((path) => join(runtime.memex.dir, path))
        .filter((path) => existsSync(path)),
      sandbox: 'bwrap',
      timeoutMs: 30_000,
    })
    const text = output === '' ? `The command ended with ${code ?? 'no exit code'}.` : output
    return outcome(signal, 'shell', code === 0 ? 'success' : 'error', text)
  },
}

function privateFiles({ store }: Runtime): string[] {
  const objects = [...store.objects()].filter((object) => object.private)
  return [...new Set([...flightPlanFiles, ...objects.map(({ file }) => file)])]
}

/** The skill that carries actions out. */
export const actuators: Skill = defineSkill({
  name: 'actuators',
  description: 'Answers the owner, runs tools, reloads the notes, and runs approved commands.',
  actuators: [cliActuator, toolActuator, systemActuator, shellActuator],
  sensors: { 'tool-output': () => 'reason' },
})
