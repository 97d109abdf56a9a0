import {
  type Action,
  defineSkill,
  type GateContext,
  type SensorHandler,
  type Skill,
  type Verdict,
} from '@passepartout/core'
import { z } from 'zod'
import { checkShell } from '../verdicts/check-shell.ts'

/** How a session is held: as always, asked about every change, or kept from every change. */
export type SessionMode = 'ask' | 'confirm' | 'look'

/** Passes, asks about, or rejects an action by the mode of its session. */
export function checkMode(action: Action, context: GateContext): Verdict {
  const mode = context.facts['session-modes'] as SessionMode | undefined
  if (mode === undefined || mode === 'ask' || !changes(action, context)) return { kind: 'pass' }
  const what = action.payload.tool ?? action.payload.cmd ?? action.target ?? 'this'
  if (mode === 'confirm') {
    const reason = `${what} changes something, and this session asks about every change`
    return { kind: 'approval', reason, rule: 'mode.confirm' }
  }
  const reason = `${what} changes something, and this session only looks. Say what you would change.`
  return { kind: 'reject', reason, rule: 'mode.look' }
}

function changes(action: Action, context: GateContext): boolean {
  const { payload, target } = action
  if (payload.cmd !== undefined || target === 'shell') {
    return checkShell.check(action, context).kind !== 'pass'
  }
  if (payload.tool !== undefined) return context.tools.get(payload.tool)?.readOnly !== true
  return payload.action !== 'message'
}

const payloadSchema = z.object({ mode: z.enum(['ask', 'confirm', 'look']) })
const sessionsMax = 1_000

function setting(modes: Map<string, SessionMode>): SensorHandler {
  return ({ meta, payload, depth }, runtime) => {
    const { sessionId } = meta
    if (sessionId === undefined || meta.isUnproven === true) return null
    const parsed = payloadSchema.safeParse(payload)
    if (parsed.success) {
      modes.delete(sessionId)
      modes.set(sessionId, parsed.data.mode)
      const [oldest] = modes.keys()
      if (modes.size > sessionsMax && oldest !== undefined) modes.delete(oldest)
    }
    const told = { action: 'session-mode', mode: modes.get(sessionId) ?? 'ask' }
    runtime.reply({ type: 'status', meta, payload: told, depth })
    return null
  }
}

/** The skill that keeps the modes of the sessions. */
export function createSessionModes(): Skill {
  const modes = new Map<string, SessionMode>()
  return defineSkill({
    name: 'session-modes',
    description: 'Holds a session to looking only, or to asking about every change.',
    facts: (_, { meta }) => modes.get(meta.sessionId ?? ''),
    gates: [{ name: 'session-modes', priority: 590, check: checkMode }],
    sensors: { 'session-mode': setting(modes) },
  })
}
