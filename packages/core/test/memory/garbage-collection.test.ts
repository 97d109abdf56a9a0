import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/memory/database.ts'
import { compact, gc, gcDefaults } from '../../src/memory/garbage-collection.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'

const day = 86_400_000

test('the last changes stay, and the young ones', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gc-'))
  const database = openDatabase(dir)
  onTestFinished(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })
  let now = 0
  const store = new ObjectStore({ now: () => new Date(now) })
  for (; now < 200 * day; now += day) {
    store.ingestFile(
      'a.org',
      `* Same\n${'x'.repeat(5_000)}\n* Counter\n${now}${'y'.repeat(2_000)}\n`,
    )
    database.commit(store)
  }
  const { id } = store.query({ text: 'counter' })[0]!
  const size = () => statSync(join(dir, 'memory.db')).size
  compact(database)
  const before = size()
  expect([gc(database, now), gcDefaults]).toEqual([0, { changes: 50, days: 400 }])
  expect(gc(database, now, { changes: 50, days: 60 })).toBe(2 * 140)
  expect(store.history.changes(id)).toHaveLength(60)
  expect(gc(database, now, { changes: 50, days: 1 })).toBe(2 * 10)
  expect(store.history.changes(id)).toHaveLength(50)
  compact(database)
  expect(size()).toBeLessThan(before / 2)
  expect(checkStore(store)).toBeNull()
})
