import type { Listener } from '../contract/answer.ts'
import type { Signal } from '../contract/signal.ts'
import { heldFrom } from './proposal.ts'

/** How far behind the text the reader is kept; in characters. */
export interface StreamSettings {
  holdBack: number
  step: number
}

/** What is right for most. */
export const streamDefaults: StreamSettings = { holdBack: 200, step: 40 }

/** Judges a text as a message; the text as the gates left it, or null when they object. */
export type Judge = (text: string) => Promise<string | null>

/** The last place up to `end` at which a text may be cut. */
function boundaryBefore(text: string, end: number): number {
  let at = Math.min(end, text.length)
  while (at > 0 && !isBoundary(text, at)) at--
  return Math.max(0, at)
}

function isBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const isBlank = before === 32 || before === 9 || before === 10
  return isBlank || (before >= 0x2e80 && before < 0xd800)
}

/** The part of a text that a reader has seen. */
class Shown {
  readonly #letGo: (piece: string) => void
  text = ''

  constructor(letGo: (piece: string) => void) {
    this.#letGo = letGo
  }

  get length(): number {
    return this.text.length
  }

  /** Shows `whole` up to `end`. */
  extend(whole: string, end: number): void {
    const piece = whole.slice(this.text.length, end)
    this.text += piece
    if (piece !== '') this.#letGo(piece)
  }
}

/** One judgement at a time, whose outcome can be made worthless. */
class Judgement {
  #underWay: Promise<void> | null = null
  #epoch = 0

  get isUnderWay(): boolean {
    return this.#underWay !== null
  }

  /** Calls `done` with the outcome, null for one that fails; not at all when it is dropped. */
  begin(asked: Promise<string | null>, done: (passed: string | null) => void): void {
    const epoch = this.#epoch
    const ended = (passed: string | null) => {
      if (epoch !== this.#epoch) return
      this.#underWay = null
      done(passed)
    }
    this.#underWay = asked.catch(() => null).then(ended)
  }

  drop(): void {
    this.#epoch++
    this.#underWay = null
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    while (this.#underWay !== null) await this.#underWay
  }
}

/** Lets go of an answer behind what has been judged. */
export class StreamGuard implements Listener {
  readonly #judge: Judge
  readonly #shown: Shown
  readonly #settings: StreamSettings
  readonly #tools: ReadonlySet<string>
  readonly #judgement = new Judgement()
  #text = ''
  #looked = 0
  #stopped = false

  /** `tools` are the names that a call in the text may have. */
  constructor(
    judge: Judge,
    letGo: (piece: string) => void,
    settings: StreamSettings,
    tools: ReadonlySet<string> = new Set(),
  ) {
    this.#judge = judge
    this.#shown = new Shown(letGo)
    this.#settings = settings
    this.#tools = tools
  }

  /** What the reader has seen. */
  get seen(): string {
    return this.#shown.text
  }

  get shown(): boolean {
    return this.#shown.length > 0
  }

  hear(piece: string): void {
    this.#text = this.#text === '' ? piece.trimStart() : this.#text + piece
    this.#look()
  }
  #look(): void {
    const { length } = this.#text
    const step = Math.max(this.#settings.step, this.#shown.length >> 3)
    if (this.#stopped || this.#judgement.isUnderWay || length - this.#looked < step) return
    this.#looked = length
    const certain = heldFrom(this.#text, this.#tools)
    const end = boundaryBefore(this.#text, Math.min(certain, length - this.#settings.holdBack))
    if (end - this.#shown.length >= step) this.#release(this.#text.slice(0, certain), end)
  }
  /** Lets go of the text up to `end`, if all of `judged` passes the gates. */
  #release(judged: string, end: number): void {
    this.#judgement.begin(this.#judge(judged), (passed) => {
      if (passed?.startsWith(judged.slice(0, end)) === true) this.#shown.extend(judged, end)
      else this.#stopped = true
      this.#look()
    })
  }
  /** Resolves when nothing is being judged. */
  idle(): Promise<void> {
    return this.#judgement.idle()
  }
  restart(): void {
    if (this.shown) return
    this.#judgement.drop()
    this.#text = ''
    this.#looked = 0
    this.#stopped = false
  }
  /** Lets go of nothing any more. */
  stop(): void {
    this.#judgement.drop()
    this.#stopped = true
  }
  /** Lets go of the rest of a message that has passed the gates; false when it is another text. */
  complete(message: string): boolean {
    this.stop()
    if (!message.startsWith(this.seen)) return false
    this.#shown.extend(message, message.length)
    return true
  }
  /** Lets go of the words before an action, if they pass; the action itself is not among them. */
  async wordsBefore(): Promise<void> {
    await this.idle()
    const words = this.#text.slice(0, heldFrom(this.#text, this.#tools)).trimEnd()
    if (!this.#stopped && words.length > this.seen.length) this.#release(words, words.length)
    await this.idle()
    this.stop()
  }
}

/** Which answers the sessions have seen while they came; in memory only. */
export class Streams {
  #count = 0
  readonly #seen = new Map<string, string>()

  /** The name of a new stream. */
  open(): string {
    this.#count++
    return String(this.#count)
  }

  /** Notes what a session has just seen to its end. */
  completed(sessionId: string, message: string): void {
    this.#seen.set(sessionId, message)
  }

  /** The signal as it goes out: with `streamed` when its text was streamed, and never otherwise. */
  marked(signal: Signal): Signal {
    const { action, streamed: _, ...payload } = signal.payload
    const session = signal.meta.sessionId ?? ''
    const seen = this.#seen.get(session)
    if (seen === undefined) return signal
    const isTold = signal.type === 'response' && payload.text === seen
    if (isTold || action === 'turn-end') this.#seen.delete(session)
    return isTold ? { ...signal, payload: { ...payload, action, streamed: true } } : signal
  }
}
