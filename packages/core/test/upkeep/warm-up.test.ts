import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Scopes } from '../../src/memory/scopes.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { Indexes } from '../../src/search/indexes.ts'
import { catchUpNotes } from '../../src/search/note-index.ts'
import { warmMemory } from '../../src/upkeep/warm-up.ts'

function setting() {
  const store = new ObjectStore()
  for (let at = 0; at < 40; at++)
    store.ingestFile(`${at}.org`, `* Note ${at}\n${'oats '.repeat(9_000)}`)
  const said: string[] = []
  const scopes = new Scopes(join(tmpdir(), 'no-scopes'), store)
  const log = (_: string, message: string) => said.push(message)
  const runtime = { store, scopes, indexes: new Indexes(store), log }
  return { store, said, runtime, warming: warmMemory(runtime) }
}

test('the indices are made between the turns of the loop', async () => {
  const { store, runtime, warming } = setting()
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  warming.wake()
  warming.wake()
  await warming.done()
  isOver = true
  const isReady = () => [catchUpNotes(store, 0), runtime.indexes.catchUp(0)]
  expect([turns > 2, ...isReady()]).toEqual([true, true, true])
  for (const path of ['1.org', '2.org', '3.org']) store.ingestFile(path, '* Other\n')
  expect(runtime.indexes.catchUp(-1)).toBe(false)
  warming.wake()
  await warming.done()
  expect(isReady()).toEqual([true, true])
})

test('it ends', async () => {
  const { said, runtime, warming } = setting()
  warming.wake()
  warming.close()
  await warming.done()
  expect(runtime.indexes.catchUp(-1)).toBe(false)
  runtime.indexes.catchUp = () => {
    throw new Error('no room')
  }
  warming.wake()
  await warming.done()
  expect(said).toEqual(['the memory was not made ready: no room'])
})
