import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readTrace, type Tool, type TraceEntry } from '@passepartout/core'
import { type Client, connect, type Signal } from '@passepartout/core/protocol'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { type ModelServer, type Protocol, startModelServer, type Turn } from './model-server.ts'

/** Everything a scenario may touch. */
export interface Stage {
  home: string
  model: ModelServer
  /** Writes a file of the memex, as the owner's editor would. */
  write: (path: string, text: string) => void
  read: (path: string) => string
  /** Starts the daemon; it is ready then. */
  start(): Promise<void>
  /** Ends it as a crash would: nothing is finished, nothing is told. */
  kill(): Promise<void>
  /** Ends it properly. */
  stop(): Promise<void>
  /** Moves the clock, when the story has one, and rings what was waiting. */
  pass(ms: number): void
  connect(more?: { capabilities?: readonly string[] }): Promise<Client>
  /** Says something as the owner, in a connection of the stage's own; resolves to all that was answered. */
  say(text: string, client?: Client): Promise<string>
  /** Runs the command with these words; resolves to what it printed. Rejects when it fails. */
  command(...words: string[]): Promise<string>
  /** The entries of the journal, of all days. */
  trace(): TraceEntry[]
  /** Holds these lines against the journal, each behind the one before. */
  story(...lines: string[]): void
  /** The texts of all requests to the model, in one. */
  shown(): string
  close(): Promise<void>
}

/** What is there when the curtain rises. */
export interface Scene {
  notes: Record<string, string>
  /** Other files, by their paths in the home. */
  files?: Record<string, string>
  script: Turn[]
  /** The vendor whose protocol the model speaks; `openai-compatible` by default. */
  protocol?: Protocol
  /** More lines for the model's drawer, such as `:CONTEXT: 8192`. */
  model?: readonly string[]
  /** More headlines for the configuration, for this home. */
  config?: (home: string) => string
  /** The owner's rules of permission. */
  rules?: string
  /** Milliseconds since 1970 for a clock that stands still until it is moved. */
  at?: number
  /** Tools to be exchanged before anybody connects; only in a story with a clock. */
  tools?: readonly Tool[]
  /** More for the environment. */
  env?: Record<string, string>
}

/** A story with an end that can be wrong. */
export interface Scenario {
  name: string
  asked: string
  tried: string
  scene(): Scene
  /** Plays it on a stage whose daemon runs; resolves to what happened, in a few words. */
  play(stage: Stage): Promise<string>
}

