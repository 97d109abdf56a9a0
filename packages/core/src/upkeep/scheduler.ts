import { Cron } from 'croner'
import { type Clock, setAlarm } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import type { JobTimes } from '../pipeline/runtime.ts'

/** Something to be done at times. */
export interface Job extends JobTimes {
  /** Does it; `due` is when it should have been done. A rejection is logged. */
  run: (due: Date) => void | Promise<void>
}

/** What is known of a job. */
interface JobState {
  name: string
  /** Null for never. */
  next: Date | null
  last: Date | null
  isRunning: boolean
}

/** Remembers when a job was last done, over the end of the process. */
export interface LastRuns {
  get(name: string): number | null
  set(name: string, ms: number): void
}

type Next = (after: Date) => Date | null

function nextOf({ timezone, when }: Job): Next {
  if (typeof when === 'function') return when
  if (typeof when === 'object') {
    if (!(when.everyMs >= 1_000)) throw new RangeError('Expected an interval of a second or more')
    return (after) => new Date(after.getTime() + when.everyMs)
  }
  const options = timezone === undefined ? {} : { timezone }
  const pattern = new Cron(when, { ...options, mode: '5-part', paused: true })
  return (after) => pattern.nextRun(after)
}

/** Does jobs when they are due, until it is closed. */
export interface Scheduler {
  /** Replaces the jobs of an owner. A job that cannot be set is logged and left out. */
  set(owner: string, jobs: readonly Job[]): void
  /** What is set, the next to be done first. */
  list(): JobState[]
  /** Begins nothing any more; resolves when what has begun is over. */
  close(): Promise<void>
}

/** What a scheduler works with. */
interface SchedulerOptions {
  clock: Clock
  lastRuns: LastRuns
  log: (level: 'warn' | 'error', message: string) => void
  random?: () => number
}

interface Entry {
  job: Job
  owner: string
  nextOf: Next
  due: Date | null
  isRunning: boolean
}

interface State extends Required<SchedulerOptions> {
  entries: Map<string, Entry>
  running: Set<Promise<void>>
  /** When the clock was last looked at. */
  looked: number
  takeBack: () => void
  isClosed: boolean
}

/** A scheduler without jobs. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const state: State = {
    random: Math.random,
    ...options,
    entries: new Map(),
    running: new Set(),
    looked: options.clock.now().getTime(),
    takeBack: () => {},
    isClosed: false,
  }
  return {
    set(owner, jobs) {
      setJobs(state, owner, jobs)
      arm(state)
    },
    list: () => listed(state),
    async close() {
      state.isClosed = true
      state.takeBack()
      await Promise.all(state.running)
    },
  }
}

function setJobs(state: State, owner: string, jobs: readonly Job[]): void {
  const { entries, log } = state
  const before = new Map(entries)
  for (const [name, entry] of before) if (entry.owner === owner) entries.delete(name)
  for (const job of jobs) {
    try {
      if (entries.has(job.name)) throw new Error('there is another job of that name')
      entries.set(job.name, entryOf(state, owner, job, before.get(job.name)))
    } catch (error) {
      log('warn', `the job ${job.name} is not done: ${messageOf(error)}`)
    }
  }
}

function listed({ entries, lastRuns }: State): JobState[] {
  const states = [...entries.values()].map(({ due, isRunning, job }) => {
    const last = lastRuns.get(job.name)
    return { name: job.name, next: due, last: last === null ? null : new Date(last), isRunning }
  })
  const time = ({ next }: JobState) => next?.getTime() ?? Number.POSITIVE_INFINITY
  return states.sort((a, b) => time(a) - time(b))
}

function entryOf(state: State, owner: string, job: Job, old: Entry | undefined): Entry {
  if (old !== undefined && sameTimes(old.job, job)) return Object.assign(old, { job, owner })
  const { clock, lastRuns } = state
  const entry: Entry = { job, owner, nextOf: nextOf(job), due: null, isRunning: false }
  const now = clock.now().getTime()
  const last = lastRuns.get(job.name)
  const from = last === null ? now : startOf(entry, last, now)
  entry.due = dateAfter(state, entry, from)
  if (from !== last) lastRuns.set(job.name, from)
  return entry
}

/** The moment from which the next date counts: the last run, or now when that lies too far ahead. */
function startOf({ nextOf }: Entry, last: number, now: number): number {
  if (last <= now) return last
  const first = nextOf(new Date(now))
  const second = first === null ? null : nextOf(first)
  if (first === null || second === null) return now
  return second.getTime() - first.getTime() > last - now ? last : now
}

function dateAfter({ random }: State, { job, nextOf }: Entry, ms: number): Date | null {
  const next = nextOf(new Date(ms))
  const jitter = Math.floor(random() * (job.jitterMs ?? 0))
  return next === null ? null : new Date(next.getTime() + jitter)
}

const lookMs = 60_000
/** A run that is later than this was missed, and not only late. */
const lateMs = 2 * lookMs

function arm(state: State): void {
  const { clock, entries, isClosed } = state
  state.takeBack()
  if (isClosed || entries.size === 0) return
  const now = clock.now().getTime()
  const dates = [...entries.values()].flatMap(({ due }) => due?.getTime() ?? [])
  const wait = Math.min(lookMs, ...dates.map((date) => Math.max(0, date - now)))
  state.takeBack = setAlarm(clock, wait, () => look(state))
}

function look(state: State): void {
  const now = state.clock.now().getTime()
  const isBackwards = now < state.looked
  state.looked = now
  for (const entry of [...state.entries.values()]) {
    if (isBackwards) {
      const last = state.lastRuns.get(entry.job.name) ?? now
      entry.due = dateAfter(state, entry, Math.max(now, startOf(entry, last, now)))
    }
    if (entry.due !== null && entry.due.getTime() <= now) begin(state, entry, entry.due, now)
  }
  arm(state)
}

function begin(state: State, entry: Entry, due: Date, now: number): void {
  const { lastRuns, log, running } = state
  const { job } = entry
  entry.due = dateAfter(state, entry, now)
  lastRuns.set(job.name, now)
  const isMissed = now - due.getTime() > lateMs
  if (entry.isRunning || (isMissed && job.missed === 'skip')) return
  const fail = (error: unknown) => log('error', `the job ${job.name} failed: ${messageOf(error)}`)
  try {
    const result = job.run(due)
    if (result === undefined) return
    entry.isRunning = true
    const run: Promise<void> = result.catch(fail).finally(() => {
      entry.isRunning = false
      running.delete(run)
    })
    running.add(run)
  } catch (error) {
    fail(error)
  }
}

function sameTimes(one: Job, other: Job): boolean {
  const isFunction = typeof one.when === 'function' && typeof other.when === 'function'
  const when = isFunction || JSON.stringify(one.when) === JSON.stringify(other.when)
  return when && one.timezone === other.timezone && one.jitterMs === other.jitterMs
}
