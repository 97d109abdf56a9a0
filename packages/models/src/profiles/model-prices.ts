/** US dollars per million tokens read and written. */
export interface Price {
  in: number
  out: number
  /** Who says so. */
  from: 'configured' | 'list' | 'local' | 'table'
}

/** From the vendors' pages, in December 2025. */
const table: Record<string, Record<string, readonly [number, number]>> = {
  anthropic: {
    'claude-3-5-haiku': [0.8, 4],
    'claude-haiku-4-5': [1, 5],
    'claude-opus-4': [15, 75],
    'claude-opus-4-5': [5, 25],
    'claude-sonnet-4': [3, 15],
  },
  google: {
    'gemini-2.5-flash': [0.3, 2.5],
    'gemini-2.5-flash-lite': [0.1, 0.4],
    'gemini-2.5-pro': [1.25, 10],
  },
  openai: {
    'gpt-4.1': [2, 8],
    'gpt-4.1-mini': [0.4, 1.6],
    'gpt-4.1-nano': [0.1, 0.4],
    'gpt-4o': [2.5, 10],
    'gpt-4o-mini': [0.15, 0.6],
    'gpt-5': [1.25, 10],
    'gpt-5-mini': [0.25, 2],
    'gpt-5-nano': [0.05, 0.4],
    'o4-mini': [1.1, 4.4],
  },
}

/** What is known of a model. */
interface PricedModel {
  vendor: string
  model: string
  baseUrl: string
  /** What the owner says, in dollars per million tokens. */
  given?: { in: number; out: number } | null
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
  const [input, output] = known[name ?? ''] ?? []
  return input === undefined || output === undefined
    ? null
    : { in: input, out: output, from: 'table' }
}

function isDated(model: string, name: string): boolean {
  return (
    model.startsWith(name) &&
    /^(?:-\d)?(?:-(?:\d{8}|\d{4}-\d\d-\d\d|latest))?$/.test(model.slice(name.length))
  )
}

/** What so many tokens cost in dollars; null without a price. */
export function costOf(
  price: Price | null,
  inputTokens: number,
  outputTokens: number,
): number | null {
  return price === null ? null : (price.in * inputTokens + price.out * outputTokens) / 1_000_000
}
