import {
  defineSkill,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type Skill,
} from '@passepartout/core'
import { z } from 'zod'

const settingsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1),
  key: z.string().min(1).optional(),
  timeoutMs: z.int().positive().default(120_000),
  silenceMs: z.int().positive().default(30_000),
})

/** Where the model is, what it is called, and how long to wait for it (milliseconds). */
export interface OpenAiSettings {
  url: string
  model: string
  key?: string | undefined
  timeoutMs: number
  silenceMs: number
}

/** Reads the settings from the environment; null without an address. Throws when they are wrong. */
export function parseOpenAiSettings(
  env: Record<string, string | undefined>,
): OpenAiSettings | null {
  if (env.PASSEPARTOUT_PROVIDER_URL === undefined || env.PASSEPARTOUT_PROVIDER_URL === '')
    return null
  const parsed = settingsSchema.safeParse({
    url: env.PASSEPARTOUT_PROVIDER_URL,
    model: env.PASSEPARTOUT_PROVIDER_MODEL,
    key: env.PASSEPARTOUT_PROVIDER_KEY || undefined,
  })
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(
    (issue) => `PASSEPARTOUT_PROVIDER_${String(issue.path[0]).toUpperCase()}`,
  )
  throw new TypeError(
    `Expected an http address and a model; check ${[...new Set(wrong)].join(' and ')}`,
  )
}

type JsonSchema = Record<string, unknown>

function withExplanation(parameters: z.ZodObject): JsonSchema {
  const explanation = z.string().describe('why this is done, for the owner')
  const schema = z.toJSONSchema(parameters.extend({ explanation }), { io: 'input' })
  return schema as JsonSchema
}

function toolCallEvent(tool: string, input: unknown): ProviderEvent {
  const parsed = z.record(z.string(), z.unknown()).safeParse(input)
  if (!parsed.success)
    return { type: 'failure', message: `the arguments of ${tool} are not an object` }
  const { explanation, ...args } = parsed.data
  return {
    type: 'action',
    action: {
      type: 'request',
      target: 'tool',
      payload: { action: 'call', tool, args, explanation },
    },
  }
}

function promptOf(request: ProviderRequest): string {
  if (request.rejectionTrace === undefined) return request.prompt
  return `${request.prompt}\n\nYour last proposal was rejected:\n${request.rejectionTrace}\nPropose something else.`
}

async function* ask(
  settings: OpenAiSettings,
  request: ProviderRequest,
  abort: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const [{ streamText, jsonSchema }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  const { url, model, key } = settings
  const endpoint = createOpenAICompatible({
    name: 'endpoint',
    baseURL: url.replace(/\/+$/, ''),
    ...(key === undefined ? {} : { apiKey: key }),
  })
  const tools = Object.fromEntries(
    request.tools.map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: jsonSchema<never>(withExplanation(parameters)) },
    ]),
  )
  const { fullStream } = streamText({
    model: endpoint(model),
    system: request.system,
    prompt: promptOf(request),
    tools,
    maxRetries: 0,
    abortSignal: AbortSignal.any([abort, AbortSignal.timeout(settings.timeoutMs)]),
    timeout: { chunkMs: settings.silenceMs },
    onError: () => {},
  })
  for await (const part of fullStream) {
    if (part.type === 'text-delta') yield { type: 'text', text: part.text }
    if (part.type === 'tool-call') yield toolCallEvent(part.toolName, part.input)
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('it did not answer in time')
  }
}

/** Creates a provider for an OpenAI-compatible endpoint. It never throws; failures are events. */
export function createOpenAiProvider(settings: OpenAiSettings): Provider {
  return {
    name: `openai-compatible:${settings.model}`,
    async *propose(request, abort) {
      let answered = false
      try {
        for await (const event of ask(settings, request, abort)) {
          if (event.type !== 'text' || event.text.trim() !== '') answered = true
          yield event
        }
        if (!answered) yield failure(settings, 'it answered nothing')
      } catch (error) {
        yield failure(settings, error instanceof Error ? error.message : String(error))
      }
    },
  }
}

function failure({ url, key }: OpenAiSettings, reason: string): ProviderEvent {
  const safe = key === undefined ? reason : reason.replaceAll(key, '…')
  return { type: 'failure', message: `The model at ${new URL(url).host} failed: ${safe}` }
}

/** The skill that asks a model, when the settings name one. */
export function openAi(settings: OpenAiSettings | null): Skill {
  return defineSkill({
    name: 'provider-openai',
    description: 'Asks a model at an OpenAI-compatible endpoint.',
    priority: 100,
    providers: () => (settings === null ? [] : [createOpenAiProvider(settings)]),
  })
}
