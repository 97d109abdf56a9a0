import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRuntime,
  ingestMemex,
  openMemex,
  openVectors,
  trigramBackend,
} from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import { embeddingSection, openEmbeddings } from '../../src/embeddings/embedding-config.ts'

const secrets = { env: (name: string) => (name === 'A_KEY' ? 'k' : null), vault: () => null }
const clock = { now: () => new Date() }
const read = (...lines: string[]) => {
  const text = `* E\n:PROPERTIES:\n${lines.join('\n')}\n:END:\n`
  return readConfig(text, 'c.org', { embedding: embeddingSection(secrets, clock) })
}

test.each([
  [[':EMBEDDING: trigram'], { name: 'trigram', isRemote: false }],
  [[':EMBEDDING: local', ':MODEL: nomic-embed-text'], { name: 'local', isRemote: false }],
  [
    [':EMBEDDING: openai', ':MODEL: m', ':KEY_ENV: A_KEY', ':BATCH: 8'],
    { name: 'openai', model: 'm', isRemote: true, batchMax: 8 },
  ],
  [
    [':EMBEDDING: openai', ':MODEL: m', ':BASE_URL: http://127.0.0.1:8080/'],
    { name: 'openai', isRemote: false },
  ],
])('%j', (lines, expected) => {
  const { sections, problems } = read(...lines)
  expect(problems).toEqual([])
  expect(sections.embedding).toMatchObject([expected])
})

test.each([
  [[':EMBEDDING: hashing'], 3, 'expected one of local, openai, trigram'],
  [[':EMBEDDING: local'], 1, 'is missing'],
  [[':EMBEDDING: openai', ':MODEL: m'], 1, 'needs a key'],
  [[':EMBEDDING: local', ':MODEL: m', ':BASE_URL: ftp://x'], 5, 'expected an address'],
  [[':EMBEDDING: trigram', ':MODEL: m'], 4, 'means nothing'],
  [[':EMBEDDING: local', ':MODEL: m', ':BATCH: 0'], 5, 'whole number'],
])('%j is wrong in line %i', (lines, line, message) => {
  const { sections, problems } = read(...lines)
  expect(sections.embedding).toEqual([])
  expect(problems).toMatchObject([{ line, message: expect.stringContaining(message) }])
})

test('notes that are read get their vectors', async () => {
  const home = mkdtempSync(join(tmpdir(), 'embedding-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'memex')
  mkdirSync(memexDir)
  writeFileSync(join(memexDir, 'a.org'), '* Pump\n* Bread\n')
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(memexDir) })
  const end = openEmbeddings(runtime, trigramBackend, (text) => text)
  ingestMemex(runtime)
  await runtime.embeddings!.wake()
  expect(runtime.embeddings!.status()).toMatchObject({ vectors: 2, pending: 0 })
  end()
  expect(runtime.embeddings).toBeNull()
  const kept = openVectors(config.stateDir)
  expect(kept.models()).toMatchObject([{ model: 'trigram-256', count: 2 }])
  kept.close()
  expect(openEmbeddings(runtime, null, (text) => text)()).toBeUndefined()
})
