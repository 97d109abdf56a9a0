import { FrameError } from './frame.ts'
import { proofOf, provesToken } from './handshake.ts'

/** Which way a message goes. */
type Direction = 'to-daemon' | 'to-client'

const sealLength = 64

/** One direction of a connection whose messages are sealed. */
export class Seal {
  readonly #key: string
  readonly #direction: Direction
  #count = 0

  constructor(key: string, direction: Direction) {
    this.#key = key
    this.#direction = direction
  }

  /** The message with its seal in front. */
  seal(message: string): string {
    return proofOf(this.#key, this.#next(message)) + message
  }

  /** The message without its seal. Throws a FrameError when the seal is not the next one. */
  unseal(sealed: string): string {
    const message = sealed.slice(sealLength)
    if (!provesToken(sealed.slice(0, sealLength), this.#key, this.#next(message))) {
      throw new FrameError('Expected the seal of the next message')
    }
    return message
  }

  #next(message: string): string {
    return `${this.#direction}:${this.#count++}:${message}`
  }
}
