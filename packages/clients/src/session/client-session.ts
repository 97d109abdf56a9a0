import { printable } from '@passepartout/core/presence'
import type { Client, Signal } from '@passepartout/core/protocol'

/** What a client that is made of this module understands; for `connect`. */
export const capabilities: readonly string[] = ['stream-chunk']

/** How a program introduces itself that reads the answers itself, and is no terminal; for `connect`. */
export const asCommand: { source: string; capabilities: readonly string[] } = {
  source: 'command',
  capabilities,
}

/** How a terminal introduces itself, at which a person reads. */
export const asTerminal: typeof asCommand = { source: 'cli', capabilities }

/** Where the parts of an answer go. */
export interface Listener {
  /** Something the daemon or a skill says. */
  answer: (text: string) => void
  /** A piece of an answer that is still being written. */
  piece(text: string): void
  /** The pieces end here; the next text begins on a line of its own. */
  ended(): void
  /** Something about the answer: a fault, a provider that failed. */
  notice(text: string): void
  /** What the turn has done, as the daemon knows it; a notice where nobody listens for it. */
  receipt?(text: string): void
  /** The context in which the turn has ended. */
  where?(scope: string): void
}

/** Sends a sentence, and how it is meant; resolves at the end of its turn. Rejects when the daemon goes away before. */
export async function ask(
  client: Client,
  text: string,
  listener: Listener,
  more: Signal['payload'] = {},
): Promise<void> {
  client.send(input({ ...more, sensor: 'user-input', text }))
  let seen = false
  for await (const { type, payload } of client) {
    const text = printable(payload.text ?? '')
    if (type === 'stream-chunk') {
      seen = true
      if (text !== '') listener.piece(text)
      else listener.ended()
      if (payload.ended === 'withdrawn') listener.notice(withdrawn)
    }
    if (type === 'response' && !(seen && payload.streamed === true)) listener.answer(text)
    if (type !== 'status') continue
    if (payload.action === 'turn-end') {
      listener.where?.(printable(typeof payload.scope === 'string' ? payload.scope : 'memex'))
      return
    }
    if (payload.action === 'receipt' && listener.receipt !== undefined) listener.receipt(text)
    else if (payload.text !== undefined) listener.notice(text)
  }
  throw new Error('The daemon went away')
}

const withdrawn = 'What was shown of this answer is withdrawn: a gate objected to the rest of it.'

/** Stops the turn that is running. */
export function interrupt(client: Client): void {
  client.send(input({ sensor: 'interrupt' }))
}

function input(payload: Signal['payload']): Signal {
  return { type: 'event', meta: { source: 'cli' }, payload, depth: 0 }
}
