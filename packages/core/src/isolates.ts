import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import {
  Calls,
  type Contribution,
  type Effects,
  fileOf,
  type Jail,
  JailError,
  type JailLimits,
  jailDefaults,
  readContributions,
} from './jail.ts'

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const processPath = fileURLToPath(new URL(`./isolate-process${extension}`, import.meta.url))

function readable(): string[] {
  const here = createRequire(import.meta.url)
  const native = dirname(here.resolve('isolated-vm'))
  const finder = dirname(createRequire(here.resolve('isolated-vm')).resolve('node-gyp-build'))
  const own = dirname(processPath)
  const files = [processPath, join(own, `jail-inside${extension}`), join(own, '..', 'package.json')]
  return [...files, native, finder, '/etc/alpine-release']
}

function startProcess({ memoryMb, workMs }: JailLimits): ChildProcess {
  const flags = ['--no-node-snapshot', '--no-warnings', '--permission', '--allow-addons']
  flags.push(...readable().map((path) => `--allow-fs-read=${path}`))
  flags.push('--max-old-space-size=64', processPath, String(memoryMb), String(workMs))
  return spawn(process.execPath, flags, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
}

const messageSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reply'), id: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal('effect'), id: z.int(), effect: z.int(), text: z.string() }),
])

function readMessage(line: string): z.infer<typeof messageSchema> | null {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}

function readLines(child: ChildProcess, lengthMax: number, take: (line: string) => void): void {
  let kept = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (kept + text).split('\n')
    kept = lines.pop() ?? ''
    for (const line of lines) take(line)
    if (kept.length > lengthMax) child.kill('SIGKILL')
  })
}

interface Cell {
  child: ChildProcess
  calls: Calls
  send(message: object): void
}

function startCell(limits: JailLimits, overran: () => void): Cell {
  const child = startProcess(limits)
  const calls = new Calls(limits, overran)
  const send = (message: object) => void child.stdin?.write(`${JSON.stringify(message)}\n`)
  let hasSpoken = false
  readLines(child, limits.textMax * 4, (line) => {
    const message = readMessage(line)
    hasSpoken ||= message !== null
    if (message?.kind === 'reply') calls.reply(message.id, message.text)
    if (message?.kind !== 'effect') return
    const { effect, id, text } = message
    void calls.effect(id, text, (answer) => send({ kind: 'effect-answer', effect, text: answer }))
  })
  const ended = (why: string) => {
    calls.fail(new JailError('overran', why))
    overran()
  }
  child.stdin?.on('error', () => {})
  child.once('error', () => ended('its process could not be started'))
  child.once('exit', (code) => ended(wordsFor(code, hasSpoken)))
  return { child, calls, send }
}

function wordsFor(code: number | null, hasSpoken: boolean): string {
  if (code === 71) return 'it used up its memory'
  if (hasSpoken || code === null) return 'its process ended'
  return 'its process did not start; is isolated-vm built for this machine?'
}

/** The second ring. */
export class Isolates implements Jail {
  readonly #limits: JailLimits
  readonly #cells = new Map<string, Cell>()
  readonly #codes = new Map<string, string>()

  constructor(limits: Partial<JailLimits> = {}) {
    this.#limits = { ...jailDefaults, ...limits }
  }

  async load(name: string, code: string): Promise<Contribution[]> {
    this.drop(name)
    const cell: Cell = startCell(this.#limits, () => this.#end(name, cell))
    this.#cells.set(name, cell)
    const { loadMs } = this.#limits
    const value = await cell.calls.begin(name, loadMs, null, (id) =>
      cell.send({ kind: 'load', id, file: fileOf(name), code }),
    )
    const contributions = readContributions(value)
    this.#codes.set(name, code)
    return contributions
  }

  drop(name: string): void {
    this.#codes.delete(name)
    this.#end(name, this.#cells.get(name))
  }

  async call(name: string, entry: string, input: unknown, effects?: Effects): Promise<unknown> {
    const code = this.#codes.get(name)
    if (code === undefined) throw new JailError('failed', 'Error: It is not loaded')
    if (!this.#cells.has(name)) await this.load(name, code)
    const cell = this.#cells.get(name)
    if (cell === undefined) throw new JailError('overran', 'its process ended')
    return cell.calls.begin(name, this.#limits.workMs, effects ?? null, (id) =>
      cell.send({ kind: 'call', id, text: JSON.stringify({ entry, id, input }) }),
    )
  }

  async close(): Promise<void> {
    for (const name of [...this.#cells.keys()]) this.drop(name)
    this.#codes.clear()
  }

  #end(name: string, cell: Cell | undefined): void {
    if (this.#cells.get(name) === cell) this.#cells.delete(name)
    cell?.child.kill('SIGKILL')
    cell?.calls.fail(new JailError('overran', 'it was ended'))
  }
}

/** Why skills from elsewhere cannot be run on this machine, or null when they can. */
export async function isolatesProblem(): Promise<string | null> {
  const ring = new Isolates()
  try {
    await ring.load('probe', '')
    return null
  } catch {
    return 'isolated-vm does not work on this machine, so skills from elsewhere are not run'
  } finally {
    await ring.close()
  }
}