/** A property drawer of these lines. */
export const drawer = (...lines: string[]): string => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`

const daemonPath = fileURLToPath(import.meta.resolve('@passepartout/daemon'))
const commandPath = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

type Env = Record<string, string | undefined>

async function startProcess(env: Env): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [...flags, daemonPath], { env })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const ready = /^ready (\d+)$/m.exec(text)
      if (ready !== null) resolve(Number(ready[1]))
    })
    child.once('exit', () => reject(new Error(`The daemon ended: ${log}`)))
  })
  return { child, port }
}

async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

interface HandClock {
  ms: number
  now(): Date
  alarm(ms: number, ring: () => void): () => boolean
  ring(): void
}

function handClock(ms: number): HandClock {
  const alarms = new Set<() => void>()
  return {
    ms,
    now() {
      return new Date(this.ms)
    },
    alarm(_, ring) {
      alarms.add(ring)
      return () => alarms.delete(ring)
    },
    ring() {
      for (const ring of [...alarms]) ring()
    },
  }
}

interface Running {
  port: number
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

async function run(
  env: Env,
  clock: HandClock | null,
  tools: readonly Tool[] = [],
): Promise<Running> {
  if (clock === null) {
    const { child, port } = await startProcess(env)
    return { port, end: (signal) => endProcess(child, signal) }
  }
  const daemon = await startDaemon(readDaemonConfig(env), '0.0.0', { clock, say: () => {} })
  for (const tool of tools) daemon.runtime.tools.set(tool.name, tool)
  return { port: daemon.port, end: () => daemon.stop() }
}

/** A sentence of the owner's, as a client sends it. */
export function sentence(text: string): Signal {
  const payload = { sensor: 'user-input', text }
  return { type: 'event', meta: { source: 'cli' }, payload, depth: 0 }
}

/** All that a client hears until the end of the turn. */
export async function hear(client: Client): Promise<string> {
  const heard: string[] = []
  for await (const signal of client) {
    if (signal.type === 'response') heard.push(String(signal.payload.text))
    if (signal.payload.action === 'turn-end') return heard.join('\n')
  }
  throw new Error('The daemon went away')
}

function journalOf(state: string): string {
  const folder = join(state, 'trace')
  const files = readdirSync(folder).filter((file) => file.endsWith('.org'))
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('')
}

function checkStory(journal: string, lines: readonly string[]): void {
  let at = 0
  for (const line of lines) {
    const found = journal.indexOf(line, at)
    assert.ok(found >= 0, `the trace has no “${line}” behind\n${journal.slice(0, at)}`)
    at = found + line.length
  }
}

function furnish(home: string, model: ModelServer, scene: Scene): void {
  const folder = join(home, 'config/passepartout')
  mkdirSync(folder, { recursive: true })
  const { protocol = 'openai-compatible' } = scene
  const address = `:BASE_URL: ${model.baseUrl(protocol)}`
  const lines = [`:PROVIDER: ${protocol}`, ':MODEL: m', ':KEY_ENV: MODEL_KEY', address]
  const models = `* Models\n** The model\n${drawer(...lines, ...(scene.model ?? []))}`
  writeFileSync(join(folder, 'config.org'), models + (scene.config?.(home) ?? ''))
  if (scene.rules !== undefined) writeFileSync(join(folder, 'permissions.org'), scene.rules)
  for (const [path, text] of Object.entries(scene.notes)) put(join(home, 'memex'), path, text)
  for (const [path, text] of Object.entries(scene.files ?? {})) put(home, path, text)
}

function put(folder: string, path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The key of the stage's model, which must be in nothing that anybody reads. */
export const modelKey = 'sk-the-key-of-the-stage'

/** Sets a stage; the daemon is not started yet. */
export async function setStage(scene: Scene): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'scenario-'))
  const model = await startModelServer(...scene.script)
  mkdirSync(join(home, 'memex'))
  furnish(home, model, scene)
  const state = join(home, 'state/passepartout')
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: home,
    MODEL_KEY: modelKey,
    MEMEX_DIR: join(home, 'memex'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    ...scene.env,
  }
  const clock = scene.at === undefined ? null : handClock(scene.at)
  let running: Running | null = null
  let own: Client | null = null
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    own?.close()
    own = null
    await running?.end(signal)
    running = null
  }
  const open = async (more: { capabilities?: readonly string[] } = {}) => {
    const token = readFileSync(join(state, 'token'), 'utf8').trim()
    return connect({ host: '127.0.0.1', port: running?.port ?? 0, token, ...more })
  }
  return {
    home,
    model,
    connect: open,
    write: (path, text) => put(join(home, 'memex'), path, text),
    read: (path) => readFileSync(join(home, 'memex', path), 'utf8'),
    async start() {
      running = await run(env, clock, scene.tools)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pass(ms) {
      assert.ok(clock !== null, 'this story has no clock')
      clock.ms += ms
      clock.ring()
    },
    async say(text, client) {
      own ??= client === undefined ? await open() : null
      const speaker = client ?? own!
      speaker.send(sentence(text))
      return hear(speaker)
    },
    async command(...words) {
      const args = [...flags, commandPath, ...words]
      return (await promisify(execFile)(process.execPath, args, { env })).stdout
    },
    trace: () => readTrace(journalOf(state)),
    story: (...lines) => checkStory(journalOf(state), lines),
    shown: () => model.requests.map(({ text }) => text).join('\n'),
    async close() {
      await end('SIGTERM')
      await model.close()
      rmSync(home, { recursive: true })
    },
  }
}
