import type { z } from 'zod'
import type { Signal } from './signal.ts'

/** A tool as a model gets to know it. */
export interface ToolSpec {
  name: string
  description: string
  parameters: z.ZodObject
}

/** All that a provider is asked with. */
export interface ProviderRequest {
  system: string
  prompt: string
  tools: ToolSpec[]
  /** The objections to the last proposal, one per line; absent at the first try. */
  rejectionTrace?: string | undefined
  signal: Signal
}

/** How a provider failed; what is done about it depends on this alone. */
export type FailureKind =
  | 'timeout'
  | 'rate-limit'
  | 'auth'
  | 'refused'
  | 'server'
  | 'network'
  | 'protocol'
  | 'aborted'
  | 'too-long'

/** Why there is no answer. The message is a sentence for the owner, without a key in it. */
export interface ProviderFailure {
  message: string
  kind?: FailureKind | undefined
  /** The status of an HTTP answer. */
  status?: number | undefined
  /** How long the provider asked to be left alone, in milliseconds. */
  retryAfterMs?: number | undefined
}

/** A piece of an answer. `action` and the arguments of `tool-call` are unchecked. */
export type ProviderEvent =
  | { type: 'text'; text: string }
  | { type: 'tool-call'; tool: string; args: unknown }
  | { type: 'action'; action: unknown }
  | ({ type: 'failure' } & ProviderFailure)
  | { type: 'usage'; inputTokens: number; outputTokens: number }

/** How much thought a provider is meant for: a small model, a large one, or whatever comes. */
export type ProviderTier = 'cognition' | 'reasoning' | 'any'

/** A source of proposals. */
export interface Provider {
  name: string
  /** Which questions it is asked; `any` by default. */
  tier?: ProviderTier
  /** How long one answer may take, in milliseconds; the cascade has a default. */
  timeoutMs?: number
  /** Its text is words for the owner, in which no action is ever looked for; false by default. */
  plainText?: boolean
  propose(request: ProviderRequest, abort: AbortSignal): AsyncIterable<ProviderEvent>
}

/** What a cascade brought. */
export interface Answer {
  /** The provider that answered, or null when all failed. */
  provider: string | null
  text: string
  /** The provider only ever speaks; see `Provider`. */
  plainText: boolean
  /** The first action or tool call, unchecked, or null for plain text. */
  proposal: Extract<ProviderEvent, { type: 'action' | 'tool-call' }> | null
  /** Why each provider before it failed. */
  failures: string[]
}

/** The longest text of an answer, in UTF-16 units; a message may be no longer either. */
export const answerLengthMax = 200_000

/**
 * Asks the providers in order; the first that does not fail answers. Never throws.
 */
export async function ask(
  providers: readonly Provider[],
  request: ProviderRequest,
  abort: AbortSignal,
): Promise<Answer> {
  const failures: string[] = []
  for (const provider of providers) {
    const { name, plainText = false } = provider
    const answer: Answer = { provider: name, text: '', plainText, proposal: null, failures }
    const failure = await collect(provider, request, abort, answer)
    if (failure === null) return answer
    failures.push(failure)
    if (abort.aborted) break
  }
  return { provider: null, text: '', plainText: true, proposal: null, failures }
}

async function collect(
  provider: Provider,
  request: ProviderRequest,
  abort: AbortSignal,
  answer: Answer,
): Promise<string | null> {
  try {
    for await (const event of untilStopped(provider.propose(request, abort), abort)) {
      if (event.type === 'failure') return event.message
      if (event.type === 'text') {
        answer.text += event.text
        if (answer.text.length > answerLengthMax) return `${provider.name} said too much`
      } else if (event.type !== 'usage') answer.proposal ??= event
    }
    if (answer.text === '' && answer.proposal === null) return `${provider.name} said nothing`
    return null
  } catch (error) {
    return `${provider.name} failed: ${error instanceof Error ? error.message : String(error)}`
  }
}

async function* untilStopped<T>(source: AsyncIterable<T>, abort: AbortSignal): AsyncGenerator<T> {
  abort.throwIfAborted()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new Error('it was stopped'))
  const events = source[Symbol.asyncIterator]()
  abort.addEventListener('abort', stop)
  try {
    while (true) {
      const next = await Promise.race([events.next(), stopped])
      if (next.done) return
      yield next.value
    }
  } finally {
    abort.removeEventListener('abort', stop)
    Promise.resolve(events.return?.()).catch(() => {})
  }
}
