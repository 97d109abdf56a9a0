import { createHash } from 'node:crypto'
import type { Vendor } from './provider-stream.ts'

/** OpenAI's own models. */
export const openAi: Vendor = {
  contentType: /^text\/event-stream/i,
  async connect({ baseUrl, key, model }, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ baseURL: baseUrl, apiKey: key(), fetch }).responses(model)
  },
  tell: ({ parallelCalls }, { signal }) => {
    const { sessionId } = signal.meta
    const key = sessionId === undefined ? {} : { promptCacheKey: digestOf(sessionId) }
    const parallel = parallelCalls === undefined ? {} : { parallelToolCalls: parallelCalls }
    return { providerOptions: { openai: { store: false, ...key, ...parallel } } }
  },
}

function digestOf(session: string): string {
  return createHash('sha256').update(`passepartout ${session}`).digest('hex').slice(0, 32)
}
