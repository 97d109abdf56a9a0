import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Memex, openMemex } from '../../src/memex/memex.ts'
import { openDatabase } from '../../src/memory/database.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import type { Runtime } from '../../src/pipeline/runtime.ts'
import { secondLook } from '../../src/upkeep/rescan.ts'
import { handClock } from '../base/hand-clock.ts'

test('a file that was changed under its stamp is found', () => {
  const dir = mkdtempSync(join(tmpdir(), 'look-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (let at = 0; at < 40; at++) writeFileSync(join(dir, `${at}.org`), `* Note ${at}\n`)
  const memex: Memex = { ...openMemex(dir), stamp: () => 'as it was' }
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const clock = handClock()
  const started = (): Runtime => {
    const database = openDatabase(config.stateDir)
    onTestFinished(() => database.close())
    return createRuntime({ config, memex, database, clock })
  }
  const first = started()
  expect(ingestMemex(first)).toBe(40)
  first.database?.close()
  writeFileSync(join(dir, '25.org'), '* Evil 25\n')
  const second = started()
  expect(ingestMemex(second)).toBe(0)
  const found: string[] = []
  secondLook(second, (path) => found.push(path))
  clock.pass(1_000)
  expect([found, clock.pending()]).toEqual([['25.org'], 0])
  expect(second.store.query({ file: '25.org', type: 'headline' })[0]?.title).toBe('Evil 25')
  const end = secondLook(second)
  expect(clock.pending()).toBe(1)
  end()
  expect(clock.pending()).toBe(0)
})
