import { messageOf } from '../base/printing.ts'
import type { GateContext } from '../contract/gate.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { gateContext } from '../pipeline/gate-context.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import type { Approval, Asker } from './approvals.ts'
import { askersOf, type VerifyResult } from './verify.ts'

/** A way in which a yes could be made to last. */
export interface Offer {
  /** What the owner types after `always`; lower case. The first offer is also meant without. */
  word: string
  /** What would be allowed, for the owner: `git push in ~/garden, until 21 December`. */
  shows: string
  /** Plain data that `remember` understands. */
  rule: unknown
}

/** The owner's standing yeses. */
export interface StandingRules {
  /** What can be offered for this action and these questions; nothing for what must not last. */
  offers(action: Action, context: GateContext, askers: readonly Asker[]): Offer[]
  /** The name of a rule that answers all of these questions, or null. */
  answers(action: Action, context: GateContext, askers: readonly Asker[]): string | null
  /** Writes the rule down. Returns where, in words; throws when it cannot. */
  remember(offer: Offer): string
}

/** The name of the owner's rule that answers what the gates ask, or null. Never throws. */
export function standingYes(
  runtime: Runtime,
  signal: Signal,
  { action, records }: VerifyResult,
): string | null {
  try {
    const context = gateContext(runtime, signal)
    return runtime.standing?.answers(action, context, askersOf(records)) ?? null
  } catch (error) {
    runtime.log('error', `rules: ${messageOf(error)}`)
    return null
  }
}

const offersMax = 4

/** What the owner may choose from. Never throws. */
export function offersFor(runtime: Runtime, signal: Signal, result: VerifyResult): Offer[] {
  try {
    const context = gateContext(runtime, signal)
    const offers = runtime.standing?.offers(result.action, context, askersOf(result.records)) ?? []
    return offers.filter(({ word }) => /^[a-z][a-z0-9_-]{0,30}$/.test(word)).slice(0, offersMax)
  } catch (error) {
    runtime.log('error', `rules: ${messageOf(error)}`)
    return []
  }
}

/** The offer that the owner's word names, or null. */
export function chosenOffer({ offers }: Approval, word: string | undefined): Offer | null {
  const wanted = word?.toLowerCase()
  return offers.find((offer) => wanted === undefined || offer.word === wanted) ?? null
}

/** The offers as lines of the question; empty when there are none. */
export function offerLines({ offers, token }: Pick<Approval, 'offers' | 'token'>): string {
  return offers
    .map(({ word, shows }, index) => {
      const command = `approve ${token} always${index === 0 ? '' : ` ${word}`}`
      return `\n“${command}” also allows ${shows}.`
    })
    .join('')
}

/** Writes the rule that the owner chose, and says so in words. Never throws. */
export function remember(runtime: Runtime, offer: Offer): string {
  try {
    const where = runtime.standing?.remember(offer)
    if (where === undefined) return 'There is nowhere to write a rule; this once it is.'
    return `From now on: ${offer.shows}. It stands in ${where}; delete it there to take it back.`
  } catch (error) {
    const reason = messageOf(error)
    return `The rule was not written, so this was for once: ${reason}`
  }
}
