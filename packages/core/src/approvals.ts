import { createHash, randomInt } from 'node:crypto'
import type { Action, Signal } from './signal.ts'

/** SHA-256 over the action with sorted keys, in hex. */
export function actionDigest(action: Action): string {
  return createHash('sha256').update(canonical(action)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

/** A question to the owner. */
export interface Approval {
  token: string
  digest: string
  action: Action
  /** The signal that led to it. */
  signal: Signal
  reason: string
  /** ms since the epoch. */
  expires: number
}

/** How long a question stays open, in ms. */
export const approvalLifetimeMs: number = 10 * 60_000

const letters = 'abcdefghjkmnpqrstuvwxyz'
const openMax = 100

/** The open questions of a daemon. Nothing outside this process can write to them. */
export class Approvals {
  readonly #clock: { now(): Date }
  readonly #open = new Map<string, Approval>()

  constructor(clock: { now(): Date }) {
    this.#clock = clock
  }

  /** Records a question and returns it with a new token; the oldest goes when there are too many. */
  ask(action: Action, signal: Signal, reason: string): Approval {
    const token = Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')
    const expires = this.#clock.now().getTime() + approvalLifetimeMs
    const approval = { token, digest: actionDigest(action), action, signal, reason, expires }
    this.#open.set(token, approval)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= openMax) break
      this.#open.delete(oldest)
    }
    return approval
  }

  /** Spends a token: the question, once, in its session and in its time; else null. */
  take(token: string, sessionId: string | undefined): Approval | null {
    const approval = this.#open.get(token.toLowerCase())
    if (approval === undefined || approval.signal.meta.sessionId !== sessionId) return null
    this.#open.delete(approval.token)
    return this.#clock.now().getTime() < approval.expires ? approval : null
  }
}
