import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ownPackage } from '../base/own-package.ts'

const programPath = fileURLToPath(
  new URL(`./jail-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)
const libraryFolders = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64']
const otherLibraries = ['/usr/local/lib', '/nix/store', '/gnu/store', '/etc/ld.so.cache']

function programFiles(): string[] {
  return [programPath, ownPackage(dirname(programPath)), ...sesFolders()]
}

const packageSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

function sesFolders(): string[] {
  const here = createRequire(import.meta.url)
  try {
    const ses = here.resolve('ses/package.json')
    const { dependencies } = packageSchema.parse(JSON.parse(readFileSync(ses, 'utf8')))
    const packages = createRequire(ses)
    const needed = Object.keys(dependencies).map((name) => packages.resolve(`${name}/package.json`))
    return [ses, ...needed].map((path) => realpathSync(dirname(path)))
  } catch {
    return []
  }
}

const shellLine =
  'for limit in "-c 0" "-f 0" "-t 600" "-d 1048576"; do ulimit $limit 2>/dev/null; done; exec "$@"'

interface Command {
  /** V8's heap, in megabytes. */
  memoryMb: number
  /** The longest text that the program sends, in UTF-16 units. */
  textMax: number
}

function nodeLine({ memoryMb, textMax }: Command): string[] {
  const heap = [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=2', '--stack-size=800']
  const reads = programFiles().map((path) => `--allow-fs-read=${path}`)
  const flags = ['--no-warnings', '--disable-sigusr1', '--permission', ...reads, ...heap]
  return [process.execPath, ...flags, programPath, String(textMax)]
}

function bubblewrapLine(bubblewrap: string): string[] {
  const shown = [...new Set([realpathSync(process.execPath), process.execPath, ...programFiles()])]
  const binds = shown.flatMap((path) => ['--ro-bind', path, path])
  const libraries = [...libraryFolders, ...otherLibraries]
  binds.push(...libraries.flatMap((path) => ['--ro-bind-try', path, path]))
  const alone = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL']
  return [bubblewrap, ...alone, '--clearenv', '--chdir', '/', ...binds, '--']
}

function findBubblewrap(path = process.env.PATH ?? ''): string | null {
  const found = path.split(delimiter).map((folder) => join(folder, 'bwrap'))
  return found.find((file) => existsSync(file)) ?? null
}

/** What the program says. */
export type JailMessage =
  | { kind: 'ready' }
  | { kind: 'idle'; seen: number }
  | { kind: 'reply'; id: number; text: string }
  | { kind: 'verdict'; id: number; at: number; text: string }
  | { kind: 'request'; id: number; request: number; text: string }

const text = z.string()
const messageSchema: z.ZodType<JailMessage> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('idle'), seen: z.int() }),
  z.strictObject({ kind: z.literal('reply'), id: z.int(), text }),
  z.strictObject({ kind: z.literal('verdict'), id: z.int(), at: z.int(), text }),
  z.strictObject({ kind: z.literal('request'), id: z.int(), request: z.int(), text }),
])

function readMessage(line: string): JailMessage | null {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}

/** How a process is contained. */
export type Containment = 'bubblewrap' | 'permissions'

/** A contained process. */
export interface JailProcess {
  containment: Containment
  send(message: object): void
  /** Kills it; resolves when it is gone. */
  kill(): Promise<void>
}

/** What is heard of it. */
interface JailEars {
  heard(message: JailMessage): void
  /** It has ended by itself; told once, and not after `kill`. */
  ended(why: string): void
}

/** Starts the program. `isPlain` leaves bubblewrap out. */
export function startJailProcess(command: Command, ears: JailEars, isPlain = false): JailProcess {
  const bubblewrap = isPlain ? null : findBubblewrap()
  const line = [...(bubblewrap === null ? [] : bubblewrapLine(bubblewrap)), ...nodeLine(command)]
  const child = spawn('/bin/sh', ['-c', shellLine, 'jail', ...line], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  for (const each of [child, child.stdin, child.stdout]) (each as Referenced | null)?.unref()
  let isHeard = true
  const kill = () => {
    isHeard = false
    child.ref()
    child.kill('SIGKILL')
    return gone
  }
  const ended = (why: string) => {
    if (isHeard) ears.ended(why)
    isHeard = false
  }
  readLines(child, command.textMax * 4, (read) => {
    const message = read === null ? null : readMessage(read)
    if (!isHeard) return
    if (message !== null) return ears.heard(message)
    ended('it wrote what is no message')
    void kill()
  })
  child.stdin?.on('error', () => {})
  child.once('error', () => ended('its process could not be started'))
  child.once('exit', (code, signal) => ended(wordsFor(code, signal)))
  return {
    containment: bubblewrap === null ? 'permissions' : 'bubblewrap',
    send: (message) => void child.stdin?.write(`${JSON.stringify(message)}\n`),
    kill,
  }
}

/** A handle that can let the daemon end; a pipe of a child is a socket, and has this too. */
interface Referenced {
  unref(): void
}

/** Calls `take` with each line, and with null for one that is too long. */
function readLines(
  child: ChildProcess,
  lengthMax: number,
  take: (line: string | null) => void,
): void {
  let kept = ''
  child.stdout?.setEncoding('utf8').on('data', (read: string) => {
    const lines = (kept + read).split('\n')
    kept = lines.pop() ?? ''
    for (const line of lines) take(line)
    if (kept.length > lengthMax) take(null)
  })
}

function wordsFor(code: number | null, signal: NodeJS.Signals | null): string {
  const isAbort = signal === 'SIGTRAP' || signal === 'SIGABRT'
  return isAbort || code === 133 || code === 134 ? 'it used up its memory' : 'its process ended'
}
