import type { Vendor } from './provider-stream.ts'

/** OpenAI's own models. */
export const openAi: Vendor = {
  contentType: /^text\/event-stream/i,
  async connect({ baseUrl, key, model }, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ baseURL: baseUrl, apiKey: key(), fetch }).responses(model)
  },
  options: () => ({ openai: { store: false } }),
}
