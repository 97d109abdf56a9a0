import { settle } from '../approval/verify.ts'
import type { Listener } from '../contract/answer.ts'
import { messageAction, type Signal } from '../contract/signal.ts'
import { type Judge, StreamGuard, type StreamSettings } from '../mind/stream.ts'
import type { Ending } from '../transcript/transcript.ts'
import { gateContext, withTarget } from './gate-context.ts'
import type { Runtime } from './runtime.ts'

/** How far behind what is judged an answer is shown, by the setting and the most cautious skill. */
function settingsFor(runtime: Runtime): StreamSettings {
  const { holdBack, step } = runtime.mind.stream
  const wishes = runtime.skills.map((skill) => {
    try {
      const wish = skill.holdBack?.(runtime) ?? 0
      return wish >= 0 ? wish : Infinity
    } catch {
      return Infinity
    }
  })
  return { holdBack: Math.max(holdBack, ...wishes), step }
}

/** How a stream can end. */
type StreamEnding = 'complete' | 'action' | Ending

/** An answer on its way to a client. */
export interface AnswerStream {
  listener: Listener
  /** Resolves when nothing that was heard is being judged. */
  idle(): Promise<void>
  /** The whole message has passed the gates: shows the rest of it. */
  complete(message: string): void
  /** The answer is an action: shows the words before it. */
  beforeAction(): Promise<void>
  /** Ends it early; the client is told how, when something was shown. */
  end(ending: Ending): void
  /** What was shown. */
  seen(): string
}

/** A stream for the answer to this signal; null when its client takes none. */
export function openStream(runtime: Runtime, signal: Signal): AnswerStream | null {
  const { sessionId, takesChunks } = signal.meta
  if (takesChunks !== true || sessionId === undefined) return null
  const stream = runtime.streams.open()
  const send = (text: string, more: Record<string, unknown> = {}) => {
    const payload = { action: 'chunk', stream, text, ...more }
    runtime.reply({ type: 'stream-chunk', meta: signal.meta, payload, depth: signal.depth })
  }
  const guard = new StreamGuard(
    judgeFor(runtime, signal),
    (text) => send(text),
    settingsFor(runtime),
    new Set(runtime.tools.keys()),
  )
  const end = (ended: StreamEnding) => {
    guard.stop()
    if (guard.shown) send('', { ended })
  }
  return {
    listener: guard,
    idle: () => guard.idle(),
    complete(message) {
      if (!guard.complete(message)) return end('withdrawn')
      end('complete')
      runtime.streams.completed(sessionId, message)
    },
    async beforeAction() {
      await guard.wordsBefore()
      end('action')
    },
    end,
    seen: () => guard.seen,
  }
}

function judgeFor(runtime: Runtime, signal: Signal): Judge {
  let context: ReturnType<typeof gateContext> | null = null
  return async (text) => {
    context ??= gateContext(runtime, signal)
    const action = withTarget(runtime, signal, messageAction(text))
    const { action: judged, kind } = await settle(runtime.gates, action, context)
    return kind === 'pass' ? (judged.payload.text ?? null) : null
  }
}
