import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type Authorship,
  createLoop,
  createRuntime,
  type Heartbeat,
  ingestMemex,
  type Loop,
  openDatabase,
  openMemex,
  openTrace,
  type Provider,
  type Runtime,
  type Signal,
  startHeartbeat,
} from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { onTestFinished } from 'vitest'
import { type EventState, openEventState } from '../../src/events/event-state.ts'
import { loadHouse, skillPlaces } from '../../src/improve/user-skills.ts'

/** All of a daemon but its door. */
export interface QuietHouse {
  dir: string
  runtime: Runtime
  loop: Loop
  heartbeat: Heartbeat
  /** What the owner was told, oldest first. */
  said: string[]
  /** Lets so much time go by, and all that falls due happen. */
  pass(ms: number): Promise<void>
  /** Changes a note, as the owner does. */
  write(path: string, text: string): void
  read(path: string): string
  /** The owner says something in a client. */
  say: (text: string) => Promise<string>
  end(): Promise<void>
}

/** What a house may be given. */
export interface HouseOptions {
  /** The folder of a house that has ended. */
  dir?: string
  /** The configuration of the owner. */
  config?: string
  providers?: Provider[]
  /** When the day begins; milliseconds since 1970. */
  at?: number
}

const stepMs = 20_000

function steppingClock(start: number) {
  const alarms = new Set<{ at: number; ring: () => void }>()
  let now = start
  return {
    now: () => new Date(now),
    alarm(ms: number, ring: () => void) {
      const alarm = { at: now + ms, ring }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
    step(ms: number) {
      now += ms
      for (const alarm of [...alarms].filter(({ at }) => at <= now)) {
        alarms.delete(alarm)
        alarm.ring()
      }
    },
  }
}

function homeWith(files: Record<string, string>, { config = '', dir }: HouseOptions) {
  const home = dir ?? mkdtempSync(join(tmpdir(), 'quiet-'))
  if (dir === undefined) onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  for (const [path, text] of Object.entries(files)) put(`memex/${path}`, text)
  put('config/passepartout/config.org', config)
  const env = { HOME: home, MEMEX_DIR: join(home, 'memex'), XDG_STATE_HOME: join(home, 'state') }
  return { home, put, read: readDaemonConfig({ ...env, XDG_CONFIG_HOME: join(home, 'config') }) }
}

/** A house with these notes. */
export async function quietHouse(
  files: Record<string, string>,
  options: HouseOptions = {},
): Promise<QuietHouse> {
  const { home, put, read } = homeWith(files, options)
  const clock = steppingClock(options.at ?? new Date(2026, 10, 21, 9).getTime())
  const database = openDatabase(read.stateDir)
  const said: string[] = []
  const runtime = createRuntime({
    config: read,
    memex: openMemex(read.memexDir),
    database,
    clock,
    mind: read.mind,
    trace: openTrace({ dir: join(read.stateDir, 'trace'), clock }),
    reply(signal) {
      if (signal.type === 'response') said.push(String(signal.payload.text))
    },
  })
  runtime.providers.push(...(options.providers ?? []))
  const places = skillPlaces({ ...read, configDir: home, memexDir: read.memexDir })
  const engine = loadHouse(runtime, skillsOf(read), places)
  ingestMemex(runtime)
  const loop = createLoop(runtime)
  const heartbeat = startHeartbeat(runtime, loop)
  const end = once(async () => {
    loop.close()
    await heartbeat.close()
    await loop.idle()
    await engine.close()
    database.close()
  })
  onTestFinished(end)
  return {
    dir: home,
    runtime,
    loop,
    heartbeat,
    said,
    end,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.step(stepMs)
        await rest(loop)
      }
    },
    write(path, text) {
      put(`memex/${path}`, text)
      ingestMemex(runtime)
    },
    read: (path) => readFileSync(join(read.memexDir, path), 'utf8'),
    async say(text) {
      const from = said.length
      await loop.process(wordOf(text))
      await loop.idle()
      return said.slice(from).join('\n')
    },
  }
}

async function rest(loop: Loop): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate)
    await loop.between(() => {})
    await loop.idle()
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= run()
    return done
  }
}

function wordOf(text: string): Signal {
  const meta = { source: 'cli', sessionId: 'owner' }
  return { type: 'event', meta, payload: { sensor: 'user-input', text }, depth: 0 }
}

/** A house that has looked once. */
export async function awake(...given: Parameters<typeof quietHouse>): Promise<QuietHouse> {
  const house = await quietHouse(...given)
  await house.pass(stepMs)
  return house
}

/** A note with a hook. */
export function hookNote(title: string, words: string): string {
  return `* ${title}\n:PROPERTIES:\n:HOOK: ${words}\n:END:\n`
}

/** What the agent has written, with nothing from outside in it. */
export const byAgent: Authorship = { by: 'agent', signal: 's', outside: false }

/** What is known about the hooks of a house. */
export function stateOf({ dir }: QuietHouse): EventState {
  return openEventState(join(dir, 'state/passepartout/events.db'))
}
