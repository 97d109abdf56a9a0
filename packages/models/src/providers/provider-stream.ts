import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import type { Provider, ProviderEvent, ProviderRequest, ProviderTier } from '@passepartout/core'
import { z } from 'zod'
import {
  createRedactor,
  type Fault,
  oneLine,
  type Redactor,
  streamFault,
} from './provider-faults.ts'
import { openWire, type Wire, type WireOptions } from './provider-wire.ts'

/** Where a model is, what it is called, and how long to wait for it. */
export interface ModelSettings {
  /** For the owner and the log; unique. */
  name: string
  model: string
  /** Without a slash at the end. */
  baseUrl: string
  /** Gives an empty key for a server that wants none. */
  key: () => string
  tier: ProviderTier
  /** Milliseconds for the whole answer. */
  timeoutMs: number
  /** Milliseconds until the first piece of content. */
  firstTimeoutMs: number
  /** Milliseconds between two pieces of content. */
  chunkTimeoutMs: number
  /** The most tokens of an answer; the vendor's default without it. */
  maxTokens?: number | undefined
  /** The context window in tokens, for prompt and answer together; only Ollama has to be told. */
  contextTokens?: number | undefined
}

/** The clocks of a model of which nothing else was said. */
export const defaultTimeouts = {
  timeoutMs: 120_000,
  firstTimeoutMs: 60_000,
  chunkTimeoutMs: 30_000,
}

/** A model as the SDK has it. */
export type LanguageModel = ReturnType<OpenAICompatibleProvider['chatModel']>

type CallOptions = Parameters<LanguageModel['doStream']>[0]
type Part =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer P>
    ? P
    : never

/** How a vendor is spoken to. */
export interface Vendor extends WireOptions {
  /** Imports the vendor's package and makes a model that uses this `fetch` and no other. */
  connect(settings: ModelSettings, fetch: Wire['fetch']): Promise<LanguageModel>
  /** What the vendor has to be told with each request. */
  options?(settings: ModelSettings): CallOptions['providerOptions']
  /** The context window of a model of which nothing was said, in tokens. */
  contextTokens?: number
}

function promptOf(request: ProviderRequest): string {
  if (request.rejectionTrace === undefined) return request.prompt
  return `${request.prompt}\n\nYour last proposal was rejected:\n${request.rejectionTrace}\nPropose something else.`
}

/** The request as the SDK takes it. */
export function callOptions(
  settings: ModelSettings,
  request: ProviderRequest,
  providerOptions: CallOptions['providerOptions'],
): CallOptions {
  const { system, tools } = request
  const explanation = z.string().describe('why this is done, for the owner')
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
      { role: 'user', content: [{ type: 'text', text: promptOf(request) }] },
    ],
    tools: tools.map(({ name, description, parameters }) => {
      const full = parameters.extend({ explanation })
      const schema = z.toJSONSchema(full, { io: 'input', unrepresentable: 'any' })
      return { type: 'function', name, description, inputSchema: schema as object }
    }),
    ...(tools.length === 0 ? {} : { toolChoice: { type: 'auto' } }),
    ...(settings.maxTokens === undefined ? {} : { maxOutputTokens: settings.maxTokens }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

const depthMax = 64

function actionOf(tool: string, input: string, redact: Redactor): ProviderEvent | Fault {
  const wrong = (what: string): Fault => ({
    kind: 'protocol',
    message: `the arguments of ${oneLine(redact(tool)).slice(0, 60)} are ${what}`,
  })
  let given: unknown
  try {
    given = JSON.parse(input.trim() === '' ? '{}' : input)
  } catch {
    return wrong('not JSON')
  }
  if (isDeeper(given, depthMax)) return wrong('nested too deep')
  const parsed = z.record(z.string(), z.unknown()).safeParse(given)
  if (!parsed.success) return wrong('not an object')
  const safe = JSON.parse(redact(JSON.stringify(parsed.data))) as Record<string, unknown>
  const { explanation, ...args } = safe
  const payload = { action: 'call', tool: redact(tool), args, explanation }
  return { type: 'action', action: { type: 'request', target: 'tool', payload } }
}

function isDeeper(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((part) =>
      typeof part === 'object' && part !== null ? Object.values(part) : [],
    )
  }
  return false
}

interface Clocks {
  /** Content has come, or is waited for again. */
  wind(): void
  rest(): void
  stop(): void
}

