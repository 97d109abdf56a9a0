import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { openDatabase } from '../../src/memory/database.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { collectWeekly, tendMemory } from '../../src/upkeep/maintenance.ts'
import { handClock } from '../base/hand-clock.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'tend-'))
  const database = openDatabase(join(dir, '.state'))
  onTestFinished(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })
  const clock = handClock()
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const said: string[] = []
  const log = (_: string, message: string) => said.push(message)
  return {
    clock,
    said,
    runtime: createRuntime({ config, memex: openMemex(dir), database, clock, log }),
  }
}

const day = 24 * 60 * 60_000

test('what may go goes once a week', () => {
  const { clock, said, runtime } = setting()
  const edit = (count: number) => {
    for (let at = 0; at < count; at++) {
      runtime.store.ingestFile('a.org', `* Counter\n${clock.now().getTime()} ${at}\n`)
    }
    runtime.database?.commit(runtime.store)
  }
  edit(60)
  clock.pass(730 * day)
  collectWeekly(runtime)
  expect(said).toEqual(['20 old versions of notes went'])
  edit(10)
  clock.pass(6 * day)
  collectWeekly(runtime)
  expect(said).toHaveLength(1)
  clock.pass(day)
  collectWeekly(runtime)
  expect(said).toHaveLength(2)
})

test('tending ends', async () => {
  const { clock, runtime } = setting()
  const tending = tendMemory(runtime)
  expect(clock.pending()).toBeGreaterThan(0)
  await tending.close()
  expect(clock.pending()).toBe(0)
})
