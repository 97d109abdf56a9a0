import type { Approval } from './approvals.ts'
import { gateContext, type Runtime, withTarget } from './runtime.ts'
import { type Action, messageAction, type Signal } from './signal.ts'
import { carryOut, conclude, covers, suspend } from './suspend.ts'
import { objections, settle } from './verify.ts'

/**
 * Verifies and dispatches one action. Returns the actuator's feedback, or null when there is none.
 * An exception in the actuator is thrown on.
 */
export async function act(
  runtime: Runtime,
  signal: Signal,
  action: Action,
  approval: Approval | null = null,
): Promise<Signal | null> {
  if (signal.payload.sensor === 'heartbeat') {
    runtime.log('warn', 'an action from a heartbeat was dropped')
    return null
  }
  const targeted = withTarget(runtime, signal, action)
  const result = settle(runtime.gates, targeted, gateContext(runtime, signal))
  if (result.kind === 'reject') {
    conclude(runtime, approval, 'REFUSED')
    return refuse(runtime, signal, action, objections(result.records))
  }
  if (result.kind === 'approval' && !covers(approval, result)) {
    conclude(runtime, approval, 'REFUSED')
    tell(runtime, signal, await suspend(runtime, signal, result))
    return null
  }
  return carryOut(runtime, approval, () => dispatch(runtime, signal, result.action))
}

function refuse(runtime: Runtime, signal: Signal, action: Action, reasons: string): null {
  runtime.log('info', `refused ${action.target ?? 'a message'}: ${reasons}`)
  tell(runtime, signal, `That is not allowed.\n${reasons}`)
  return null
}

/** Says something to the sender of a signal in the daemon's own name, past the gates. */
export function tell(runtime: Runtime, signal: Signal, text: string): void {
  const payload = { ...messageAction(text).payload }
  runtime.reply({ type: 'response', meta: signal.meta, payload, depth: signal.depth })
}

async function dispatch(runtime: Runtime, signal: Signal, action: Action): Promise<Signal | null> {
  const name = action.target ?? 'cli'
  const actuator = runtime.actuators.get(name)
  if (actuator === undefined) {
    tell(runtime, signal, `There is no actuator ${name}.`)
    return null
  }
  if (action.payload.action === 'message') {
    runtime.conversations.add(signal.meta.sessionId ?? '', 'agent', action.payload.text ?? '')
  }
  const feedback = await actuator.dispatch(structuredClone(action), signal, runtime)
  if (actuator.silent || feedback === null) return null
  const origin = feedback.meta.origin === 'web' ? 'web' : 'tool'
  return { ...feedback, meta: { ...signal.meta, origin }, depth: signal.depth + 1 }
}
