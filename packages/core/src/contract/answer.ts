import { type Clock, setAlarm } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import type {
  Provider,
  ProviderEvent,
  ProviderFailure,
  ProviderRequest,
  TokenUsage,
} from './provider.ts'

/** A proposal that a provider has made through its own interface; nothing in it is checked. */
export type Call = Extract<ProviderEvent, { type: 'action' | 'tool-call' }>

/** What one provider said. */
export interface Answer {
  provider: string
  text: string
  /** The provider only ever speaks, and no action is looked for in its text. */
  plainText: boolean
  /** It came from rules and not from a model. */
  rules: boolean
  /** In the order in which they were made; at most 32. */
  calls: Call[]
  /** What the provider says it has read and written; null when it does not say. */
  usage: TokenUsage | null
}

/** An answer, or why there is none. */
export type Asked = { ok: true; answer: Answer } | { ok: false; failure: ProviderFailure }

/** The longest text of an answer, in UTF-16 units; a message may be no longer either. */
const answerLengthMax = 200_000

const callsMax = 32
const failureLengthMax = 1_000

/** Hears the text of an answer while it comes. */
export interface Listener {
  hear(piece: string): void
  /** What was heard so far came to nothing; another answer follows. */
  restart(): void
  /** Whether the owner has seen any of it. */
  readonly shown: boolean
}

/** What an asking needs besides the request. */
export interface AskOptions {
  clock: Clock
  /** The owner's: it stops the asking altogether. */
  abort: AbortSignal
  /** How long the whole answer may take, in milliseconds. */
  timeoutMs: number
  listener?: Listener | undefined
}

/** Asks one provider. Never rejects; leaves no alarm and no listener behind. */
export async function askOne(
  provider: Provider,
  request: ProviderRequest,
  options: AskOptions,
): Promise<Asked> {
  const { abort, clock, timeoutMs } = options
  const late = new AbortController()
  const takeBack = setAlarm(clock, timeoutMs, () => late.abort())
  const stop = AbortSignal.any([abort, late.signal])
  try {
    return await collect(provider, request, stop, options.listener)
  } catch (error) {
    if (abort.aborted) return failed(`${provider.name} was stopped`, 'aborted')
    const seconds = Math.round(timeoutMs / 1_000)
    if (late.signal.aborted)
      return failed(`${provider.name} took longer than ${seconds} s`, 'timeout')
    return failed(`${provider.name} failed: ${messageOf(error)}`)
  } finally {
    takeBack()
  }
}

function failed(message: string, kind?: ProviderFailure['kind']): Asked {
  return { ok: false, failure: { message, kind } }
}

async function collect(
  provider: Provider,
  request: ProviderRequest,
  stop: AbortSignal,
  listener: Listener | undefined,
): Promise<Asked> {
  const { name, plainText = false, rules = false } = provider
  const answer: Answer = { provider: name, text: '', plainText, rules, calls: [], usage: null }
  for await (const event of untilStopped(provider.propose(request, stop), stop)) {
    if (event.type === 'failure') {
      const message = event.message.slice(0, failureLengthMax).toWellFormed()
      return { ok: false, failure: { ...event, message } }
    }
    if (event.type === 'usage') {
      const { type: _, ...usage } = event
      answer.usage = usage
    } else if (event.type === 'text') {
      answer.text += event.text
      if (answer.text.length > answerLengthMax) return failed(`${name} said too much`, 'too-long')
      listener?.hear(event.text)
    } else if (answer.calls.length < callsMax) answer.calls.push(event)
  }
  stop.throwIfAborted()
  const isEmpty = answer.text.trim() === '' && answer.calls.length === 0
  return isEmpty ? failed(`${name} said nothing`, 'empty') : { ok: true, answer }
}

const piecesPerBreath = 256

async function* untilStopped<T>(source: AsyncIterable<T>, stop: AbortSignal): AsyncGenerator<T> {
  stop.throwIfAborted()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  stopped.catch(() => {})
  const end = () => reject(new Error('it was stopped'))
  const events = source[Symbol.asyncIterator]()
  stop.addEventListener('abort', end)
  try {
    for (let count = 1; ; count++) {
      if (count % piecesPerBreath === 0) await new Promise((resolve) => setImmediate(resolve))
      const next = await Promise.race([events.next(), stopped])
      if (next.done) return
      yield next.value
    }
  } finally {
    stop.removeEventListener('abort', end)
    letGo(events)
  }
}

/** Asks the source to clean up, and waits for nothing. */
function letGo(events: AsyncIterator<unknown>): void {
  try {
    events.return?.().then(undefined, () => {})
  } catch {
    // A source that cannot even be ended has nothing more to tell.
  }
}
