import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/memory/database.ts'
import { ObjectStore } from '../../src/memory/store.ts'

test('a file whose parts are missing counts as not read', () => {
  const dir = mkdtempSync(join(tmpdir(), 'rows-'))
  const database = openDatabase(dir)
  onTestFinished(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })
  const store = new ObjectStore()
  store.ingestFile('a.org', '* A\n')
  store.ingestFile('b.org', '* B\n')
  database.commit(
    store,
    new Map([
      ['a.org', '1'],
      ['b.org', '2'],
    ]),
  )
  database.connection.exec('DELETE FROM packs WHERE id = 1')
  const again = new ObjectStore()
  const stamps = new Map<string, string>()
  database.load(again, stamps)
  expect(again.query({ type: 'headline' }).map(({ title }) => title)).toEqual(['B'])
  expect([...stamps.keys()]).toEqual(['b.org'])
})
