import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScheduler, type Job } from '../../src/upkeep/scheduler.ts'
import { handClock } from '../base/hand-clock.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

function setting(kept = new Map<string, number>(), start = Date.UTC(2026, 10, 21, 9)) {
  const clock = handClock(start)
  const done: string[] = []
  const said: string[] = []
  const lastRuns = {
    get: (name: string) => kept.get(name) ?? null,
    set: (name: string, ms: number) => void kept.set(name, ms),
  }
  const log = (_: string, message: string) => said.push(message)
  const scheduler = createScheduler({ clock, lastRuns, log, random: () => 0.5 })
  const job = (name: string, when: Job['when'], more: Partial<Job> = {}): Job => ({
    name,
    when,
    timezone: 'UTC',
    run: (due) => void done.push(`${name} ${due.toISOString().slice(8, 16)}`),
    ...more,
  })
  return { clock, done, said, kept, scheduler, job }
}

test('a day has its hours, and a week its Monday', () => {
  const { clock, done, scheduler, job } = setting()
  scheduler.set('skill', [
    job('hourly', { everyMs: hour }),
    job('monday', '30 8 * * 1'),
    job('late', '0 12 * * *', { jitterMs: 10 * minute }),
  ])
  clock.pass(day)
  expect(done.filter((line) => line.startsWith('hourly'))).toHaveLength(24)
  expect(done).toContain('late 21T12:05')
  clock.pass(2 * day)
  expect(done.filter((line) => line.startsWith('monday'))).toEqual(['monday 23T08:30'])
})

test('what was missed is done once', () => {
  const { clock, done, kept, scheduler, job } = setting()
  const jobs = [job('backup', '0 3 * * *'), job('train', '0 7 * * *', { missed: 'skip' })]
  scheduler.set('skill', jobs)
  clock.sleep(3 * day)
  clock.pass(minute)
  expect(done).toEqual(['backup 22T03:00'])
  clock.pass(day)
  expect(done.slice(1)).toEqual(['backup 25T03:00', 'train 25T07:00'])
  const later = setting(kept, clock.now().getTime() + 7 * day)
  const again = jobs.map(({ name, when, ...rest }) => later.job(name, when, pick(rest)))
  later.scheduler.set('skill', again)
  later.clock.pass(minute)
  expect(later.done).toEqual(['backup 26T03:00'])
})

function pick({ missed }: Partial<Job>): Partial<Job> {
  return missed === undefined ? {} : { missed }
}

test('nothing overlaps itself, and a failure is no end', async () => {
  const { clock, said, scheduler, job } = setting()
  const ends: (() => void)[] = []
  const slow = () => new Promise<void>((done) => ends.push(done))
  let tries = 0
  const fail = () => {
    tries++
    throw new Error('no paper')
  }
  scheduler.set('skill', [
    job('slow', { everyMs: hour }, { run: slow }),
    job('failing', { everyMs: hour }, { run: fail }),
  ])
  clock.pass(3 * hour)
  expect([ends.length, tries]).toEqual([1, 3])
  expect(scheduler.list().map(({ isRunning }) => isRunning)).toContain(true)
  ends[0]!()
  await new Promise(setImmediate)
  clock.pass(hour)
  expect(ends).toHaveLength(2)
  const closing = scheduler.close()
  clock.pass(day)
  ends[1]!()
  await closing
  expect([ends.length, clock.pending(), new Set(said).size]).toEqual([2, 0, 1])
})

test('jobs are set, replaced and refused', () => {
  const { clock, done, said, scheduler, job } = setting()
  scheduler.set('notes', [job('a', 'every day'), job('b', { everyMs: 5 }), job('c', '0 * * * *')])
  expect(said.map((line) => line.slice(0, 13))).toEqual(['the job a is ', 'the job b is '])
  scheduler.set('skill', [job('c', '0 * * * *'), job('d', { everyMs: hour })])
  expect(said.at(-1)).toContain('another job of that name')
  clock.pass(30 * minute)
  scheduler.set('skill', [job('d', { everyMs: hour })])
  scheduler.set('notes', [])
  clock.pass(30 * minute)
  expect(done).toEqual(['d 21T10:00'])
  clock.turnBack(30 * day)
  clock.pass(2 * hour)
  expect(done.length).toBeGreaterThan(1)
})

test('a clock that is put back does nothing twice', () => {
  const { clock, done, kept, scheduler, job } = setting()
  const jobs = [
    job('daily', '0 10 * * *'),
    job('often', '*/5 * * * *'),
    job('hourly', { everyMs: hour }),
  ]
  scheduler.set('skill', jobs)
  clock.pass(2 * hour)
  clock.turnBack(2 * hour)
  clock.pass(4 * hour)
  expect(done.filter((line) => line.startsWith('daily'))).toEqual(['daily 21T10:00'])
  expect(done.filter((line) => line.startsWith('often')).length).toBeGreaterThan(70)
  expect(done.filter((line) => line.startsWith('hourly')).length).toBeGreaterThan(4)
  const later = setting(kept, clock.now().getTime() - 3 * hour - minute)
  later.scheduler.set('skill', [later.job('daily', '0 10 * * *')])
  later.clock.pass(12 * hour)
  expect(later.done).toEqual([])
})

test.each([
  ['Europe/Berlin', Date.UTC(2026, 2, 28)],
  ['Europe/Berlin', Date.UTC(2026, 9, 24)],
  ['America/New_York', Date.UTC(2026, 2, 7)],
  ['America/New_York', Date.UTC(2026, 9, 31)],
  ['Australia/Lord_Howe', Date.UTC(2026, 3, 4)],
  ['Australia/Lord_Howe', Date.UTC(2026, 9, 3)],
  ['America/Sao_Paulo', Date.UTC(2018, 10, 3)],
])('days that are longer or shorter: %s, from %d', (timezone, start) => {
  const { clock, scheduler, job } = setting(new Map(), start)
  const runs = new Map<string, Date[]>()
  const noted = (name: string, when: string) => {
    const dates: Date[] = []
    runs.set(name, dates)
    return job(name, when, { timezone, run: (due) => void dates.push(due) })
  }
  const daily = ['0 0 * * *', '30 0 * * *', '30 1 * * *', '0 2 * * *', '30 2 * * *', '30 3 * * *']
  scheduler.set('skill', [...daily.map((when) => noted(when, when)), noted('half', '*/30 * * * *')])
  clock.pass(4 * day)
  const dayIn = (date: Date) => date.toLocaleDateString('sv', { timeZone: timezone })
  for (const when of daily) {
    const days = runs.get(when)!.map(dayIn)
    expect([when, new Set(days).size]).toEqual([when, days.length])
    expect([when, days.length >= 3]).toEqual([when, true])
  }
  expect(runs.get('half')!.length).toBe(4 * 48)
})

test('any sequence of waking and sleeping', () => {
  const steps = fc.array(fc.record({ asleep: fc.boolean(), ms: fc.nat(5 * hour) }))
  fc.assert(
    fc.property(steps, (steps) => {
      const { clock, done, scheduler, job } = setting()
      scheduler.set('skill', [job('hourly', { everyMs: hour })])
      let awake = 0
      for (const { asleep, ms } of steps) {
        const before = done.length
        if (asleep) clock.sleep(ms)
        else clock.pass(ms)
        if (asleep) expect(done.length).toBe(before)
        else {
          awake += ms
          expect(done.length - before).toBeGreaterThanOrEqual(Math.floor(ms / (hour + minute)))
        }
      }
      expect(done.length).toBeLessThanOrEqual(awake / hour + steps.length)
    }),
  )
})
