import type { Vendor } from './provider-stream.ts'

/** Anthropic's models. */
export const anthropic: Vendor = {
  contentType: /^text\/event-stream/i,
  async connect({ baseUrl, key, model }, fetch) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL: baseUrl, apiKey: key(), fetch })(model)
  },
  tell: ({ effort, parallelCalls }) => {
    const anthropic = {
      ...(effort === undefined ? {} : { effort }),
      ...(parallelCalls === false ? { disableParallelToolUse: true } : {}),
    }
    const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    return { mark, providerOptions: { anthropic } }
  },
}
