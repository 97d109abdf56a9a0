import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { openDatabase } from '../../src/memory/database.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'

function emptyFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'ingest-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('the store follows the files', () => {
  const dir = emptyFolder()
  writeFileSync(join(dir, 'a.org'), '* One\n')
  writeFileSync(join(dir, 'b.org'), '* Two\n')
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const later = { now: () => new Date(Date.now() + 1_000) }
  const runtime = createRuntime({ config, memex: openMemex(dir, later) })
  expect([ingestMemex(runtime), ingestMemex(runtime)]).toEqual([2, 0])
  writeFileSync(join(dir, 'a.org'), '* Changed\n')
  rmSync(join(dir, 'b.org'))
  expect(ingestMemex(runtime)).toBe(1)
  const titles = runtime.store.query({ type: 'headline' }).map(({ title }) => title)
  expect(titles).toEqual(['Changed'])
})

test('a warm start reads what has changed', () => {
  const dir = emptyFolder()
  writeFileSync(join(dir, 'a.org'), '* One\n')
  writeFileSync(join(dir, 'b.org'), '* Two\n')
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const later = { now: () => new Date(Date.now() + 1_000) }
  const started = () => {
    const database = openDatabase(config.stateDir)
    onTestFinished(() => database.close())
    return createRuntime({ config, memex: openMemex(dir, later), database })
  }
  const first = started()
  expect(ingestMemex(first)).toBe(2)
  const known = first.store.query({ text: 'One' })[0]!.id
  first.database!.close()
  writeFileSync(join(dir, 'a.org'), '* Changed\n')
  rmSync(join(dir, 'b.org'))
  const second = started()
  expect(second.store.get(known)?.title).toBe('One')
  expect(ingestMemex(second)).toBe(1)
  expect(second.store.get(known)?.title).toBe('Changed')
  expect(second.store.paths()).toEqual(['a.org'])
})
