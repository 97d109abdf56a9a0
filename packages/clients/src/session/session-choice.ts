import { printable } from '@passepartout/core/presence'
import type { Client, Signal } from '@passepartout/core/protocol'
import { ProgramError } from '#commands/program'

/** Sends an event about sessions; resolves to the answer of its name. Rejects when the daemon goes away. */
export async function sessionRequest(
  client: Client,
  payload: { sensor: string; [field: string]: unknown },
): Promise<Signal['payload']> {
  client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
  let answer: Signal['payload'] = {}
  for await (const signal of client) {
    if (signal.type !== 'status') continue
    if (signal.payload.action === payload.sensor) answer = signal.payload
    if (signal.payload.action === 'turn-end') return answer
  }
  throw new Error('The daemon went away')
}

/** Which session is meant: the last one, or one by its name, which may begin one. */
export interface SessionWish {
  name?: string | undefined
  begin?: boolean
}

/** Goes on with a session; resolves to its title. Rejects with a ProgramError when there is none. */
export async function continueSession(
  client: Client,
  { begin = false, name = '' }: SessionWish,
): Promise<string> {
  const asked = { sensor: 'session-continue', session: name, ...(begin ? { begin } : {}) }
  const { session, text, title } = await sessionRequest(client, asked)
  if (typeof session === 'string') return printable(typeof title === 'string' ? title : '')
  throw new ProgramError(printable(text ?? 'This daemon knows no sessions; restart it.'))
}

/** A line of a conversation. */
export interface SaidLine {
  speaker: string
  text: string
  tool?: string
}

/** The last lines of the session of this connection, oldest first. */
export async function saidBefore(client: Client, count: number): Promise<SaidLine[]> {
  const { said } = await sessionRequest(client, { sensor: 'session-talk' })
  return readSaid(said).slice(-count)
}

/** The lines in a payload; what is none is left out. */
export function readSaid(said: unknown): SaidLine[] {
  return (Array.isArray(said) ? said : []).flatMap((line) => {
    const { speaker, text, tool } = line as Record<string, unknown>
    if (typeof speaker !== 'string' || typeof text !== 'string') return []
    const made = typeof tool === 'string' ? { tool: printable(tool) } : {}
    return { speaker, text: printable(text), ...made }
  })
}
