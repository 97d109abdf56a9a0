import { once } from '../base/once.ts'
import { pathFollower } from '../base/real-path.ts'
import type { GateContext } from '../contract/gate.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { readArguments } from '../contract/tool-arguments.ts'
import { ownerWords } from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'

/** The action that is meant, with its target filled in. */
export function withTarget(runtime: Runtime, signal: Signal, action: Action): Action {
  const meant = meantBy(runtime, action)
  if (meant.target !== undefined) return meant
  const { source } = signal.meta
  return { ...meant, target: runtime.actuators.get(source)?.silent ? source : 'cli' }
}

function meantBy({ tools }: Runtime, action: Action): Action {
  const { args, explanation, tool: name } = action.payload
  const tool = name === undefined ? undefined : tools.get(name)
  if (tool?.means === undefined) return action
  const read = readArguments(tool, args)
  if (!read.ok) return action
  const { payload, target } = tool.means(read.value)
  return { type: 'request', target, payload: { ...payload, explanation } }
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
  return {
    signal,
    tools: runtime.tools,
    home,
    memexDir,
    stateDir,
    realPaths,
    ownerWords: ownerWords(entries),
    facts,
  }
}
