import type { Clock } from '../base/clock.ts'
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
  /** No provider gets longer than this, whatever it names. */
  deadlineMs?: number | undefined
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
  }
  const someModel = prior.length > 0 || providers.some(({ rules }) => rules !== true)
  result.exhausted = someModel && !isModelAnswer && result.brokenOff === null && !abort.aborted
  if (result.exhausted) context.log('error', exhaustedMessage)
  if (result.answer === null)
    result.failures = result.attempts.flatMap(({ reason }) => reason ?? [])
  return result
}

/** One provider's turn, recorded in `result`; null when its circuit is open. Never rejects. */
export async function attempt(
  context: CascadeContext,
  provider: Provider,
  request: ProviderRequest,
  abort: AbortSignal,
  result: Pick<Cascaded, 'attempts' | 'failures'>,
  listener?: Listener,
): Promise<Asked | null> {
  const { breakers, clock, log } = context
  const { name } = provider
  const closed = breakers.admit(provider)
  if (closed !== null) {
    log('debug', `passed over: ${closed}`)
    result.attempts.push({ provider: name, outcome: 'skipped', ms: 0, reason: closed })
    return null
  }
  log('debug', `asking ${name}`)
  const begin = clock.now().getTime()
  const { deadlineMs = Infinity } = context
  const timeoutMs = Math.min(provider.timeoutMs ?? context.timeoutMs, deadlineMs)
  const asked = await askOne(provider, request, { clock, abort, timeoutMs, listener })
  const ms = clock.now().getTime() - begin
  if (asked.ok) {
    breakers.settle(provider, 'alive')
    log('debug', `${name} answered in ${ms} ms`)
    result.attempts.push({ provider: name, outcome: 'answered', ms })
    return asked
  }
  const { kind = 'failed', message, retryAfterMs } = asked.failure
  breakers.settle(provider, outcomeOf(asked.failure), retryAfterMs)
  log(kind === 'aborted' ? 'info' : 'warn', message)
  result.attempts.push({ provider: name, outcome: kind, ms, reason: message })
  result.failures.push(message)
  return asked
}
