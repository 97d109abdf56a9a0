import { messageOf } from '../base/printing.ts'
import type { SignalPayload } from '../contract/signal.ts'
import type { MemoryDatabase } from '../memory/database.ts'
import type { Snapshot } from '../memory/store.ts'
import { ingestMemex } from '../pipeline/ingest.ts'
import type { Loop } from '../pipeline/loop.ts'
import type { JobWord, Runtime, SkillJob } from '../pipeline/runtime.ts'
import { jobsOfNotes } from './note-jobs.ts'
import { createScheduler, type Job, type LastRuns, type Scheduler } from './scheduler.ts'

const minuteMs = 60_000

/** How often the heart beats, in minutes; up to half a minute more, by chance. */
export const heartbeatMinutes = 15

/** The jobs of a daemon. */
export interface Heartbeat {
  scheduler: Scheduler
  /** Sets the jobs of the skills again, after skills were loaded or taken away. */
  refresh(): void
  /** Resolves when what has begun is over. */
  close(): Promise<void>
}

/** Does at times what there is to do, until it is closed. */
export function startHeartbeat(runtime: Runtime, loop: Loop): Heartbeat {
  const { clock, database, log } = runtime
  const unkept = new Set(['heartbeat', 'auto-save', 'notes'])
  const lastRuns = database === null ? forgetfulRuns() : keptRuns(database, unkept, log)
  const scheduler = createScheduler({ clock, lastRuns, log: (level, text) => log(level, text) })
  const tell = async (payload: SignalPayload, origin: JobWord['origin'] = 'tool') => {
    if (!runtime.sensors.has(payload.sensor ?? '')) return
    const meta = { source: 'cli', origin } as const
    await loop.tellItself({ type: 'event', meta, payload, depth: 0 })
  }
  const run = async (payload: SkillJob['payload']) => {
    if (typeof payload !== 'function') return tell(payload)
    const words = await loop.between(() => payload(runtime))
    await Promise.all(words.map((word) => tell(word.payload, word.origin)))
  }
  const refresh = () => {
    const jobs = runtime.skills.flatMap((skill) =>
      (skill.jobs ?? []).map(({ payload, ...job }): Job => {
        const name = `${skill.name}:${job.name}`
        if (typeof payload === 'function') unkept.add(name)
        return { ...job, name, run: () => run(payload) }
      }),
    )
    scheduler.set('skills', jobs)
  }
  scheduler.set('daemon', ownJobs(runtime, loop, scheduler, tell))
  refresh()
  return { scheduler, refresh, close: () => scheduler.close() }
}

function ownJobs(
  runtime: Runtime,
  loop: Loop,
  scheduler: Scheduler,
  tell: (payload: SignalPayload) => Promise<void>,
): Job[] {
  const refused = new Set<string>()
  let known: Snapshot | null = null
  const refuse = (message: string) => {
    if (!refused.has(message)) runtime.log('warn', message)
    refused.add(message)
  }
  const setNotes = () => {
    const now = runtime.store.snapshot()
    const isSame = known !== null && known.files.changes(now.files).length === 0
    known = now
    if (!isSame) scheduler.set('notes', jobsOfNotes(runtime.store, tell, refuse))
  }
  const save = async () => {
    await loop.between(() => ingestMemex(runtime))
    await runtime.trace.flush()
  }
  setNotes()
  const beat = () => tell({ sensor: 'heartbeat' })
  return [
    {
      name: 'heartbeat',
      when: { everyMs: heartbeatMinutes * minuteMs },
      jitterMs: minuteMs / 2,
      run: beat,
    },
    { name: 'auto-save', when: { everyMs: 10 * minuteMs }, missed: 'skip', run: save },
    { name: 'notes', when: { everyMs: minuteMs }, run: setNotes },
  ]
}

function keptRuns(
  { connection }: MemoryDatabase,
  unkept: ReadonlySet<string>,
  log: Runtime['log'],
): LastRuns {
  const own = forgetfulRuns()
  const found = connection.prepare('SELECT value FROM state WHERE name = ?')
  const put = connection.prepare('INSERT OR REPLACE INTO state VALUES (?, ?)')
  return {
    get(name) {
      const value = own.get(name) ?? (unkept.has(name) ? null : found.get(`job:${name}`)?.value)
      return typeof value === 'number' ? value : null
    },
    set(name, ms) {
      own.set(name, ms)
      try {
        if (!unkept.has(name)) put.run(`job:${name}`, ms)
      } catch (error) {
        log('warn', `when ${name} was done was not written: ${messageOf(error)}`)
      }
    },
  }
}

function forgetfulRuns(): LastRuns {
  const runs = new Map<string, number>()
  return { get: (name) => runs.get(name) ?? null, set: (name, ms) => void runs.set(name, ms) }
}
