import {
  type Clock,
  type ConfigEntry,
  type ConfigSection,
  defineSection,
  duration,
  type EmbeddingBackend,
  Embeddings,
  type KeptVectors,
  keyOf,
  messageOf,
  oneOf,
  openVectors,
  type Runtime,
  readAddress,
  type Secrets,
  trigramBackend,
  warnOfClearText,
  whole,
  words,
} from '@passepartout/core'
import { z } from 'zod'
import { embeddingBackend, prefixesOf } from './embedding-backends.ts'

const schema = z.object({
  EMBEDDING: oneOf('local', 'openai', 'trigram'),
  MODEL: words("the model's name").optional(),
  BASE_URL: words('an address that begins with https:// or http://').optional(),
  KEY_ENV: words('the name of an environment variable').optional(),
  KEY_VAULT: words('the name of a secret in the vault').optional(),
  BATCH: whole(1, 512).default(32),
  TIMEOUT: duration(600_000).default(120_000),
  NOTE_PREFIX: words('words to put before a note').optional(),
  QUESTION_PREFIX: words('words to put before a question').optional(),
})
type Values = z.output<typeof schema>

const addresses = { local: 'http://127.0.0.1:11434/api', openai: 'https://api.openai.com/v1' }

/** The section of the embeddings, for one reading of the file. */
export function embeddingSection(secrets: Secrets, clock: Clock): ConfigSection<EmbeddingBackend> {
  let isThere = false
  const read = (values: Values, entry: ConfigEntry): EmbeddingBackend | null => {
    if (isThere) entry.report('error', 'EMBEDDING', ':EMBEDDING: is there twice; keep one')
    isThere = true
    const { EMBEDDING: protocol } = values
    if (protocol !== 'trigram') return overHttp(values, protocol, entry, secrets, clock)
    for (const name of ['MODEL', 'BASE_URL', 'KEY_ENV', 'KEY_VAULT'] as const) {
      if (values[name] === undefined) continue
      entry.report('error', name, `:${name}: means nothing for trigram, which asks nobody`)
    }
    return trigramBackend
  }
  return defineSection({ marker: 'EMBEDDING', properties: schema, read })
}

function overHttp(
  values: Values,
  protocol: 'local' | 'openai',
  entry: ConfigEntry,
  secrets: Secrets,
  clock: Clock,
): EmbeddingBackend | null {
  const { MODEL: model, BASE_URL, NOTE_PREFIX, QUESTION_PREFIX, BATCH, TIMEOUT } = values
  if (model === undefined) {
    entry.report('error', 'MODEL', ":MODEL: is missing; expected the model's name")
  }
  const address = readAddress(BASE_URL ?? addresses[protocol])
  if (address === null) {
    const expected = 'expected an address that begins with https:// or http://, without ? and #'
    entry.report('error', 'BASE_URL', `:BASE_URL: ${expected}`)
  }
  const key = keyOf(values, protocol === 'openai' && BASE_URL === undefined, secrets, entry)
  if (model === undefined || address === null || key === null) return null
  const isBare = new URL(address).pathname === '/'
  const baseUrl = isBare ? `${address}${protocol === 'local' ? '/api' : '/v1'}` : address
  warnOfClearText(baseUrl, key, entry)
  const usual = prefixesOf(model)
  const prefixes = {
    note: NOTE_PREFIX === undefined ? usual.note : `${NOTE_PREFIX} `,
    question: QUESTION_PREFIX === undefined ? usual.question : `${QUESTION_PREFIX} `,
  }
  const settings = { protocol, model, baseUrl, key: () => key, prefixes }
  return embeddingBackend({ ...settings, batchMax: BATCH, timeoutMs: TIMEOUT }, clock)
}

/** Gives the runtime its embeddings; what is sent away goes through the mask. Returns what ends it. */
export function openEmbeddings(
  runtime: Runtime,
  backend: EmbeddingBackend | null,
  mask: (text: string) => string,
): () => void {
  if (backend === null) return () => {}
  const { clock, config, log, store } = runtime
  let kept: KeptVectors | null = null
  try {
    kept = openVectors(config.stateDir, (sentence) => log('warn', sentence))
  } catch (error) {
    log('warn', `the vectors are not kept: ${messageOf(error)}`)
  }
  const embeddings = new Embeddings({ store, backend, clock, kept, log, mask })
  runtime.embeddings = embeddings
  return () => {
    embeddings.stop()
    runtime.embeddings = null
    kept?.close()
  }
}
