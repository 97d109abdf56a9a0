import type { z } from 'zod'
import type { Message } from './message.ts'
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
  /** Oldest first; what was sent before is the beginning of it. */
  messages: readonly Message[]
  tools: readonly ToolSpec[]
  /** Whether a tool may be called; yes, when nothing is said. */
  mayCall?: boolean | undefined
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
  | 'empty'
  | 'aborted'
  | 'overflow'
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

/** What one answer has cost. */
export interface TokenUsage {
  /** All that was read, what came from the vendor's cache included. */
  inputTokens: number
  outputTokens: number
  /** How many of the tokens that were read came from the vendor's cache; absent when it does not say. */
  cachedTokens?: number | undefined
  /** How many of them were put into that cache, where the vendor has a price for it. */
  cacheWriteTokens?: number | undefined
  /** In US dollars; absent when nobody knows the price. */
  cost?: number | undefined
}

/** A piece of an answer. `action` and the arguments of `tool-call` are unchecked. */
export type ProviderEvent =
  | { type: 'text'; text: string }
  | {
      type: 'tool-call'
      /** The vendor's name for the call, where it has one. */
      id?: string | undefined
      tool: string
      args: unknown
      /** Why the arguments could not be read; `args` is then the text as it came. */
      fault?: string | undefined
    }
  | { type: 'action'; action: unknown }
  | ({ type: 'failure' } & ProviderFailure)
  | ({ type: 'usage' } & TokenUsage)

/** How much thought a provider is meant for: a small model, a large one, or whatever comes. */
export type ProviderTier = 'cognition' | 'reasoning' | 'any'

/** A source of proposals. */
export interface Provider {
  name: string
  /** Which questions it is asked; `any` by default. */
  tier?: ProviderTier
  /** How long one answer may take, in milliseconds; the cascade has a default. */
  timeoutMs?: number
  /** The most tokens that its prompt may cost; what the owner has set for all, when it does not say. */
  tokensMax?: number | undefined
  /** Its text is words for the owner, in which no action is ever looked for; false by default. */
  plainText?: boolean
  /** It is a set of rules: no model, no network, no cost. False by default. */
  rules?: boolean
  /** Whether it can look at the pictures of a message; false by default. */
  pictures?: boolean
  /** Whether a provider of rules is certain what these words ask, so that no model is needed. */
  understands?(words: string): boolean
  propose(request: ProviderRequest, abort: AbortSignal): AsyncIterable<ProviderEvent>
}

/** Counts tokens. `ready`, where given, is awaited before the first count of a prompt. */
export interface TokenCounter {
  count(text: string): number
  ready?(): Promise<void>
}

/** At least as many tokens as any tokenizer that works on bytes makes of the text. */
export function estimateTokens(text: string): number {
  return Buffer.byteLength(text)
}
