import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { type EmbeddingBackend, EmbeddingFault, trigramVector } from '../../src/search/embedding.ts'
import type { EmbeddingsOptions } from '../../src/search/embedding-backlog.ts'
import { Embeddings } from '../../src/search/embeddings.ts'
import { openVectors } from '../../src/search/vector-store.ts'
import { handClock } from '../base/hand-clock.ts'

interface Scripted extends EmbeddingBackend {
  sent: string[][]
  models: string[]
  /** Thrown at the next requests, first come first served. */
  faults: unknown[]
  open: number
  openMax: number
}

function scripted(model = 'm', more: Partial<EmbeddingBackend> = {}): Scripted {
  return {
    name: 'local',
    model,
    isRemote: false,
    batchMax: 3,
    trust: 1,
    sent: [],
    models: [],
    faults: [],
    open: 0,
    openMax: 0,
    async embed(asked, texts) {
      this.openMax = Math.max(this.openMax, ++this.open)
      await Promise.resolve()
      this.open--
      const fault = this.faults.shift()
      if (fault !== undefined) throw fault
      if (texts.some((text) => text.includes('poison')))
        throw new EmbeddingFault('text', 'too long')
      this.sent.push([...texts])
      this.models.push(asked)
      return texts.map((text) => trigramVector(text))
    },
    ...more,
  }
}

const text = `* Pump\nIn the cupboard.\n* Bread\nRye and salt.\n* Diary :private:\nA secret.\n`

function setUp(backend: EmbeddingBackend, more: Partial<EmbeddingsOptions> = {}) {
  const store = new ObjectStore()
  store.ingestFile('a.org', text)
  const clock = handClock()
  const told: string[] = []
  const log = (_: string, message: string) => void told.push(message)
  const embeddings = new Embeddings({ store, backend, clock, log, ...more })
  onTestFinished(() => embeddings.stop())
  return { store, clock, told, embeddings }
}

function kept() {
  const directory = mkdtempSync(join(tmpdir(), 'embeddings-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return openVectors(directory)
}

const titlesOf = (store: ObjectStore, ids: readonly string[]) =>
  ids.map((id) => store.get(id)!.title)

test('batches, one after the other, and then the nearest', async () => {
  const backend = scripted()
  const { embeddings, store } = setUp(backend)
  store.ingestFile('b.org', '* One\n* Two\n')
  await Promise.all([embeddings.wake(), embeddings.wake()])
  expect(backend.sent.map((texts) => texts.length)).toEqual([3, 2])
  expect(backend.openMax).toBe(1)
  expect(embeddings.status()).toMatchObject({ vectors: 5, pending: 0, stale: 0, dimension: 256 })
  expect(titlesOf(store, await embeddings.similar('the cupbord'))[0]).toBe('Pump')
  expect(titlesOf(store, await embeddings.similar('secret diary'))).not.toContain('Diary')
  const owner = await embeddings.similar('secret diary', { privacy: 'owner' })
  expect(titlesOf(store, owner)[0]).toBe('Diary')
})

test('an edited note is embedded again, and answers until then', async () => {
  const backend = scripted()
  const { embeddings, store, clock, told } = setUp(backend)
  await embeddings.wake()
  store.ingestFile('a.org', text.replace('cupboard', 'cellar'))
  backend.faults.push(new EmbeddingFault('backend', 'it is away'))
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ pending: 1, stale: 1, problem: 'it is away' })
  expect(titlesOf(store, await embeddings.similar('cupboard'))[0]).toBe('Pump')
  clock.pass(999)
  expect(clock.pending()).toBe(1)
  clock.pass(1)
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ pending: 0, stale: 0, problem: null })
  expect(told).toHaveLength(1)
  const before = backend.sent.length
  store.ingestFile('a.org', text)
  await embeddings.wake()
  expect(backend.sent.slice(before).flat()).toEqual(['cupboard'].slice(1))
  expect(titlesOf(store, await embeddings.similar('the cupboard'))[0]).toBe('Pump')
})

test('a backend that is down is asked less and less, and then again', async () => {
  const backend = scripted()
  const { embeddings, clock, told } = setUp(backend)
  backend.faults.push(...Array.from({ length: 12 }, () => new Error('connection refused')))
  const rests: number[] = []
  for (let round = 0; round < 12; round++) {
    await embeddings.wake()
    let ms = 0
    for (; clock.pending() > 0; ms += 1_000) clock.pass(1_000)
    rests.push(ms / 1_000)
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  expect(told).toHaveLength(1)
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ pending: 0, problem: null })
  backend.faults.push(new EmbeddingFault('backend', 'slow down', 60_000))
})

test('a text that is not accepted is found and left out', async () => {
  const backend = scripted()
  const { embeddings, store } = setUp(backend)
  await embeddings.wake()
  store.ingestFile('b.org', '* A\n* poison\n* B\n* C\n')
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ pending: 0, refused: 1, vectors: 6 })
})

test('what is private is not sent away', async () => {
  const backend = scripted('m', { isRemote: true })
  const mask = (words: string) => words.replace('Rye', 'Grain')
  const { embeddings, store } = setUp(backend, { mask })
  await embeddings.wake()
  store.ingestFile('a.org', text.replace('* Bread', '* Bread :private:'))
  store.ingestFile('b.org', '* Shut :private:\n:PROPERTIES:\n:ID: shut-1\n:END:\n')
  store.ingestFile('c.org', '* Open\nSee [[id:shut-1][the secret diary]].\n')
  await embeddings.wake()
  const instead = store.query({ text: 'cupboard' }).map(({ id }) => id)
  const found = await embeddings.similar('my diary', { privacy: 'owner', instead })
  expect(titlesOf(store, found)).toEqual(['Pump', 'Open'])
  expect(titlesOf(store, await embeddings.similar('bread'))).not.toContain('Bread')
  const sent = backend.sent.flat().join('\n')
  expect(sent).not.toMatch(/secret|diary|Rye/i)
  expect(sent).toContain('Grain and salt')
})

test('another model takes over when it is complete', async () => {
  const place = kept()
  const old = scripted('old')
  await setUp(old, { kept: place }).embeddings.wake()
  const again = scripted('old')
  await setUp(again, { kept: place }).embeddings.wake()
  expect(again.sent).toEqual([])
  const fresh = scripted('new', { batchMax: 1 })
  const { embeddings, store } = setUp(fresh, { kept: place })
  fresh.faults.push(undefined, new Error('away'))
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ serving: 'old', vectors: 1 })
  fresh.models.length = 0
  expect(titlesOf(store, await embeddings.similar('cupboard'))[0]).toBe('Pump')
  expect(fresh.models).toEqual(['old'])
})
