import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { SignalPayload } from '../../src/contract/signal.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { jobsOfNotes, repeaterOf } from '../../src/upkeep/note-jobs.ts'

const asked = (title: string, cron: string, more = '') =>
  `* ${title}\n:PROPERTIES:\n:CRON: ${cron}\n:END:\n${more}`

test('notes of the owner’s are jobs', async () => {
  const store = new ObjectStore()
  const text = [
    asked('Budget', '0 18 * * 5'),
    asked('Compost', 'repeater', '<2026-11-22 Sun 10:00 +2w>\n'),
    asked('Nothing', 'repeater'),
    asked('DONE Over', '0 18 * * 5'),
    asked('COMMENT Off', '0 18 * * 5'),
    asked('Diary :private:', '0 22 * * *'),
  ]
  store.ingestFile('a.org', text.join(''))
  const page = { by: 'web', signal: null, outside: true } as const
  store.ingestFile('page.org', asked('Send money', '* * * * *'), page)
  const told: unknown[] = []
  const refused: string[] = []
  const tell = async ({ title }: SignalPayload) => void told.push(title)
  const jobs = jobsOfNotes(store, tell, (message) => refused.push(message))
  for (const { run } of jobs) await run(new Date())
  expect(told).toEqual(['Budget', 'Compost', 'a private note'])
  expect(jobs[0]!.when).toBe('0 18 * * 5')
  expect(refused).toEqual(['page.org:1 came from outside; it is no job'])
})

test.each([
  ['<2026-11-22 Sun 10:00 +2w>', [2026, 10, 22, 10], [2026, 11, 6, 10]],
  ['<2026-11-22 Sun 10:00>', [2026, 10, 22, 10], null],
  ['<2026-11-22 Sun ++1d>', [2026, 10, 22, 8], [2026, 10, 23, 8]],
  ['<2026-01-31 Sat 07:30-08:00 .+1m>', [2026, 2, 3, 7, 30], [2026, 2, 31, 7, 30]],
  ['<2026-11-21 Sat 23:00 +36h -2d>', [2026, 10, 23, 11], [2026, 10, 24, 23]],
  ['<2000-02-29 Tue 09:00 +1y>', [2026, 2, 1, 9], [2027, 2, 1, 9]],
])('%s', (stamp, after, expected) => {
  const at = ([year = 0, month = 0, ...rest]: number[]) =>
    new Date(year, month, ...(rest as [number, number, number]))
  const next = repeaterOf(stamp)!(at(after))
  expect(next).toEqual(expected === null ? null : at(expected))
})

test('dates follow one another', () => {
  const unit = fc.constantFrom('h', 'd', 'w', 'm', 'y')
  const after = fc.date({ min: new Date(1990, 0), max: new Date(2040, 0), noInvalidDate: true })
  fc.assert(
    fc.property(unit, fc.integer({ min: 1, max: 40 }), after, (unit, count, after) => {
      const next = repeaterOf(`<2001-05-31 Thu 09:15 +${count}${unit}>`)!
      const one = next(after)!
      expect(one > after).toBe(true)
      expect(next(new Date(one.getTime() - 1))).toEqual(one)
      expect(next(one)! > one).toBe(true)
    }),
  )
  expect(repeaterOf('[2026-11-22 Sun]')).toBeNull()
})

test('a repeater of the day has every day once, also when a clock changes', () => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  for (const name of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
    process.env.TZ = name
    for (const hour of ['00:00', '01:30', '02:00', '02:30', '03:00']) {
      const next = repeaterOf(`<2026-01-01 Thu ${hour} +1d>`)!
      const days: string[] = []
      for (let date = new Date(2026, 0, 1); days.length < 364; ) {
        date = next(date)!
        days.push(date.toLocaleDateString('sv'))
      }
      expect([name, hour, new Set(days).size]).toEqual([name, hour, 364])
      expect([name, hour, days.at(-1)! >= '2026-12-30']).toEqual([name, hour, true])
      expect([name, hour, days.at(-1)! <= '2026-12-31']).toEqual([name, hour, true])
    }
  }
})

test('a repeater of the hour comes when an hour has passed, also when a clock changes', () => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  for (const name of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
    process.env.TZ = name
    for (const day of [
      '2026-03-08',
      '2026-03-29',
      '2026-04-05',
      '2026-10-04',
      '2026-10-25',
      '2026-11-01',
    ]) {
      const next = repeaterOf(`<${day} Sun 00:00 +1h>`)!
      const dates = [next(new Date(0))!]
      while (dates.length < 26) dates.push(next(dates.at(-1)!)!)
      const gaps = dates.slice(1).map((date, at) => date.getTime() - dates[at]!.getTime())
      expect([name, day, new Set(gaps)]).toEqual([name, day, new Set([3_600_000])])
    }
  }
})