function startClocks(settings: ModelSettings, fail: Wire['fail']): Clocks {
  const after = (milliseconds: number, what: string) =>
    setTimeout(() => {
      fail({ kind: 'timeout', message: `it ${what} for ${seconds(milliseconds)}` })
    }, milliseconds)
  const { firstTimeoutMs, chunkTimeoutMs, timeoutMs } = settings
  const whole = after(timeoutMs, 'did not finish')
  let silence = after(firstTimeoutMs, 'said nothing')
  const rest = () => clearTimeout(silence)
  const wind = () => {
    rest()
    silence = after(chunkTimeoutMs, 'said nothing more')
  }
  const stop = () => {
    rest()
    clearTimeout(whole)
  }
  return { wind, rest, stop }
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1_000} s`
}

/** What the window of the model leaves for a prompt: what it keeps for the answer, or a quarter, is not in it. */
function roomFor(settings: ModelSettings, vendor: Vendor): number | undefined {
  const window = settings.contextTokens ?? vendor.contextTokens
  if (window === undefined) return undefined
  return window - Math.min(settings.maxTokens ?? Number.POSITIVE_INFINITY, Math.floor(window / 4))
}

/** A provider for this model. It never throws; it ends with a failure, or with an answer. */
export function modelProvider(settings: ModelSettings, vendor: Vendor): Provider {
  const redact = createRedactor([settings.key()])
  const { name, tier, timeoutMs } = settings
  return {
    name,
    tier,
    timeoutMs,
    tokensMax: roomFor(settings, vendor),
    async *propose(request, abort) {
      const wire = openWire(vendor)
      const clocks = startClocks(settings, wire.fail)
      const stop = () => wire.fail({ kind: 'aborted', message: 'it was stopped' })
      if (abort.aborted) stop()
      abort.addEventListener('abort', stop)
      try {
        yield* answer(settings, vendor, request, { wire, clocks, redact })
      } catch (error) {
        wire.fail(streamFault(error))
      } finally {
        abort.removeEventListener('abort', stop)
        clocks.stop()
        wire.close()
      }
      const fault = wire.fault()
      if (fault !== null) yield failure(settings, fault, redact)
    },
  }
}

function failure(settings: ModelSettings, fault: Fault, redact: Redactor): ProviderEvent {
  const { host } = new URL(settings.baseUrl)
  const reason = oneLine(redact(fault.message))
  return { type: 'failure', ...fault, message: `The model at ${host} failed: ${reason}` }
}

interface Call {
  wire: Wire
  clocks: Clocks
  redact: Redactor
}

async function* answer(
  settings: ModelSettings,
  vendor: Vendor,
  request: ProviderRequest,
  call: Call,
): AsyncGenerator<ProviderEvent> {
  const { wire, clocks, redact } = call
  if (wire.fault() !== null) return
  const model = await vendor.connect(settings, wire.fetch)
  const options = callOptions(settings, request, vendor.options?.(settings))
  const { stream } = await model.doStream(options)
  const reader = stream.getReader()
  const state = startReading(redact)
  try {
    while (wire.fault() === null) {
      const { done, value } = await reader.read()
      if (done || wire.fault() !== null) break
      if (hasContent(value)) clocks.wind()
      const text = take(state, value, wire.fail)
      if (text === '') continue
      clocks.rest()
      yield { type: 'text', text }
      clocks.wind()
    }
  } finally {
    reader.cancel().catch(() => {})
  }
  clocks.stop()
  yield* ending(state, wire)
}

function hasContent(part: Part): boolean {
  if ('delta' in part) return part.delta !== ''
  return part.type === 'tool-call'
}

interface Reading {
  redact: Redactor
  pieces: ReturnType<Redactor['pieces']>
  calls: { tool: string; input: string }[]
  length: number
  spoken: boolean
  finish: Extract<Part, { type: 'finish' }> | null
}

function startReading(redact: Redactor): Reading {
  const pieces = redact.pieces()
  return { redact, pieces, calls: [], length: 0, spoken: false, finish: null }
}

const answerLengthMax = 200_000
const callsMax = 32

function take(state: Reading, part: Part, fail: Wire['fail']): string {
  if (part.type === 'error') fail(streamFault(part.error))
  if (part.type === 'finish') state.finish = part
  if (part.type === 'tool-call') {
    state.calls.push({ tool: part.toolName, input: part.input })
    const isTooMuch = state.calls.length > callsMax || part.input.length > answerLengthMax
    if (isTooMuch) fail({ kind: 'too-long', message: 'it wanted too much at once' })
  }
  if (part.type !== 'text-delta' && part.type !== 'tool-input-delta') return ''
  state.length += part.delta.length
  if (state.length > answerLengthMax) fail({ kind: 'too-long', message: 'it said too much' })
  if (part.type !== 'text-delta' || state.length > answerLengthMax) return ''
  if (part.delta.trim() !== '') state.spoken = true
  return state.pieces.push(part.delta)
}

function* ending(state: Reading, wire: Wire): Generator<ProviderEvent> {
  const { finish, calls, pieces, redact } = state
  const { inputTokens, outputTokens } = finish?.usage ?? {}
  const counts = [inputTokens?.total, outputTokens?.total]
  const reason = finish?.finishReason ?? { unified: 'interrupted', raw: undefined }
  const unsaid = pieces.end()
  if (wire.fault() === null && unsaid !== '') yield { type: 'text', text: unsaid }
  const actions = calls.map(({ tool, input: args }) => actionOf(tool, args, redact))
  const wrong = actions.find((action) => 'kind' in action)
  const fault = endFault(reason) ?? (wrong as Fault | undefined) ?? null
  if (fault !== null) wire.fail(fault)
  else if (!state.spoken && calls.length === 0) {
    wire.fail({ kind: 'protocol', message: 'it answered nothing' })
  }
  if (wire.fault() === null) yield* actions as ProviderEvent[]
  if (counts.some((count) => count !== undefined)) {
    const [input = 0, output = 0] = counts.map(tokens)
    yield { type: 'usage', inputTokens: input, outputTokens: output }
  }
}

function tokens(count: number | undefined): number {
  return count !== undefined && count >= 0 && count < 1e9 ? Math.round(count) : 0
}

function endFault(reason: { unified: string; raw: string | undefined }): Fault | null {
  if (reason.unified === 'length') {
    return { kind: 'too-long', message: 'its answer was cut off at its limit' }
  }
  if (reason.unified === 'content-filter') {
    return { kind: 'refused', message: 'it refused to answer' }
  }
  const open = reason.unified === 'other' && reason.raw === undefined
  const broken = reason.unified === 'interrupted' || reason.unified === 'error' || open
  return broken ? { kind: 'protocol', message: 'its answer broke off' } : null
}
