import {
  messageOf,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type ProviderTier,
} from '@passepartout/core'
import {
  createRedactor,
  type Fault,
  oneLine,
  type Redactor,
  streamFault,
} from './provider-faults.ts'
import {
  callOptions,
  type LanguageModel,
  type ModelAbilities,
  type VendorRequest,
} from './provider-request.ts'
import { openWire, type Wire, type WireOptions } from './provider-wire.ts'

/** Where a model is, what it is called, and how long to wait for it. */
export interface ModelSettings extends ModelAbilities {
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
  /** The context window in tokens, for prompt and answer together; only Ollama has to be told. */
  contextTokens?: number | undefined
  /** Whether it may make several calls in one answer; the vendor's default without it. */
  parallelCalls?: boolean | undefined
}

/** The clocks of a model of which nothing else was said. */
export const defaultTimeouts = {
  timeoutMs: 120_000,
  firstTimeoutMs: 60_000,
  chunkTimeoutMs: 30_000,
}

type Part =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer P>
    ? P
    : never

/** How a vendor is spoken to. */
export interface Vendor extends WireOptions {
  /** Imports the vendor's package and makes a model that uses this `fetch` and no other. */
  connect(settings: ModelSettings, fetch: Wire['fetch']): Promise<LanguageModel>
  /** What the vendor has to be told besides with this request. */
  tell?(settings: ModelSettings, request: ProviderRequest): VendorRequest
  /** The context window of a model of which nothing was said, in tokens. */
  contextTokens?: number
}

const depthMax = 64
const unreadableMax = 2_000

function callEvent({ id, input, tool }: RawCall, redact: Redactor): ProviderEvent {
  const named = { type: 'tool-call', id, tool: redact(tool) } as const
  const wrong = (what: string): ProviderEvent => {
    const text = redact(input.replace(/\\u([\da-fA-F]{4})/g, (_, code) => letterOf(code)))
    const args = text.slice(0, unreadableMax).toWellFormed()
    const fault = `the arguments of ${oneLine(named.tool).slice(0, 60)} are ${what}`
    return { ...named, args, fault }
  }
  let given: unknown
  try {
    given = JSON.parse(input.trim() === '' ? '{}' : input)
  } catch (error) {
    return wrong(`not JSON: ${oneLine(redact(messageOf(error))).slice(0, 120)}`)
  }
  if (isDeeper(given, depthMax)) return wrong('nested too deep')
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return wrong('not an object')
  }
  return { ...named, args: JSON.parse(redact(JSON.stringify(given))) as unknown }
}

function letterOf(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16))
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
  const { name, pictures, tier, timeoutMs } = settings
  return {
    name,
    tier,
    timeoutMs,
    tokensMax: roomFor(settings, vendor),
    pictures,
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
  const options = callOptions(settings, request, vendor.tell?.(settings, request))
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
  yield* ending(request.mayCall === false ? { ...state, calls: [] } : state, wire)
}

function hasContent(part: Part): boolean {
  if ('delta' in part) return part.delta !== ''
  return part.type === 'tool-call'
}

interface RawCall {
  id: string
  tool: string
  input: string
}

interface Reading {
  redact: Redactor
  pieces: ReturnType<Redactor['pieces']>
  calls: RawCall[]
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
    state.calls.push({ id: part.toolCallId, tool: part.toolName, input: part.input })
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
  const reason = finish?.finishReason ?? { unified: 'interrupted', raw: undefined }
  const unsaid = pieces.end()
  if (wire.fault() === null && unsaid !== '') yield { type: 'text', text: unsaid }
  const fault = endFault(reason)
  if (fault !== null) wire.fail(fault)
  else if (!state.spoken && calls.length === 0) {
    wire.fail({ kind: 'empty', message: 'it answered nothing' })
  }
  if (wire.fault() === null) for (const call of calls) yield callEvent(call, redact)
  const usage = usageOf(finish)
  if (usage !== null) yield usage
}

function usageOf(finish: Reading['finish']): ProviderEvent | null {
  const { inputTokens, outputTokens } = finish?.usage ?? {}
  if (inputTokens?.total === undefined && outputTokens?.total === undefined) return null
  const { cacheRead, cacheWrite } = inputTokens ?? {}
  return {
    type: 'usage',
    inputTokens: tokens(inputTokens?.total),
    outputTokens: tokens(outputTokens?.total),
    ...(cacheRead === undefined ? {} : { cachedTokens: tokens(cacheRead) }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: tokens(cacheWrite) }),
  }
}

function tokens(count: number | undefined): number {
  return count !== undefined && count >= 0 && count < 1e9 ? Math.round(count) : 0
}

function endFault(reason: { unified: string; raw: string | undefined }): Fault | null {
  if (/context.?window/i.test(reason.raw ?? '')) {
    return { kind: 'overflow', message: 'its context window is full' }
  }
  if (/malformed/i.test(reason.raw ?? '')) {
    return { kind: 'empty', message: 'it made a call that it could not write down' }
  }
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
