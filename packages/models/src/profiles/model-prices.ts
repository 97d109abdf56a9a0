import type { TokenUsage } from '@passepartout/core'

/** US dollars per million tokens read and written. */
export interface Price {
  in: number
  out: number
  /** What was read from the cache; as `in` when nobody knows. */
  cached?: number | undefined
  /** Who says so. */
  from: 'configured' | 'list' | 'local' | 'table'
}

/** Read, written, and read from the cache; from the vendors' pages, in December 2025. */
const table: Record<string, Record<string, readonly [number, number, number]>> = {
  anthropic: {
    'claude-3-5-haiku': [0.8, 4, 0.08],
    'claude-haiku-4-5': [1, 5, 0.1],
    'claude-opus-4': [15, 75, 1.5],
    'claude-opus-4-5': [5, 25, 0.5],
    'claude-sonnet-4': [3, 15, 0.3],
  },
  google: {
    'gemini-2.5-flash': [0.3, 2.5, 0.03],
    'gemini-2.5-flash-lite': [0.1, 0.4, 0.01],
    'gemini-2.5-pro': [1.25, 10, 0.125],
  },
  openai: {
    'gpt-4.1': [2, 8, 0.5],
    'gpt-4.1-mini': [0.4, 1.6, 0.1],
    'gpt-4.1-nano': [0.1, 0.4, 0.025],
    'gpt-4o': [2.5, 10, 1.25],
    'gpt-4o-mini': [0.15, 0.6, 0.075],
    'gpt-5': [1.25, 10, 0.125],
    'gpt-5-mini': [0.25, 2, 0.025],
    'gpt-5-nano': [0.05, 0.4, 0.005],
    'o4-mini': [1.1, 4.4, 0.275],
  },
}

/** What is known of a model. */
interface PricedModel {
  vendor: string
  model: string
  baseUrl: string
  /** What the owner says, in dollars per million tokens. */
  given?: Omit<Price, 'from'> | null
}

const localHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** The price of a model; null when nobody knows. */
export function priceOf({ baseUrl, given, model, vendor }: PricedModel): Price | null {
  if (given != null) return { ...given, from: 'configured' }
  const isHere = URL.canParse(baseUrl) && localHost.test(new URL(baseUrl).hostname)
  if (isHere) return { in: 0, out: 0, from: 'local' }
  const known = table[vendor] ?? {}
  const names = Object.keys(known).sort((a, b) => b.length - a.length)
  const name = names.find((each) => model === each || isDated(model, each))
  const found = known[name ?? '']
  if (found === undefined) return null
  const [input, output, cached] = found
  return { in: input, out: output, cached, from: 'table' }
}

function isDated(model: string, name: string): boolean {
  return (
    model.startsWith(name) &&
    /^(?:-\d)?(?:-(?:\d{8}|\d{4}-\d\d-\d\d|latest))?$/.test(model.slice(name.length))
  )
}

const cacheWriteFactor = 1.25

/** What so many tokens cost in dollars; null without a price. */
export function costOf(price: Price | null, usage: TokenUsage): number | null {
  if (price === null) return null
  const { cachedTokens = 0, cacheWriteTokens = 0, inputTokens, outputTokens } = usage
  const { cached = price.in } = price
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  const read = fresh + cacheWriteTokens * cacheWriteFactor
  return (price.in * read + cached * cachedTokens + price.out * outputTokens) / 1_000_000
}
