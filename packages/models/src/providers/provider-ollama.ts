import { z } from 'zod'
import { type Fault, streamFault } from './provider-faults.ts'
import type { Vendor } from './provider-stream.ts'

const callSchema = z.object({
  id: z.string().optional(),
  function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
})

const lineSchema = z.object({
  model: z.string().default(''),
  created_at: z.string().default('1970-01-01T00:00:00Z'),
  done: z.boolean().default(false),
  done_reason: z.string().optional(),
  message: z
    .object({
      role: z.string().default('assistant'),
      content: z.string().default(''),
      thinking: z.string().optional(),
      tool_calls: z.array(callSchema).optional(),
    })
    .prefault({}),
  eval_count: z.number().optional(),
  prompt_eval_count: z.number().optional(),
})

/** The line as the package can read it, or what is wrong with it. */
export function ollamaLine(line: string): string | Fault {
  let given: unknown
  try {
    given = JSON.parse(line)
  } catch {
    return { kind: 'protocol', message: 'it does not speak its protocol' }
  }
  if (typeof given === 'object' && given !== null && 'error' in given) {
    return streamFault(typeof given.error === 'string' ? { message: given.error } : given.error)
  }
  const parsed = lineSchema.safeParse(given)
  if (!parsed.success) return { kind: 'protocol', message: 'it does not speak its protocol' }
  const { done, done_reason = 'stop' } = parsed.data
  if (done && done_reason === 'length') {
    return { kind: 'too-long', message: 'its answer was cut off at its limit' }
  }
  return JSON.stringify(done ? { ...parsed.data, done_reason } : parsed.data)
}

const contextTokensDefault = 16_384

/** Models that Ollama runs. */
export const ollama: Vendor = {
  contextTokens: contextTokensDefault,
  contentType: /^(application\/(x-ndjson|ndjson|json)|text\/plain)/i,
  line: ollamaLine,
  async connect({ baseUrl, key, model }, fetch) {
    const { createOllama } = await import('ollama-ai-provider-v2')
    const headers = key() === '' ? {} : { headers: { authorization: `Bearer ${key()}` } }
    return createOllama({ baseURL: baseUrl, fetch, ...headers })(model)
  },
  tell: ({ contextTokens = contextTokensDefault, maxTokens }) => {
    const limit = maxTokens === undefined ? {} : { num_predict: maxTokens }
    return { providerOptions: { ollama: { options: { num_ctx: contextTokens, ...limit } } } }
  },
}
