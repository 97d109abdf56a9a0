import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fieldText, type Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { openDatabase } from '../../src/memory/database.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import { createLoop, type Loop } from '../../src/pipeline/loop.ts'
import type { JobWord, Skill } from '../../src/pipeline/runtime.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { openTrace } from '../../src/pipeline/trace.ts'
import { traceDays } from '../../src/pipeline/trace-read.ts'
import { startHeartbeat } from '../../src/upkeep/heartbeat.ts'
import { type HandClock, handClock } from '../base/hand-clock.ts'

const minute = 60_000
const day = 24 * 60 * minute

function setting(notes: string, skills: Skill[] = [], start?: number) {
  const dir = mkdtempSync(join(tmpdir(), 'heartbeat-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), notes)
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const database = openDatabase(config.stateDir)
  onTestFinished(() => database.close())
  const clock = handClock(start)
  const trace = openTrace({ dir: join(config.stateDir, 'trace'), clock })
  const runtime = createRuntime({ config, memex: openMemex(dir), database, clock, trace })
  let asked = 0
  const provider = {
    name: 'model',
    async *propose() {
      asked++
      yield { type: 'text' as const, text: 'Hm.' }
    },
  }
  loadSkills(runtime, [{ name: 'model', description: '', providers: () => [provider] }, ...skills])
  ingestMemex(runtime)
  const loop = createLoop(runtime)
  const heartbeat = startHeartbeat(runtime, loop)
  onTestFinished(() => heartbeat.close())
  return { dir, runtime, clock, loop, heartbeat, asked: () => asked }
}

async function pass(clock: HandClock, loop: Loop, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 10 * minute) {
    clock.pass(10 * minute)
    await loop.between(() => {})
    await loop.idle()
    await new Promise(setImmediate)
  }
}

test('an idle day asks no model', { timeout: 30_000 }, async () => {
  const { asked, clock, heartbeat, loop, runtime } = setting('* One\n')
  await pass(clock, loop, day)
  await heartbeat.close()
  await loop.idle()
  expect(asked()).toBe(0)
  expect(traceDays(join(runtime.config.stateDir, 'trace'))).toEqual([])
  expect(clock.pending()).toBe(0)
})

test('skills and notes are told', async () => {
  const heard: string[] = []
  const hear = (name: string) => (signal: Signal) => {
    heard.push(`${name} ${fieldText(signal.payload.title)}`.trim())
    return null
  }
  const skill: Skill = {
    name: 'gardener',
    description: '',
    sensors: { heartbeat: hear('beat'), 'job-garden': hear('garden'), cron: hear('note') },
    jobs: [
      {
        name: 'weed',
        when: '0 12 * * *',
        timezone: 'UTC',
        payload: { sensor: 'job-garden' },
      },
    ],
  }
  const note = (title: string, cron: string) => `* ${title}\n:PROPERTIES:\n:CRON: ${cron}\n:END:\n`
  const { clock, dir, heartbeat, loop } = setting(note('Tea', '*/30 * * * *'), [skill])
  await pass(clock, loop, 60 * minute)
  writeFileSync(join(dir, 'b.org'), note('Walk', '0 * * * *'))
  await pass(clock, loop, 4 * 60 * minute)
  await loop.idle()
  const times = (name: string) => heard.filter((each) => each === name).length
  expect(times('beat')).toBeGreaterThan(17)
  expect([times('garden'), times('note Tea'), times('note Walk')]).toEqual([1, 10, 4])
  expect(heartbeat.scheduler.list().map(({ name }) => name)).toContain('gardener:weed')
})

test('a look is told only when it has found something', async () => {
  const found: JobWord[] = []
  const heard: string[] = []
  const skill: Skill = {
    name: 'watcher',
    description: '',
    sensors: {
      'job-watch'({ meta, payload }) {
        heard.push(`${fieldText(payload.title)} ${meta.origin}`)
        return null
      },
    },
    jobs: [{ name: 'watch', when: { everyMs: 20_000 }, payload: () => found.splice(0) }],
  }
  const { clock, loop, runtime } = setting('* One\n', [skill])
  await pass(clock, loop, 60 * minute)
  const dir = join(runtime.config.stateDir, 'trace')
  expect([heard, traceDays(dir)]).toEqual([[], []])
  const rows = runtime.database!.connection.prepare(
    "SELECT name FROM state WHERE name LIKE 'job:%'",
  )
  expect(rows.all()).toEqual([])
  const payload = { sensor: 'job-watch', title: 'a' }
  found.push({ payload }, { payload: { ...payload, title: 'b' }, origin: 'message' })
  await pass(clock, loop, 10 * minute)
  expect(heard).toEqual(['a tool', 'b message'])
  expect(traceDays(dir)).toHaveLength(1)
})

const changes = [
  ['Europe/Berlin', '2026-03-28', 23],
  ['Europe/Berlin', '2026-10-24', 25],
  ['America/New_York', '2026-03-07', 23],
  ['America/New_York', '2026-10-31', 25],
  ['Australia/Lord_Howe', '2026-04-04', 24.5],
  ['Australia/Lord_Howe', '2026-10-03', 23.5],
] as const

test.each(changes)('in %s the night after %s', async (zone, eve, hours) => {
  const { TZ } = process.env
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  process.env.TZ = zone
  const beats: number[] = []
  const told: string[] = []
  const skill: Skill = {
    name: 'listener',
    description: '',
    sensors: {
      heartbeat(_, runtime) {
        beats.push(runtime.clock.now().getTime())
        return null
      },
      cron({ payload }, runtime) {
        const time = runtime.clock.now().toLocaleTimeString('sv').slice(0, 5)
        told.push(`${time} ${fieldText(payload.title)}`)
        return null
      },
    },
  }
  const note = (title: string, more: string) => `* ${title}\n:PROPERTIES:\n:CRON: ${more}\n:END:\n`
  const night = `* Night\nSCHEDULED: <${eve} 02:10 +1d>\n:PROPERTIES:\n:CRON: repeater\n:END:\n`
  const noon = new Date(`${eve}T12:00`).getTime()
  const { clock, loop } = setting(note('Eight', '0 8 * * *') + night, [skill], noon)
  await pass(clock, loop, hours * 60 * minute)
  await loop.idle()
  expect(new Date(noon + hours * 60 * minute).getHours()).toBe(12)
  expect(told.filter((each) => each.endsWith('Eight'))).toEqual(['08:00 Eight'])
  expect(told.filter((each) => each.endsWith('Night'))).toHaveLength(1)
  const gaps = beats.slice(1).map((beat, at) => (beat - beats[at]!) / minute)
  expect(beats.length).toBeGreaterThanOrEqual(hours * 4 - 3)
  expect([Math.min(...gaps) >= 10, Math.max(...gaps) <= 20]).toEqual([true, true])
})
