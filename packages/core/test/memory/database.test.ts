import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type MemoryDatabase,
  memoryFault,
  openDatabase,
  readDatabase,
} from '../../src/memory/database.ts'
import { textOfVersion } from '../../src/memory/history.ts'
import { savedSnapshot, savedSnapshots, saveSnapshot } from '../../src/memory/snapshot-store.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'
import { readWitness } from '../../src/memory/witness.ts'

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
  ).toEqual(Array(5).fill(0o600))
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

function killedMemory(): string {
  const dir = stateDir()
  const left = join(stateDir(), 'left')
  const database = openDatabase(dir)
  const store = new ObjectStore()
  database.commit(store)
  for (const name of ['one', 'two', 'three', 'four']) {
    store.ingestFile('a.org', `${text}* ${name}\n`)
    database.commit(store)
    saveSnapshot(database, name, 1)
  }
  cpSync(dir, left, { recursive: true })
  rmSync(join(left, 'memory.lock'), { force: true })
  database.close()
  return left
}

const flip = (path: string, at: number) => {
  const bytes = readFileSync(path)
  bytes[at]! ^= 1
  writeFileSync(path, bytes)
}

const losses: [deed: string, saved: string[], (path: string) => void][] = [
  ['nothing', ['one', 'two', 'three', 'four'], () => {}],
  ['emptied', ['one', 'two', 'three', 'four'], (path) => truncateSync(path)],
  ['deleted', ['one', 'two', 'three', 'four'], (path) => rmSync(path)],
  ['a bit of the log', ['one', 'two', 'three', 'four'], (path) => flip(`${path}-wal`, 5_000)],
  ['the log emptied', [], (path) => truncateSync(`${path}-wal`)],
  ['the log deleted', [], (path) => rmSync(`${path}-wal`)],
  ['both deleted', [], (path) => ['', '-wal'].map((end) => rmSync(path + end))],
]

test.each(losses)('after a kill, %s', (deed, saved, act) => {
  const dir = killedMemory()
  act(join(dir, 'memory.db'))
  const isLoss = deed !== 'nothing'
  expect(memoryFault(dir) !== null).toBe(isLoss)
  const said: string[] = []
  const database = openDatabase(dir, (sentence) => said.push(sentence))
  expect(savedSnapshots(database).map(({ name }) => name)).toEqual(saved)
  database.close()
  expect(said).toHaveLength(isLoss ? 1 : 0)
  if (isLoss && saved.length === 0)
    expect(said[0]).toContain('the snapshots one, two, three, four could not')
  expect(readWitness(dir)?.lost === null).toBe(saved.length > 0)
  openDatabase(dir, (sentence) => said.push(sentence)).close()
  expect(said).toHaveLength(isLoss ? 1 : 0)
})

test.each([
  ['emptied', (path: string) => truncateSync(path)],
  ['deleted', (path: string) => rmSync(path)],
  ['cut off', (path: string) => truncateSync(path, 8_192)],
])('after a stop, %s', (_, act) => {
  const dir = stateDir()
  expect(readDatabase(dir)).toBeNull()
  const store = manyNotes()
  const first = openDatabase(dir)
  first.commit(store)
  saveSnapshot(first, 'kept', 1)
  first.close()
  act(join(dir, 'memory.db'))
  expect(memoryFault(dir)).not.toBeNull()
  const said: string[] = []
  openDatabase(dir, (sentence) => said.push(sentence)).close()
  expect(said.join()).toMatch(/the snapshot kept .*could not be read/)
})

test('a memory that is gone is told to whoever looks', () => {
  const dir = stateDir()
  const first = openDatabase(dir)
  first.commit(manyNotes())
  saveSnapshot(first, 'kept', 1)
  first.close()
  rmSync(join(dir, 'memory.db'))
  expect(() => readDatabase(dir)).toThrow(
    /is gone, and with it the last change and the snapshot kept/,
  )
})

test('rot inside a page', () => {
  const dir = stateDir()
  const store = new ObjectStore()
  const first = openDatabase(dir)
  store.ingestFile('a.org', '* Saturn\nThe lens is rings.\n')
  first.commit(store)
  saveSnapshot(first, 'then', 1)
  store.ingestFile('a.org', '* Saturn\nGone.\n')
  first.commit(store)
  first.close()
  const path = join(dir, 'memory.db')
  writeFileSync(path, readFileSync(path, 'latin1').replaceAll('lens is', 'lXns is'), 'latin1')
  expect(memoryFault(dir)).toContain('not what the name says')
  const said: string[] = []
  const second = openDatabase(dir, (sentence) => said.push(sentence))
  const again = loaded(second)
  const then = savedSnapshot(second, 'then')!
  expect(textOfVersion(again.history, then.files.get('a.org')!.hash)).toBeNull()
  second.connection.check()
  expect(said.join()).toMatch(/the snapshot then .*could not be read/)
  expect([memoryFault(dir), savedSnapshots(second)]).toEqual([null, []])
  second.close()
})

test('files that were read by other rules of privacy are read again', () => {
  const dir = stateDir()
  const note = '#+tags: [ closed : diary ]\n* Day :diary:\n'
  const seen = (privateTags: string[]) => {
    const database = openDatabase(dir)
    const store = new ObjectStore({ now: () => new Date(0) }, privateTags)
    const stamps = new Map<string, string>()
    database.load(store, stamps)
    const isKnown = stamps.get('a.org') === 'stamp'
    if (!isKnown) store.ingestFile('a.org', note)
    database.commit(store, new Map([['a.org', 'stamp']]))
    const isPrivate = store.query({ type: 'headline' })[0]?.private
    database.close()
    return [isKnown, isPrivate]
  }
  expect(seen(['private'])).toEqual([false, false])
  expect(seen(['private'])).toEqual([true, false])
  expect(seen(['private', 'closed'])).toEqual([false, true])
  expect(seen(['private', 'closed'])).toEqual([true, true])
})

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
