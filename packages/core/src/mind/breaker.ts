import type { Clock } from '../base/clock.ts'
import type { Provider, ProviderFailure } from '../contract/provider.ts'

/** When a circuit opens and how long it stays so; times in milliseconds. */
export interface BreakerSettings {
  /** Failures in a row that open it; 3. */
  failuresMax: number
  /** The first rest; 30 seconds. It doubles with each probe that fails. */
  restMs: number
  /** The longest rest; 15 minutes. */
  restMaxMs: number
}

/** What is right for most. */
export const breakerDefaults: BreakerSettings = {
  failuresMax: 3,
  restMs: 30_000,
  restMaxMs: 900_000,
}

/** The longest that a provider may ask to be left alone, in milliseconds: a day. */
const retryAfterMaxMs = 86_400_000

/** What a question has shown about the one who was asked. */
export type Outcome = 'alive' | 'failed' | 'hopeless' | 'void'

/** How a failure counts. */
export function outcomeOf({ kind }: ProviderFailure): Outcome {
  if (kind === 'refused' || kind === 'overflow') return 'alive'
  if (kind === 'aborted') return 'void'
  return kind === 'auth' ? 'hopeless' : 'failed'
}

interface Circuit {
  failures: number
  /** How long the next rest will be. */
  restMs: number
  /** Closed when null; else the moment from which a probe may be made. */
  openUntil: number | null
  /** Until when the provider asked to be left alone. */
  askedUntil: number
  probing: boolean
}

/** The circuits of all providers of one daemon; in memory only. */
export class Breakers {
  readonly #clock: Clock
  readonly #settings: BreakerSettings
  readonly #circuits = new WeakMap<Provider, Circuit>()

  constructor(clock: Clock, settings: BreakerSettings = breakerDefaults) {
    this.#clock = clock
    this.#settings = settings
  }

  #circuitOf(provider: Provider): Circuit {
    const known = this.#circuits.get(provider)
    if (known !== undefined) return known
    const { restMs } = this.#settings
    const made = { failures: 0, restMs, openUntil: null, askedUntil: 0, probing: false }
    this.#circuits.set(provider, made)
    return made
  }

  /** Takes the permission to ask: null, or else the reason why not now, in words. */
  admit(provider: Provider): string | null {
    const circuit = this.#circuitOf(provider)
    const now = this.#clock.now().getTime()
    const until = Math.max(circuit.openUntil ?? 0, circuit.askedUntil)
    if (now < until) {
      const seconds = Math.ceil((until - now) / 1_000)
      return `${provider.name} is left alone for another ${seconds} s`
    }
    if (circuit.probing) return `${provider.name} is being tried by another question`
    circuit.probing = circuit.openUntil !== null
    return null
  }

  /** Gives the permission back with what came of it. */
  settle(provider: Provider, outcome: Outcome, retryAfterMs = 0): void {
    const circuit = this.#circuitOf(provider)
    const now = this.#clock.now().getTime()
    const probed = circuit.probing
    circuit.probing = false
    circuit.askedUntil = Math.max(circuit.askedUntil, now + believable(retryAfterMs))
    if (outcome === 'void') return
    if (outcome === 'alive') {
      Object.assign(circuit, { failures: 0, restMs: this.#settings.restMs, openUntil: null })
      return
    }
    circuit.failures++
    const enough = outcome === 'hopeless' || circuit.failures >= this.#settings.failuresMax
    if (!probed && (!enough || circuit.openUntil !== null)) return
    circuit.openUntil = now + circuit.restMs
    circuit.restMs = Math.min(circuit.restMs * 2, this.#settings.restMaxMs)
  }
}

function believable(ms: number): number {
  return ms > 0 ? Math.min(ms, retryAfterMaxMs) : 0
}
