import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type MemoryDatabase, openDatabase } from '../../src/memory/database.ts'
import { gc } from '../../src/memory/garbage-collection.ts'
import {
  dropSnapshot,
  savedMoments,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
} from '../../src/memory/snapshot-store.ts'
import { checkStore, ObjectStore, type Snapshot } from '../../src/memory/store.ts'
import { handClock } from '../base/hand-clock.ts'

function opened(dir = mkdtempSync(join(tmpdir(), 'moments-'))): MemoryDatabase {
  const database = openDatabase(dir)
  onTestFinished(() => {
    database.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return database
}

const rootOf = (snapshot: Snapshot): string => {
  const store = new ObjectStore()
  store.restore(snapshot)
  return store.root()
}

test('the last twenty moments outlive the daemon', () => {
  const dir = mkdtempSync(join(tmpdir(), 'moments-'))
  const database = opened(dir)
  const store = new ObjectStore()
  store.ingestFile('same.org', '* Same\n')
  const roots: string[] = []
  for (let at = 0; at < 30; at++) {
    store.ingestFile(`${at % 3}.org`, `* Edit ${at}\n`)
    database.commit(store)
    roots.push(store.root())
    database.moment = { entry: `e${at}`, at }
  }
  database.close()
  const next = opened(dir)
  next.load(new ObjectStore())
  const moments = savedMoments(next)
  expect(moments.map(({ entry }) => entry)).toEqual(
    Array.from({ length: 20 }, (_, at) => `e${at + 9}`),
  )
  expect(moments.map(({ snapshot }) => rootOf(snapshot))).toEqual(roots.slice(9, 29))
})

const text = '* Garden\nBeans.\n** TODO Sow\n* Diary :private:\n'

test('a snapshot keeps its versions', () => {
  const database = opened()
  const store = new ObjectStore({ now: () => new Date(0) })
  store.ingestFile('a.org', text)
  database.commit(store)
  saveSnapshot(database, 'before', 1)
  const root = store.root()
  store.removeFile('a.org')
  store.ingestFile('b.org', '* Other\n')
  database.commit(store)
  const policy = { changes: 0, days: 1 }
  expect(gc(database, 86_400_001, policy)).toBe(0)
  store.restore(savedSnapshot(database, 'before')!)
  expect([store.root(), checkStore(store)]).toEqual([root, null])
  expect(savedSnapshots(database)).toEqual([{ name: 'before', at: 1, entry: null }])
  expect(() => saveSnapshot(database, '#1', 1)).toThrow(RangeError)
  expect([dropSnapshot(database, 'before'), dropSnapshot(database, 'before')]).toEqual([
    true,
    false,
  ])
  expect([gc(database, 86_400_001, policy), savedSnapshot(database, 'before')]).toEqual([4, null])
})

const step = fc.oneof(
  fc.record({ do: fc.constant('edit' as const), file: fc.nat(3), note: fc.nat(4) }),
  fc.record({ do: fc.constant('remove' as const), file: fc.nat(3) }),
  fc.record({ do: fc.constantFrom('save', 'drop', 'return'), name: fc.constantFrom('x', 'y') }),
  fc.record({ do: fc.constantFrom('moment', 'collect', 'restart') }),
)

test('a snapshot is what it was, whatever came after', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const dir = mkdtempSync(join(tmpdir(), 'moments-'))
      let database = openDatabase(dir)
      let store = new ObjectStore({ now: () => new Date(0) })
      database.load(store)
      const roots = new Map<string, string>()
      for (const given of steps) {
        if ('note' in given) store.ingestFile(`${given.file}.org`, `* A\n* ${given.note}\n`)
        else if ('file' in given) store.removeFile(`${given.file}.org`)
        database.commit(store)
        if (given.do === 'moment') database.moment = { entry: null, at: 0 }
        if (given.do === 'collect') gc(database, 86_400_001, { changes: 0, days: 1 })
        if ('name' in given && given.do === 'save') {
          saveSnapshot(database, given.name, 0)
          roots.set(given.name, store.root())
        }
        if ('name' in given && given.do === 'drop') {
          expect(dropSnapshot(database, given.name)).toBe(roots.delete(given.name))
        }
        const back = 'name' in given ? savedSnapshot(database, given.name) : null
        if (given.do === 'return' && back !== null) store.restore(back)
        database.commit(store)
        if (given.do === 'restart') {
          database.close()
          database = openDatabase(dir)
          store = new ObjectStore({ now: () => new Date(0) })
          database.load(store)
        }
        for (const [name, root] of roots) {
          expect(rootOf(savedSnapshot(database, name)!)).toBe(root)
        }
      }
      expect(checkStore(store)).toBeNull()
      database.close()
      rmSync(dir, { recursive: true })
    }),
    { numRuns: 30 },
  )
})

test('a clock that goes backwards mixes nothing up', () => {
  const clock = handClock()
  const store = new ObjectStore(clock)
  const database = opened()
  const texts = ['* One\n', '* One\nTwo.\n', '* One\nThree.\n']
  for (const [at, text] of texts.entries()) {
    store.ingestFile('a.org', text)
    database.commit(store)
    saveSnapshot(database, `s${at}`, clock.now().getTime())
    clock.turnBack(86_400_000)
  }
  const [note] = store.query({ type: 'headline' })
  const contents = store.history
    .changes(note!.id)
    .map(({ hash }) => store.history.version(hash!)?.content)
  expect(contents).toEqual(['', 'Two.\n', 'Three.\n'])
  const again = new ObjectStore(clock)
  database.load(again)
  expect(checkStore(again)).toBeNull()
  for (const at of texts.keys()) {
    again.restore(savedSnapshot(database, `s${at}`)!)
    expect(again.get(note!.id)?.content).toBe(contents[at])
  }
})
