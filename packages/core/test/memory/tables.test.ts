import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, readDatabase } from '../../src/memory/database.ts'
import { savedSnapshot, savedSnapshots } from '../../src/memory/snapshot-store.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'
import { bean, fixture, green, red } from './first-schema.ts'

test('a memory of the first schema is one of this', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tables-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const old = new DatabaseSync(join(dir, 'memory.db'))
  old.exec(fixture)
  old.close()
  const database = readDatabase(dir)!
  onTestFinished(() => database.close())
  const store = new ObjectStore()
  const stamps = new Map<string, string>()
  database.load(store, stamps)
  expect([store.get(bean)?.content, stamps.get('a.org')]).toEqual(['Red.\n', '2:12'])
  expect(store.history.changes(bean)).toEqual([
    { by: 'owner', signal: null, outside: false, hash: green, at: 1000, file: 'a.org' },
    { by: 'agent', signal: 'e1', outside: true, hash: red, at: 3000, file: 'a.org' },
  ])
  const fresh = new ObjectStore()
  fresh.ingestFile('a.org', '* Bean\nRed.\n')
  expect([store.root(), checkStore(store)]).toEqual([fresh.root(), null])
  expect(savedSnapshots(database)).toEqual([{ name: 'spring', at: 2000, entry: null }])
  store.restore(savedSnapshot(database, 'spring')!)
  expect([store.get(bean)?.content, checkStore(store)]).toEqual(['Green.\n', null])
  expect(openDatabase(dir).close()).toBeUndefined()
})
