import {
  type Clock,
  EmbeddingFault,
  Embeddings,
  ObjectStore,
  retrieveHybrid,
} from '@passepartout/core'
import { embeddingBackend } from '@passepartout/models/embeddings'
import { expect, onTestFinished, test } from 'vitest'
import { handClock } from '../../packages/core/test/base/hand-clock.ts'
import { embeddingFaults, startEmbeddingServer } from '../servers/embedding-server.ts'

const key = 'sk-of-the-owner-12345'

async function setUp(protocol: 'local' | 'openai', clock: Clock) {
  const server = await startEmbeddingServer()
  onTestFinished(() => server.close())
  const store = new ObjectStore()
  store.ingestFile('a.org', '* Pump\nIn the cupboard.\n* Bread\nRye and salt.\n* Sea\nIt is wet.\n')
  const baseUrl = server.baseUrl(protocol)
  const prefixes = { note: 'note: ', question: 'query: ' }
  const settings = { protocol, model: 'm', baseUrl, key: () => key, batchMax: 2, prefixes }
  const backend = embeddingBackend({ ...settings, timeoutMs: 120_000 }, clock)
  const told: string[] = []
  const log = (_: string, message: string) => void told.push(message)
  const embeddings = new Embeddings({ store, backend, clock, log })
  onTestFinished(() => embeddings.stop())
  return { server, store, backend, embeddings, told }
}

test.each(['local', 'openai'] as const)(
  '%s: notes go out, questions find them',
  async (protocol) => {
    const { server, store, embeddings } = await setUp(protocol, handClock())
    await embeddings.wake()
    expect(server.requests.map(({ texts }) => texts.length)).toEqual([2, 1])
    expect(server.requests[0]).toMatchObject({
      protocol,
      model: 'm',
      authorization: `Bearer ${key}`,
    })
    expect(server.requests[0]!.texts[0]).toMatch(/^note: .*Pump/)
    expect(embeddings.status()).toMatchObject({ vectors: 3, pending: 0, dimension: 32 })
    const near = await embeddings.similar('rye with salt')
    expect(store.get(near[0]!)?.title).toBe('Bread')
    expect(server.requests.at(-1)!.texts).toEqual(['query: rye with salt'])
    const [hit] = await retrieveHybrid(store, embeddings, 'cupboard', { explain: true })
    expect(hit).toMatchObject({ object: { title: 'Pump' }, ranks: { words: 1, meaning: 1 } })
    expect(server.openMax()).toBe(1)
  },
)

test.each(['local', 'openai'] as const)('%s: one text is to blame', async (protocol) => {
  const { store, embeddings } = await setUp(protocol, handClock())
  await embeddings.wake()
  store.ingestFile('b.org', '* A\n* poison\n* B\n')
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ vectors: 5, pending: 0, refused: 1 })
})

const cases = embeddingFaults.flatMap((fault) =>
  (['local', 'openai'] as const).map((protocol) => [protocol, fault] as const),
)

test.each(cases)('%s: the server %s', async (protocol, fault) => {
  const clock = handClock()
  const { server, store, embeddings, told } = await setUp(protocol, clock)
  await embeddings.wake()
  store.ingestFile('b.org', '* One\n* Two\n')
  server.faults.push(fault)
  const asked = server.requests.length + 1
  const rest = embeddings.wake()
  if (fault.startsWith('hangs')) {
    while (server.requests.length < asked) await new Promise((resolve) => setImmediate(resolve))
    clock.pass(120_000)
  }
  await rest
  expect(embeddings.status().problem).not.toBeNull()
  expect(embeddings.status().problem + told.join()).not.toContain(key)
  expect(embeddings.status().pending).toBe(2)
  clock.pass(fault === 'is asked too often' ? 89_000 : 0)
  expect(clock.pending()).toBe(1)
  clock.pass(1_000)
  await embeddings.wake()
  expect(embeddings.status()).toMatchObject({ vectors: 5, pending: 0, problem: null })
})

test.each(cases)('%s: a question, and the server %s', async (protocol, fault) => {
  const clock = handClock()
  const { server, store, embeddings } = await setUp(protocol, clock)
  await embeddings.wake()
  server.faults.push(fault)
  const asked = server.requests.length + 1
  const answer = retrieveHybrid(store, embeddings, 'cupboard')
  while (server.requests.length < asked) await new Promise((resolve) => setImmediate(resolve))
  if (fault.startsWith('hangs')) clock.pass(2_000)
  expect((await answer)[0]?.object.title).toBe('Pump')
})

test('a backend that is stopped is stopped', async () => {
  const { backend } = await setUp('local', handClock())
  const answer = backend.embed('m', ['a'], AbortSignal.abort(), 'note')
  await expect(answer).rejects.toBeInstanceOf(EmbeddingFault)
})
