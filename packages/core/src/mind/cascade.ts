import { type Clock, setAlarm } from '../base/clock.ts'
import type { Log } from '../base/log-file.ts'
import { type Answer, type Asked, askOne, type Listener } from '../contract/answer.ts'
import type {
  FailureKind,
  Provider,
  ProviderFailure,
  ProviderRequest,
} from '../contract/provider.ts'
import { type Breakers, outcomeOf } from './breaker.ts'

/** What the cascade uses of a runtime. */
export interface CascadeContext {
  clock: Clock
  log: Log
  breakers: Breakers
  /** For providers that name no limit of their own, in milliseconds. */
  timeoutMs: number
  /** No provider gets longer than this, whatever it names and however often it is asked. */
  deadlineMs?: number | undefined
  /** How long may be waited for one provider between its tries, in milliseconds; 30 seconds. */
  patienceMs?: number | undefined
  /** From 0 to 1, for the jitter; `Math.random` by default. */
  random?: (() => number) | undefined
}

/** One provider's part in it. */
export interface Attempt {
  provider: string
  /** `skipped` for one that was left alone, `failed` for a failure of no known kind. */
  outcome: 'answered' | 'skipped' | 'failed' | FailureKind
  ms: number
  /** Why, in words; absent for an answer. */
  reason?: string | undefined
}

/** What a cascade brought. */
interface Cascaded {
  /** Null when nobody answered. */
  answer: Answer | null
  attempts: Attempt[]
  /** What to tell the owner about those who failed. */
  failures: string[]
  /** The one that failed after some of its answer had been shown; nobody was asked after it. */
  brokenOff: ProviderFailure | null
  /** The request did not fit into the window of a model; nobody was asked after it. */
  overflow: ProviderFailure | null
  /** There were models, and every one of them failed or was left alone. */
  exhausted: boolean
}

/** How long an answer may take when its provider does not say: two minutes. */
export const answerTimeoutMs = 120_000

/** What is said, in the log and to the client, when every model has failed. */
export const exhaustedMessage = 'Neural Cascade Failure: All providers exhausted.'

/** Asks the providers in order; the first that does not fail answers. Never rejects. */
export async function ask(
  context: CascadeContext,
  providers: readonly Provider[],
  request: ProviderRequest,
  abort: AbortSignal,
  { listener, prior = [] }: { listener?: Listener | undefined; prior?: readonly Attempt[] } = {},
): Promise<Cascaded> {
  const attempts = [...prior]
  const result: Cascaded = {
    answer: null,
    attempts,
    failures: [],
    brokenOff: null,
    overflow: null,
    exhausted: false,
  }
  let isModelAnswer = false
  for (const provider of providers) {
    if (abort.aborted) break
    const heard = provider.rules === true ? undefined : listener
    const asked = await attempt(context, provider, request, abort, result, heard)
    if (asked === null) continue
    if (asked.ok) {
      result.answer = asked.answer
      isModelAnswer = provider.rules !== true
      break
    }
    if (listener?.shown === true) {
      result.brokenOff = asked.failure
      break
    }
    listener?.restart()
    if (asked.failure.kind === 'overflow') {
      result.overflow = asked.failure
      break
    }
  }
  const someModel = prior.length > 0 || providers.some(({ rules }) => rules !== true)
  const isEnded = abort.aborted || result.brokenOff !== null || result.overflow !== null
  result.exhausted = someModel && !isModelAnswer && !isEnded
  if (result.exhausted) context.log('error', exhaustedMessage)
  if (result.answer === null)
    result.failures = [...new Set(result.attempts.flatMap(({ reason }) => reason ?? []))]
  return result
}

const triesMax = 3
const backoffMs = 1_000
const patienceDefaultMs = 30_000
const passing: ReadonlySet<FailureKind | undefined> = new Set(['rate-limit', 'server', 'network'])

type Told = Pick<Cascaded, 'attempts' | 'failures'>

/** One provider's turn, recorded in `result`; null when its circuit is open. Never rejects. */
export async function attempt(
  context: CascadeContext,
  provider: Provider,
  request: ProviderRequest,
  abort: AbortSignal,
  result: Told,
  listener?: Listener,
): Promise<Asked | null> {
  const { clock, deadlineMs = Infinity, log, patienceMs = patienceDefaultMs } = context
  const end = clock.now().getTime() + deadlineMs
  let left = patienceMs
  let last: Asked | null = null
  for (let tries = 1; ; tries++) {
    const limited = { ...context, deadlineMs: end - clock.now().getTime() }
    const asked = await tryOnce(limited, provider, request, abort, result, listener)
    if (asked?.ok === true) return asked
    last = asked ?? last
    const pause = asked === null ? null : pauseAfter(asked.failure, tries, context)
    const isLate = pause === null || pause > left || clock.now().getTime() + pause >= end
    if (isLate || abort.aborted || listener?.shown === true) break
    listener?.restart()
    log('info', `${provider.name} is asked again in ${(pause / 1_000).toFixed(1)} s`)
    await paused(clock, pause, abort)
    left -= pause
    if (abort.aborted) break
  }
  if (last?.ok === false) result.failures.push(last.failure.message)
  return last
}

/** How long to wait before this provider is asked again, or null when it is not. */
function pauseAfter(
  { kind, retryAfterMs = 0 }: ProviderFailure,
  tries: number,
  { random = Math.random }: CascadeContext,
): number | null {
  if (kind === 'empty') return tries === 1 ? 0 : null
  if (!passing.has(kind) || tries >= triesMax) return null
  const backoff = backoffMs * 2 ** (tries - 1) * (0.5 + random() / 2)
  return Math.max(retryAfterMs, backoff)
}

/** Resolves after the time, or when the owner has had enough. */
function paused(clock: Clock, ms: number, abort: AbortSignal): Promise<void> {
  if (ms <= 0 || abort.aborted) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const takeBack = setAlarm(clock, ms, end)
  abort.addEventListener('abort', end)
  return promise.finally(() => {
    takeBack()
    abort.removeEventListener('abort', end)
  })
}

async function tryOnce(
  context: CascadeContext,
  provider: Provider,
  request: ProviderRequest,
  abort: AbortSignal,
  { attempts }: Told,
  listener: Listener | undefined,
): Promise<Asked | null> {
  const { breakers, clock, deadlineMs = Infinity, log } = context
  const { name } = provider
  const closed = breakers.admit(provider)
  if (closed !== null) {
    log('debug', `passed over: ${closed}`)
    attempts.push({ provider: name, outcome: 'skipped', ms: 0, reason: closed })
    return null
  }
  log('debug', `asking ${name}`)
  const begin = clock.now().getTime()
  const timeoutMs = Math.min(provider.timeoutMs ?? context.timeoutMs, deadlineMs)
  const asked = await askOne(provider, request, { clock, abort, timeoutMs, listener })
  const ms = clock.now().getTime() - begin
  if (asked.ok) {
    breakers.settle(provider, 'alive')
    log('debug', `${name} answered in ${ms} ms`)
    attempts.push({ provider: name, outcome: 'answered', ms })
    return asked
  }
  const { kind = 'failed', message, retryAfterMs } = asked.failure
  breakers.settle(provider, outcomeOf(asked.failure), retryAfterMs)
  log(kind === 'aborted' ? 'info' : 'warn', message)
  attempts.push({ provider: name, outcome: kind, ms, reason: message })
  return asked
}
