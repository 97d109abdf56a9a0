import { once } from '../base/once.ts'
import { pathFollower } from '../base/real-path.ts'
import type { GateContext } from '../contract/gate.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { ownerWords } from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'

/** The action with its target filled in. */
export function withTarget(runtime: Runtime, signal: Signal, action: Action): Action {
  if (action.target !== undefined) return action
  const { source } = signal.meta
  return { ...action, target: runtime.actuators.get(source)?.silent ? source : 'cli' }
}

/** What the gates may know while they judge an action that this signal led to. For one verification. */
export function gateContext(runtime: Runtime, signal: Signal): GateContext {
  runtime.proofs.finish()
  const facts: Record<string, unknown> = {}
  for (const skill of runtime.skills) {
    if (skill.facts === undefined) continue
    const get = once(() => skill.facts?.(runtime, signal))
    Object.defineProperty(facts, skill.name, { get, enumerable: true })
  }
  const realPaths = pathFollower()
  const { entries } = runtime.sessions.of(signal.meta.sessionId)
  const { home, memexDir, stateDir } = runtime.config
  return { signal, tools: runtime.tools, home, memexDir, stateDir, realPaths, ownerWords: ownerWords(entries), facts }
}
