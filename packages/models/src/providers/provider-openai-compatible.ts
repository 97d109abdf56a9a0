import type { Vendor } from './provider-stream.ts'

/** Chat completions at any address. */
export const openAiCompatible: Vendor = {
  contentType: /^text\/(event-stream|plain)/i,
  async connect({ baseUrl, key, model }, fetch) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const apiKey = key() === '' ? {} : { apiKey: key() }
    const options = { name: 'endpoint', baseURL: baseUrl, includeUsage: true, fetch, ...apiKey }
    return createOpenAICompatible(options).chatModel(model)
  },
  tell: ({ parallelCalls }) =>
    parallelCalls === undefined
      ? {}
      : { providerOptions: { endpoint: { parallel_tool_calls: parallelCalls } } },
}
