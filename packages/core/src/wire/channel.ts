import type { Socket } from 'node:net'
import { messageOf } from '../base/printing.ts'
import type { Signal } from '../contract/signal.ts'
import { encodeSignal } from './envelope.ts'
import { encodeFrame, FrameDecoder, frameMaxCodePoints } from './frame.ts'
import type { Seal } from './seal.ts'

const messagesPerMs = 50
const creditMax = 50_000
const unsentHighBytes = 1_048_576
const unsentMaxBytes = 8_388_608
/** How long somebody who was sent away has to read why, in ms. */
export const farewellMs = 1_000
const sealLength = 64

class Credit {
  #left = creditMax
  #at = performance.now()

  /** Spends one for each message, and tells for how many milliseconds to pause. */
  spend(messages: number): number {
    const now = performance.now()
    this.#left = Math.min(creditMax, this.#left + (now - this.#at) * messagesPerMs) - messages
    this.#at = now
    return Math.max(0, -this.#left / messagesPerMs)
  }
}

/** Signals over one socket. */
export class Channel {
  /** Opens what comes, and seals what goes, once there is a key. */
  seals: { incoming: Seal; outgoing: Seal } | null = null
  readonly #socket: Socket
  readonly #decoder: FrameDecoder
  readonly #credit = new Credit()

  /** Takes over a socket. `onFault` is called once, after which nothing is heard any more. */
  constructor(
    socket: Socket,
    codePointsMax: number,
    onMessage: (message: string) => void,
    onFault: (error: unknown) => void,
  ) {
    this.#socket = socket
    this.#decoder = new FrameDecoder(codePointsMax)
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      socket.cork()
      try {
        slowDown(socket, this.#credit.spend(this.#read(chunk, onMessage)))
      } catch (error) {
        socket.removeAllListeners('data')
        onFault(error)
      } finally {
        socket.uncork()
      }
    })
  }

  /** Takes messages as long as a frame may be from here on, the next one of the same packet included. */
  liftLimit(): void {
    this.#decoder.codePointsMax = frameMaxCodePoints
  }

  #read(chunk: Buffer, onMessage: (message: string) => void): number {
    let count = 0
    for (const message of this.#decoder.messages(chunk)) {
      count++
      onMessage(this.seals?.incoming.unseal(message) ?? message)
    }
    return count
  }

  /** Sends a signal, or `fault(why)` when it cannot travel. False when nobody takes what is sent. */
  send(signal: Signal, fault: (why: string) => Signal): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true
    const message = framed(signal, fault)
    this.#socket.write(encodeFrame(this.seals?.outgoing.seal(message) ?? message))
    if (this.#socket.writableLength <= unsentMaxBytes) return true
    this.#socket.destroy()
    return false
  }

  /** Says no more and listens no more; the connection is gone within a second. */
  dismiss(): void {
    this.#socket.resume()
    this.#socket.end()
    destroyAfter(this.#socket, farewellMs)
  }
}

function slowDown(socket: Socket, ms: number): void {
  const isBehind = socket.writableLength > unsentHighBytes
  if (!isBehind && ms === 0) return
  const resume = () => {
    if (!socket.destroyed) socket.resume()
  }
  socket.pause()
  if (isBehind) socket.once('drain', resume)
  else setTimeout(resume, ms).unref()
}

function framed(signal: Signal, fault: (why: string) => Signal): string {
  try {
    const message = encodeSignal(signal)
    if (message.length > frameMaxCodePoints - sealLength) {
      encodeFrame(message.padEnd(message.length + sealLength))
    }
    return message
  } catch (error) {
    return encodeSignal(fault(messageOf(error)))
  }
}

/** Destroys a socket after a time, unless it closes by itself before; the timer can be cleared. */
export function destroyAfter(socket: Socket, ms: number): NodeJS.Timeout {
  const timer = setTimeout(() => socket.destroy(), ms)
  socket.once('close', () => clearTimeout(timer))
  return timer
}
