import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type MemoryDatabase, openDatabase, readDatabase } from '../../src/memory/database.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'

const text = '* Garden\nBeans.\n** TODO Sow\n* Diary :private:\n'

function stateDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'database-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function opened(dir: string): MemoryDatabase {
  const database = openDatabase(dir)
  onTestFinished(() => database.close())
  return database
}

function loaded(database: MemoryDatabase, stamps?: Map<string, string>): ObjectStore {
  const store = new ObjectStore()
  database.load(store, stamps)
  return store
}

test('what was committed is there after a restart', () => {
  const dir = stateDir()
  const store = new ObjectStore()
  const first = openDatabase(dir)
  store.ingestFile('a.org', text)
  store.ingestFile('a.org', text.replace('Beans', 'Peas'))
  first.commit(store, new Map([['a.org', 'stamp']]))
  const objects = [...store.objects()]
  first.close()
  const stamps = new Map<string, string>()
  const second = opened(dir)
  const again = loaded(second, stamps)
  expect([...again.objects()]).toEqual(objects)
  expect([again.root(), stamps.get('a.org')]).toEqual([store.root(), 'stamp'])
  const garden = again.query({ text: 'Peas' })[0]!
  again.ingestFile('a.org', text.replace('Beans', 'Peas').replace('Garden', 'Yard'))
  second.commit(again)
  expect(again.get(garden.id)?.title).toBe('Yard')
  expect(again.history.changes(garden.id)).toHaveLength(3)
  expect(checkStore(again)).toBeNull()
})

test('where texts came from survives a restart', () => {
  const dir = stateDir()
  const letter = 'Please send the parcel to the old mill before Sunday.'
  const store = new ObjectStore()
  const first = openDatabase(dir)
  store.ingestFile('a.org', `* Letter\n${letter}\n`, { by: 'agent', signal: 't1', outside: true })
  first.commit(store)
  first.close()
  const again = loaded(opened(dir))
  again.ingestFile('b.org', `* Copy\nHe wrote: ${letter}\n* Mine\n`)
  const kept = again.query({ by: 'agent' }).map(({ authorship }) => authorship)
  expect(kept).toContainEqual({ by: 'agent', signal: 't1', outside: true })
  const marked = again.query({ outside: true, type: 'headline' })
  expect(marked.map(({ title }) => title)).toEqual(['Letter', 'Copy'])
})

test('the memory is closed to others', () => {
  const dir = stateDir()
  const mode = (name: string) => statSync(join(dir, name)).mode & 0o777
  const database = openDatabase(dir)
  expect(
    readdirSync(dir)
      .filter((name) => name.startsWith('memory.'))
      .map(mode),
  ).toEqual(Array(4).fill(0o600))
  database.close()
  chmodSync(join(dir, 'memory.db'), 0o644)
  openDatabase(dir).close()
  expect(mode('memory.db')).toBe(0o600)
})

test('one process writes', () => {
  const dir = stateDir()
  const store = new ObjectStore()
  store.ingestFile('a.org', text)
  opened(dir).commit(store)
  expect(() => openDatabase(dir)).toThrow(expect.objectContaining({ code: 'busy' }))
  const reader = readDatabase(dir)!
  onTestFinished(() => reader.close())
  expect(loaded(reader).root()).toBe(store.root())
})

function manyNotes(): ObjectStore {
  const store = new ObjectStore()
  for (let at = 0; at < 300; at++)
    store.ingestFile(`${at}.org`, `* Note ${at}\n${'x'.repeat(500)}\n`)
  return store
}

test('a damaged memory is put aside', () => {
  const dir = stateDir()
  writeFileSync(join(dir, 'memory.db'), 'rubbish, and enough of it to look like a file'.repeat(99))
  const first = openDatabase(dir)
  expect(loaded(first).root()).toBe(new ObjectStore().root())
  const store = manyNotes()
  const root = store.root()
  first.commit(store)
  first.close()
  truncateSync(join(dir, 'memory.db'), 40_960)
  const said: string[] = []
  const second = openDatabase(dir, (message) => said.push(message))
  second.commit(manyNotes())
  const again = loaded(second)
  expect([again.root(), checkStore(again)]).toEqual([root, null])
  expect(said[0]).toContain('versions of notes were saved')
  expect(readdirSync(dir).filter((name) => /damaged-\d+$/.test(name))).toHaveLength(2)
  second.connection.exec('PRAGMA user_version = 99')
  second.close()
  expect(() => openDatabase(dir)).toThrow(expect.objectContaining({ code: 'newer' }))
})
