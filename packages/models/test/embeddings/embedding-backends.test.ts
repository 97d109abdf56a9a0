import { expect, test } from 'vitest'
import {
  embeddingBackend,
  isThisMachine,
  prefixesOf,
} from '../../src/embeddings/embedding-backends.ts'

test.each([
  ['http://localhost:11434/api', true],
  ['http://127.0.0.1:11434/api', true],
  ['http://[::1]:1/v1', true],
  ['http://192.168.0.7:11434/api', false],
  ['http://127.0.0.1.example.org/api', false],
  ['https://localhost.example.org/v1', false],
  ['https://api.openai.com/v1', false],
])('%s: %s', (baseUrl, isHere) => {
  expect(isThisMachine(baseUrl)).toBe(isHere)
  const settings = {
    protocol: 'local' as const,
    model: 'm',
    baseUrl,
    key: () => '',
    batchMax: 1,
    timeoutMs: 1,
    prefixes: prefixesOf('m'),
  }
  expect(embeddingBackend(settings, { now: () => new Date() }).isRemote).toBe(!isHere)
})

test('models that want words before their texts get them', () => {
  expect(prefixesOf('nomic-embed-text:v1.5').question).toBe('search_query: ')
  expect(prefixesOf('intfloat/multilingual-e5-large').note).toBe('passage: ')
  expect(prefixesOf('text-embedding-3-small')).toEqual({ note: '', question: '' })
})
