import type { Log } from '../base/log-file.ts'
import { messageOf } from '../base/printing.ts'
import type { GateContext } from '../contract/gate.ts'
import type { Action } from '../contract/signal.ts'
import type { Approval, Asker, Offer } from './approvals.ts'
import { askersOf, type VerifyResult } from './verify.ts'

/** The owner's standing yeses. */
export interface StandingRules {
  /** What can be offered for this action and these questions; nothing for what must not last. */
  offers(action: Action, context: GateContext, askers: readonly Asker[]): Offer[]
  /** The name of a rule that answers all of these questions, or null. */
  answers(action: Action, context: GateContext, askers: readonly Asker[]): string | null
  /** Writes the rule down. Returns where, in words; throws when it cannot. */
  remember(offer: Offer): string
}

/** The rules, when a skill keeps some, and the log that hears when they break. */
export interface Standing {
  standing: StandingRules | null
  log: Log
}

/** The name of the owner's rule that answers what the gates ask, or null. Never throws. */
export function standingYes(
  { log, standing }: Standing,
  context: GateContext,
  { action, records }: VerifyResult,
): string | null {
  try {
    return standing?.answers(action, context, askersOf(records)) ?? null
  } catch (error) {
    log('error', `rules: ${messageOf(error)}`)
    return null
  }
}

const offersMax = 4

/** What the owner may choose from. Never throws. */
export function offersFor(
  { log, standing }: Standing,
  context: GateContext,
  { action, records }: VerifyResult,
): Offer[] {
  try {
    const offers = standing?.offers(action, context, askersOf(records)) ?? []
    return offers.filter(({ word }) => /^[a-z][a-z0-9_-]{0,30}$/.test(word)).slice(0, offersMax)
  } catch (error) {
    log('error', `rules: ${messageOf(error)}`)
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
export function remember({ standing }: Pick<Standing, 'standing'>, offer: Offer): string {
  try {
    const where = standing?.remember(offer)
    if (where === undefined) return 'There is nowhere to write a rule; this once it is.'
    return `From now on: ${offer.shows}. It stands in ${where}; delete it there to take it back.`
  } catch (error) {
    const reason = messageOf(error)
    return `The rule was not written, so this was for once: ${reason}`
  }
}
