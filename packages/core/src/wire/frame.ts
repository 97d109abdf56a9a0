/** The bytes are not frames. The connection they came from cannot be used any more. */
export class FrameError extends Error {
  /** Whether it began like a frame, of more characters than are taken here. */
  readonly isTooLong: boolean

  constructor(message: string, isTooLong = false) {
    super(message)
    this.name = 'FrameError'
    this.isTooLong = isTooLong
  }
}

/** The most code points in a frame. Six digits could say 16 million. */
export const frameMaxCodePoints = 1_048_576

/** The message with its length in front, in UTF-8. Throws a FrameError when it is too long. */
export function encodeFrame(message: string): Buffer {
  const wellFormed = message.toWellFormed()
  const bytes = Buffer.byteLength(wellFormed)
  let count = wellFormed.length
  if (bytes > count) for (const character of wellFormed) count -= character.length - 1
  if (count > frameMaxCodePoints) {
    throw new FrameError(`A message of ${count} code points is too long`)
  }
  return Buffer.from(count.toString(16).toUpperCase().padStart(6, '0') + wellFormed)
}

/** Joins pieces in a buffer with room behind them. */
class WaitingBytes {
  #store: Uint8Array = new Uint8Array(0)

  /** The bytes that were kept, which may be an earlier result of this, with the piece behind them. */
  join(kept: Uint8Array, piece: Uint8Array): Uint8Array {
    if (kept.length === 0) return piece
    const length = kept.length + piece.length
    const isOurs = kept.buffer === this.#store.buffer
    const start = isOurs ? kept.byteOffset : 0
    if (isOurs && start + length <= this.#store.length) {
      this.#store.set(piece, start + kept.length)
      return this.#store.subarray(start, start + length)
    }
    this.#store = new Uint8Array(2 * length)
    this.#store.set(kept)
    this.#store.set(piece, kept.length)
    return this.#store.subarray(0, length)
  }
}

const headerLength = 6

/** Takes bytes in any pieces and gives back whole messages. */
export class FrameDecoder {
  /** The longest message that is taken; holds for the headers not yet read. */
  codePointsMax: number
  #bytes: Uint8Array = new Uint8Array(0)
  readonly #waiting = new WaitingBytes()
  /** Code points still to come in the current message; null while the header is incomplete. */
  #missing: number | null = null
  /** The length that the header of the current message gave. */
  #length = 0
  /** How far the current message has been looked at. */
  #at = 0
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(codePointsMax: number = frameMaxCodePoints) {
    this.codePointsMax = codePointsMax
  }

  /** The messages that this piece completes. Throws a FrameError; the decoder is of no use then. */
  push(chunk: Uint8Array): string[] {
    return [...this.messages(chunk)]
  }

  /** The same, one by one; what is not asked for comes with the next piece. */
  *messages(chunk: Uint8Array): Generator<string> {
    this.#bytes = this.#waiting.join(this.#bytes, chunk)
    while (this.#readHeader() && this.#skipCharacters()) yield this.#take()
  }

  #readHeader(): boolean {
    if (this.#missing !== null) return true
    const header = this.#bytes.subarray(0, headerLength)
    const length = lengthIn(header)
    if (length > this.codePointsMax) {
      const what = `Expected at most ${this.codePointsMax} code points, got ${length}`
      throw new FrameError(what, true)
    }
    if (header.length < headerLength) return false
    this.#missing = length
    this.#length = length
    this.#at = headerLength
    return true
  }

  #skipCharacters(): boolean {
    const bytes = this.#bytes
    let at = this.#at
    let missing = this.#missing!
    for (; missing > 0 && at < bytes.length; missing--) {
      const first = bytes[at]!
      const size = first < 0x80 ? 1 : characterSize(first)
      if (at + size > bytes.length) break
      at += size
    }
    this.#at = at
    this.#missing = missing
    return missing === 0
  }

  #take(): string {
    const message = this.#bytes.subarray(headerLength, this.#at)
    this.#bytes = this.#bytes.subarray(this.#at)
    this.#missing = null
    return decoded(message, message.length === this.#length, this.#decoder)
  }
}

function decoded(message: Uint8Array, isAscii: boolean, decoder: TextDecoder): string {
  const { buffer, byteOffset, length } = message
  if (isAscii) return Buffer.from(buffer, byteOffset, length).toString('latin1')
  try {
    return decoder.decode(message)
  } catch {
    throw new FrameError('Expected UTF-8')
  }
}

/** What a header says so far; the digits that are missing count as noughts. */
function lengthIn(header: Uint8Array): number {
  let length = 0
  for (let at = 0; at < header.length; at++) {
    const digit = hexDigit(header[at]!)
    if (digit === null) {
      throw new FrameError('Expected six upper-case hex digits in front of a message')
    }
    length += digit * 16 ** (headerLength - 1 - at)
  }
  return length
}

function characterSize(first: number): number {
  if (first < 0x80) return 1
  if (first >= 0xc2 && first < 0xe0) return 2
  if (first >= 0xe0 && first < 0xf0) return 3
  if (first >= 0xf0 && first < 0xf5) return 4
  throw new FrameError('Expected UTF-8')
}

function hexDigit(byte: number): number | null {
  if (byte >= 48 && byte <= 57) return byte - 48
  return byte >= 65 && byte <= 70 ? byte - 55 : null
}
