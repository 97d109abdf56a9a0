import type { Vendor } from './provider-stream.ts'

/** Google's models. */
export const google: Vendor = {
  contentType: /^text\/event-stream/i,
  async connect({ baseUrl, key, model }, fetch) {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle({ baseURL: baseUrl, apiKey: key(), fetch })(model)
  },
}
