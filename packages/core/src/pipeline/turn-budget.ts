import type { Clock } from '../base/clock.ts'
import type { TokenUsage } from '../contract/provider.ts'

/** What one turn may spend. */
export interface TurnLimits {
  /** In US dollars. */
  money: number
  tokens: number
  timeMs: number
}

/** What is right for most: a hundred steps, and no more than an hour. */
export const turnLimits: TurnLimits = { money: 5, tokens: 3_000_000, timeMs: 3_600_000 }

/** How far a budget is spent. */
interface BudgetState {
  /** Of what is spent most, from 0; 1 is all of it. */
  share: number
  /** What is spent, in words such as `4.02 of 5 USD`. */
  words: string
}

const warnedAt = 0.8

/** What a turn has spent of what it may. */
export class TurnBudget {
  readonly #begun: number
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #parent: TurnBudget | null
  #money = 0
  #tokens = 0
  #isTold = false

  constructor(limits: TurnLimits, clock: Clock, parent: TurnBudget | null = null) {
    this.#limits = limits
    this.#clock = clock
    this.#parent = parent
    this.#begun = clock.now().getTime()
  }

  /** Takes what an answer has cost; null for one of which nobody knows. */
  spend(usage: TokenUsage | null): void {
    this.#parent?.spend(usage)
    if (usage === null) return
    const { cachedTokens = 0, cost = 0, inputTokens, outputTokens } = usage
    this.#money += cost
    this.#tokens += inputTokens - cachedTokens * 0.9 + outputTokens
  }

  /** How far it is spent, or that of the turn that it is a part of, whichever is further. */
  state(): BudgetState {
    const { money, timeMs, tokens } = this.#limits
    const minutes = (ms: number) => Math.round(ms / 60_000)
    const past = this.#clock.now().getTime() - this.#begun
    const own: BudgetState[] = [
      { share: this.#money / money, words: `${this.#money.toFixed(2)} of ${money} USD` },
      { share: this.#tokens / tokens, words: `${Math.round(this.#tokens)} of ${tokens} tokens` },
      { share: past / timeMs, words: `${minutes(past)} of ${minutes(timeMs)} minutes` },
    ]
    const all = this.#parent === null ? own : [...own, this.#parent.state()]
    return all.reduce((most, each) => (each.share > most.share ? each : most))
  }

  /** What is said to the model when most of it is spent, once; null before and after. */
  warning(): string | null {
    const { share, words } = this.state()
    if (share < warnedAt || this.#isTold) return null
    this.#isTold = true
    return `Most of what this turn may spend is spent: ${words}. Finish what matters most, and then say what is left to do.`
  }

  /** What is said to the model with the last request; null while something is left. */
  spent(): string | null {
    const { share, words } = this.state()
    if (share < 1) return null
    return `What this turn may spend is spent: ${words}. No tool is called any more. Tell the owner what was done, what was not, and what would come next.`
  }
}
