import { randomUUID } from 'node:crypto'
import { actionDigest } from '../approval/approvals.ts'
import { diffOf } from '../base/line-diff.ts'
import type { Action, Signal, SignalPayload } from '../contract/signal.ts'
import { shortened } from '../wire/session-state.ts'
import type { Runtime } from './runtime.ts'

/** A deed that has begun, for telling how it ends. */
interface DeedUnderWay {
  /** `before` has the text of each note as it was before it was changed; empty for a new one. */
  ended(feedback: Signal | null, before: ReadonlyMap<string, string>): void
  /** It threw. */
  broke(): void
}

const silence: DeedUnderWay = { ended: () => {}, broke: () => {} }
const wordsMax = 4_000

/** Tells the session, if it wants to know, that an action is now carried out. */
export function beginDeed(runtime: Runtime, signal: Signal, action: Action): DeedUnderWay {
  const { isUnproven, takesDeeds } = signal.meta
  if (takesDeeds !== true || isUnproven === true) return silence
  const { args, cmd, explanation, tool } = action.payload
  const parts = { tool, cmd, explanation, args: args && JSON.stringify(args) }
  const told = Object.entries(parts).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, shortened(text, wordsMax)]],
  )
  const name = { action: 'deed', id: randomUUID(), digest: actionDigest(action) }
  const tell = (more: SignalPayload) => {
    const payload = { ...name, ...more }
    runtime.reply({ type: 'status', meta: signal.meta, payload, depth: signal.depth })
  }
  tell({ state: 'begun', target: action.target ?? 'cli', ...Object.fromEntries(told) })
  return {
    ended: (feedback, before) => tell({ ...endOf(feedback), ...changesIn(runtime, before) }),
    broke: () => tell({ state: 'failed' }),
  }
}

function endOf(feedback: Signal | null): SignalPayload {
  const { status, text = '' } = feedback?.payload ?? {}
  return { state: status === 'error' ? 'failed' : 'done', output: shortened(text, wordsMax) }
}

const diffMax = 40_000

function changesIn(runtime: Runtime, before: ReadonlyMap<string, string>): SignalPayload {
  const files = [...before.keys()].slice(0, 100)
  const diffs = files.map((path) => {
    try {
      return diffOf(path, before.get(path) ?? '', runtime.memex.read(path))
    } catch {
      return ''
    }
  })
  const diff = diffs.filter(Boolean).join('\n')
  return diff === '' ? {} : { files, diff: shortened(diff, diffMax) }
}
