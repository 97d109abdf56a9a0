import { type Client, connectToDaemon, findDaemon, type Signal } from '@passepartout/core/protocol'
import { capabilities } from '../session/client-session.ts'

/** Who is told what happens to a connection. */
interface LinkListener {
  connected(memex: string): void
  lost(): void
  heard(signal: Signal): void
}

/** A connection that is made again when it ends. */
export interface Link {
  /** Sends; false when there is no connection just now. */
  send(payload: Signal['payload'], type?: 'event' | 'request'): boolean
  close(): void
}

const firstPauseMs = 100
const longestPauseMs = 1_000

/** Connects to the daemon of a state directory, again and again, until it is closed. */
export function openLink(stateDir: string, listener: LinkListener): Link {
  const closing = new AbortController()
  const now: { client: Client | null } = { client: null }
  void keep(stateDir, listener, closing.signal, now)
  return {
    send(payload, type = 'event') {
      if (now.client === null) return false
      now.client.send({ type, meta: { source: 'tui' }, payload, depth: 0 })
      return true
    },
    close() {
      closing.abort()
      now.client?.close()
    },
  }
}

async function keep(
  stateDir: string,
  listener: LinkListener,
  closing: AbortSignal,
  now: { client: Client | null },
): Promise<void> {
  let sessionId: string | undefined
  let pauseMs = firstPauseMs
  while (!closing.aborted) {
    const wishes = {
      source: 'tui',
      capabilities,
      ...(sessionId === undefined ? {} : { sessionId }),
    }
    const client = await connectToDaemon(stateDir, wishes).catch(() => null)
    if (client !== null && !closing.aborted) {
      now.client = client
      sessionId = client.sessionId
      pauseMs = firstPauseMs
      listener.connected(findDaemon(stateDir)?.memex ?? '')
      for await (const signal of client) listener.heard(signal)
      now.client = null
      if (!closing.aborted) listener.lost()
    }
    client?.close()
    await pause(pauseMs, closing)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

function pause(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    closing.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    if (closing.aborted) resolve()
  })
}
