import type { Log } from '../base/log-file.ts'
import { messageOf } from '../base/printing.ts'
import type { Gate } from '../contract/gate.ts'

/** A sentence about one rule that must hold. */
export interface Example {
  /** The rule's short dotted name. */
  rule: string
  /** The example as it is shown to people when it fails. */
  text: string
  /** Whether the rule does with it what it should; one that throws does not. */
  holds(): boolean
}

interface Trial {
  name: string
  rest: Iterator<Example>
  fault: string | null
}

/** The examples of all skills, and how far they have been tried. */
export class Proofs {
  readonly #trials: Trial[] = []
  /** How many trials are over. */
  #done = 0

  /** The same gates, each saying no to everything if one of these examples does not hold. */
  add(name: string, examples: Iterable<Example>, gates: readonly Gate[]): Gate[] {
    const trial: Trial = { name, rest: examples[Symbol.iterator](), fault: null }
    this.#trials.push(trial)
    return gates.map((gate) => ({
      ...gate,
      prepare: (action) => {
        this.#tryAll()
        gate.prepare?.(action)
      },
      check: (action, context) => {
        this.#tryAll()
        const { fault } = trial
        if (fault === null) return gate.check(action, context)
        return { kind: 'reject', reason: fault, rule: `${gate.name}.unproven` }
      },
    }))
  }

  /** Goes on for about so many milliseconds; true when everything was tried. */
  advance(ms: number): boolean {
    const end = performance.now() + ms
    for (let trial = this.#trials[this.#done]; trial !== undefined; ) {
      if (tryNext(trial)) trial = this.#trials[++this.#done]
      if (performance.now() >= end) break
    }
    return this.#done === this.#trials.length
  }

  /** Tries what is left; a sentence for each skill of which an example does not hold. */
  finish(): string[] {
    this.#tryAll()
    return this.#trials.flatMap(({ fault }) => fault ?? [])
  }

  #tryAll(): void {
    if (this.#done < this.#trials.length) this.advance(Number.POSITIVE_INFINITY)
  }
}

/** Tries one example; true when there is no other, or no use in another. */
function tryNext(trial: Trial): boolean {
  let where = 'its examples'
  try {
    const { value, done } = trial.rest.next()
    if (done) return true
    where = `the rule ${value.rule} on “${value.text}”`
    if (value.holds()) return false
    trial.fault = `The skill ${trial.name} is not believed: ${where} does not do what its example says`
  } catch (error) {
    const reason = messageOf(error)
    trial.fault = `The skill ${trial.name} is not believed: ${where} failed with ${reason}`
  }
  return true
}

const pieceMs = 5

/** Tries the examples while nothing else is to be done. Returns what stops it. */
export function proveInBackground(proofs: Proofs, log: Log): () => void {
  let isStopped = false
  const go = () => {
    if (isStopped) return
    if (!proofs.advance(pieceMs)) setImmediate(go)
    else for (const fault of proofs.finish()) log('error', fault)
  }
  setImmediate(go)
  return () => {
    isStopped = true
  }
}
