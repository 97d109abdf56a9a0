import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type MemoryDatabase, openDatabase } from '../../src/memory/database.ts'
import { exportMemory, importMemory } from '../../src/memory/export.ts'
import { savedSnapshot, saveSnapshot } from '../../src/memory/snapshot-store.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'

function opened(): MemoryDatabase {
  const dir = mkdtempSync(join(tmpdir(), 'export-'))
  const database = openDatabase(dir)
  onTestFinished(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })
  return database
}

test('what was exported is read back to the same hashes', () => {
  const database = opened()
  const store = new ObjectStore()
  store.ingestFile('a.org', '* A :x:\r\n#+end_src\r\n,* b\n* \u2028 "quoted" \\n')
  store.ingestFile('b.org', '#+begin_src json\n* Gone\n')
  database.commit(store)
  saveSnapshot(database, 'both', 1)
  store.removeFile('b.org')
  database.commit(store)
  const text = [...exportMemory(database)].join('')
  const copy = opened()
  importMemory(copy, text)
  expect([...exportMemory(copy)].join('')).toBe(text)
  importMemory(copy, text)
  const again = new ObjectStore()
  copy.load(again)
  expect([again.root(), checkStore(again)]).toEqual([store.root(), null])
  expect([...again.objects()]).toEqual([...store.objects()])
  expect([...exportMemory(copy)].join('')).toBe(text)
  again.restore(savedSnapshot(copy, 'both')!)
  expect(again.paths()).toEqual(['a.org', 'b.org'])
  const other = opened()
  expect(() => importMemory(other, text.replace('quoted', 'forged'))).toThrow(
    'not what its name says',
  )
  expect(() => importMemory(other, '* Notes\n')).toThrow('no versions')
  expect(() => importMemory(other, text.replace('"outside":0', '"outside":"no"'))).toThrow(
    'a record of changes: outside',
  )
  expect([...exportMemory(other)].join('')).not.toContain('forged')
})
