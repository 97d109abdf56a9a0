import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/memory/database.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'

test('around a hole everything is saved', () => {
  const dir = mkdtempSync(join(tmpdir(), 'salvage-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'memory.db')
  const database = openDatabase(dir)
  const store = new ObjectStore()
  const ingest = (into: ObjectStore, word: string) => {
    for (let at = 0; at < 300; at++) {
      into.ingestFile(`${at}.org`, `* ${word} ${at}\n${'x'.repeat(1_500)}\n`)
    }
  }
  ingest(store, 'Title')
  database.commit(store)
  ingest(store, 'Other title')
  database.commit(store)
  const ids = [...store.objects()].map(({ id }) => id)
  database.connection.exec(
    "CREATE TRIGGER killed BEFORE INSERT ON state BEGIN SELECT RAISE(FAIL, 'killed'); END",
  )
  database.close()
  const file = openSync(path, 'r+')
  const pages = Math.floor(statSync(path).size / 4_096)
  writeSync(file, Buffer.alloc(30 * 4_096, 7), 0, 30 * 4_096, Math.floor(pages * 0.75) * 4_096)
  closeSync(file)
  const said: string[] = []
  const marked = () => {
    const again = openDatabase(dir, (message) => said.push(message))
    onTestFinished(() => again.close())
    return again
  }
  const second = marked()
  const after = new ObjectStore()
  second.load(after)
  ingest(after, 'Other title')
  second.commit(after)
  expect([after.root(), checkStore(after)]).toEqual([store.root(), null])
  const kept = [...after.objects()].filter(({ id }) => ids.includes(id))
  const saved = Number(/(\d+) versions/.exec(said.join())?.[1] ?? 0)
  expect([kept.length > 400, saved > 900, saved < 1_200]).toEqual([true, true, true])
})
