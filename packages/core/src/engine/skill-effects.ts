import { objections, settle } from '../approval/verify.ts'
import { type Action, isFromOutside, parseAction, type Signal } from '../contract/signal.ts'
import type { Effects } from '../jail/jail.ts'
import { act } from '../pipeline/act.ts'
import { gateContext } from '../pipeline/gate-context.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import { callTool } from '../pipeline/tool-call.ts'
import { verdictRecord } from '../pipeline/trace.ts'

/** A skill as the gates get to see it. */
interface Requester {
  name: string
  /** What was granted, `call:` words among it. */
  capabilities: readonly string[]
  /** Whether the owner answers for it. */
  isOwners: boolean
}

const depthMax = 10

/** The signal that a request of a skill's is judged by. */
export function causeOf({ isOwners, name }: Requester, signal: Signal): Signal {
  const own = isOwners ? 'tool' : 'message'
  const origin = isFromOutside(signal.meta) ? signal.meta.origin : own
  const sensor = signal.payload.sensor === 'heartbeat' ? 'heartbeat' : 'skill'
  return {
    type: 'event',
    meta: { ...signal.meta, origin },
    payload: { sensor, skill: name },
    depth: signal.depth + 1,
  }
}

/** The door of a skill that was called in answer to this signal. */
export function effectsOf(
  runtime: Runtime,
  requester: Requester,
  signal: Signal,
  abort: AbortSignal,
): Effects {
  const cause = causeOf(requester, signal)
  let last: Promise<unknown> = Promise.resolve()
  return (tool, args) => {
    const result = last.then(() => carryOut(runtime, requester, { cause, tool, args, abort }))
    last = result.catch(() => {})
    return result
  }
}

interface Wish {
  cause: Signal
  tool: string
  args: Record<string, unknown>
  abort: AbortSignal
}

type Outcome = { ok: boolean; text: string }

async function carryOut(runtime: Runtime, requester: Requester, wish: Wish): Promise<Outcome> {
  const { abort, args, cause, tool } = wish
  const no = (text: string): Outcome => ({ ok: false, text })
  if (!requester.capabilities.includes(`call:${tool}`)) {
    return no(`call:${tool} was not granted to ${requester.name}`)
  }
  if (!runtime.tools.has(tool)) return no(`There is no tool ${tool}`)
  if (cause.depth > depthMax) return no(`There were ${depthMax} steps already`)
  if (abort.aborted) return no('It was stopped')
  const explanation = `The skill ${requester.name} asks for it.`
  const payload = { action: 'call', tool, args, explanation }
  const action = parseAction({ type: 'request', target: 'tool', payload })
  if (!action.ok) return no(action.reason)
  const begun = performance.now()
  const result = await settle(runtime.gates, action.value, gateContext(runtime, cause))
  const took = performance.now() - begun
  runtime.trace.record(verdictRecord('reason', result.action, result, took))
  if (result.kind === 'reject') return no(objections(result.records))
  if (cause.payload.sensor === 'heartbeat') return look(runtime, { ...wish, result })
  const feedback = await act(runtime, cause, result.action, null, abort)
  if (feedback === null) return no('It waits for the owner’s approval, or was refused')
  const { status, text = '' } = feedback.payload
  return { ok: status === 'success', text }
}

interface Judged extends Wish {
  result: { kind: string; action: Action }
}

async function look(runtime: Runtime, { abort, cause, result }: Judged): Promise<Outcome> {
  const tool = runtime.tools.get(result.action.payload.tool ?? '')
  if (result.kind !== 'pass' || tool?.readOnly !== true) {
    return { ok: false, text: 'A heartbeat only looks' }
  }
  const { args } = result.action.payload
  const { status, text } = await callTool(tool, args, { runtime, signal: cause, abort })
  return { ok: status === 'success', text }
}
