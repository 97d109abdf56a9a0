import { type Clock, type EmbeddingBackend, EmbeddingFault, setAlarm } from '@passepartout/core'
import { z } from 'zod'
import { createRedactor, type Fault } from '../providers/provider-faults.ts'
import { openWire } from '../providers/provider-wire.ts'

/** What a backend is made of. */
interface EmbeddingSettings {
  /** `local` is Ollama; `openai` is everybody who speaks that protocol. */
  protocol: 'local' | 'openai'
  model: string
  /** Without a slash at the end; with `/api` or `/v1`. */
  baseUrl: string
  key: () => string
  batchMax: number
  timeoutMs: number
  /** Put before a note's text, and before a question. */
  prefixes: Prefixes
}

/** True when the address is one of this machine. */
export function isThisMachine(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** Words that a model wants before its texts; empty for most. */
interface Prefixes {
  note: string
  question: string
}

const families: readonly [RegExp, Prefixes][] = [
  [/nomic-embed-text/i, { note: 'search_document: ', question: 'search_query: ' }],
  [/(?:^|[/-])(?:multilingual-)?e5-/i, { note: 'passage: ', question: 'query: ' }],
  [
    /mxbai-embed|snowflake-arctic-embed(?!2)|bge-(?:small|base|large)-en/i,
    { note: '', question: 'Represent this sentence for searching relevant passages: ' },
  ],
]

/** The words that models of this name want. */
export function prefixesOf(model: string): Prefixes {
  return families.find(([name]) => name.test(model))?.[1] ?? { note: '', question: '' }
}

const numbers = z.array(z.number()).min(1).max(100_000)

interface Protocol {
  path: string
  body: (model: string, texts: readonly string[]) => unknown
  /** The vectors in the order of the texts. Throws for an answer of another form. */
  read: (answer: unknown) => number[][]
}

const ollamaAnswer = z.object({ embeddings: z.array(numbers) })
const openAiAnswer = z.object({
  data: z.array(z.object({ index: z.number().int().min(0), embedding: numbers })),
})

const protocols: Record<EmbeddingSettings['protocol'], Protocol> = {
  local: {
    path: '/embed',
    body: (model, input) => ({ model, input, truncate: true }),
    read: (answer) => ollamaAnswer.parse(answer).embeddings,
  },
  openai: {
    path: '/embeddings',
    body: (model, input) => ({ model, input, encoding_format: 'float' }),
    read: (answer) => {
      const { data } = openAiAnswer.parse(answer)
      const vectors: number[][] = []
      for (const { index, embedding } of data) if (index < data.length) vectors[index] = embedding
      return Array.from(vectors)
    },
  },
}

function faultOf(fault: Fault, redact: (text: string) => string): EmbeddingFault {
  const { kind, status = 0 } = fault
  const isText = [400, 413, 422].includes(status) || (kind === 'overflow' && status > 0)
  const message = redact(fault.message)
  return new EmbeddingFault(isText ? 'text' : 'backend', message, fault.retryAfterMs ?? null)
}

const protocolFault = () => new EmbeddingFault('backend', 'it does not speak its protocol')

/** A backend over HTTP. */
export function embeddingBackend(settings: EmbeddingSettings, clock: Clock): EmbeddingBackend {
  const { protocol, model, baseUrl, batchMax, prefixes } = settings
  return {
    name: protocol,
    model,
    isRemote: !isThisMachine(baseUrl),
    batchMax,
    trust: 1,
    async embed(asked, texts, signal, purpose) {
      const input = texts.map((text) => prefixes[purpose] + text)
      const answer = await ask(settings, asked, input, signal, clock)
      return vectorsIn(protocols[protocol], answer, texts.length)
    },
  }
}

async function ask(
  { protocol, baseUrl, key, timeoutMs }: EmbeddingSettings,
  model: string,
  texts: readonly string[],
  signal: AbortSignal,
  clock: Clock,
): Promise<string> {
  const wire = openWire({ contentType: /^(?:application\/json|text\/plain)/i })
  const redact = createRedactor([key()])
  const { path, body } = protocols[protocol]
  const late = () => wire.fail({ kind: 'timeout', message: 'it did not answer in time' })
  const stop = () => wire.fail({ kind: 'aborted', message: 'it was stopped' })
  const takeBack = setAlarm(clock, timeoutMs, late)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const authorization = key() === '' ? {} : { authorization: `Bearer ${key()}` }
    const response = await wire.fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(body(model, texts)),
    })
    const text = await response.text()
    if (wire.fault() !== null) throw wire.fault()
    return text
  } catch {
    const network: Fault = { kind: 'network', message: 'it could not be reached' }
    throw faultOf(wire.fault() ?? network, redact)
  } finally {
    takeBack()
    signal.removeEventListener('abort', stop)
    wire.close()
  }
}

function vectorsIn({ read }: Protocol, text: string, count: number): Float32Array[] {
  let lists: number[][]
  try {
    lists = read(JSON.parse(text))
  } catch {
    throw protocolFault()
  }
  const length = lists[0]?.length ?? 0
  if (lists.length !== count || lists.some((list) => list?.length !== length)) throw protocolFault()
  const vectors = lists.map((list) => Float32Array.from(list))
  if (!vectors.every((vector) => vector.every(Number.isFinite))) throw protocolFault()
  return vectors
}
