import { createHash } from 'node:crypto'
import { type Action, type GateContext, messageOf, type Verdict } from '@passepartout/core'

/** One question about an action. Pure like a gate; its rules are called `NAME.something`. */
export interface Check {
  /** Lower case with dashes, unique in the dispatcher. */
  name: string
  check(action: Action, context: GateContext): Verdict
}

/** The strictest verdict of all checks, with every objection in its reason. Never throws. */
export function runChecks(checks: readonly Check[], action: Action, context: GateContext): Verdict {
  const objections: Objection[] = []
  let current = action
  for (const check of checks) {
    const verdict = askCheck(check, current, context)
    if (verdict.kind === 'change') current = verdict.action
    else if (verdict.kind !== 'pass') objections.push(verdict)
  }
  const worst = objections.find(({ kind }) => kind === 'reject') ?? objections[0]
  if (worst !== undefined) {
    const reason = reasonOf(worst, objections)
    return worst.kind === 'reject'
      ? { ...worst, reason }
      : { ...worst, reason, ...rulesOf(objections) }
  }
  return current === action ? { kind: 'pass' } : { kind: 'change', action: current }
}

type Objection = Extract<Verdict, { reason: string }>

function askCheck(check: Check, action: Action, context: GateContext): Verdict {
  try {
    return check.check(action, context)
  } catch (error) {
    const reason = messageOf(error)
    return {
      kind: 'reject',
      reason: `The check ${check.name} is broken: ${reason}`,
      rule: `${check.name}.broken`,
    }
  }
}

function reasonOf(worst: { reason: string }, objections: readonly { reason: string }[]): string {
  if (objections.length === 1) return worst.reason
  const reasons = [worst, ...objections].map(({ reason }) => reason)
  return [...new Set(reasons)].join(' Also: ')
}

const ruleMax = 100

function rulesOf(objections: readonly Objection[]): { rule?: string } {
  const rules = new Set<string>()
  for (const { rule } of objections) if (rule !== undefined) rules.add(rule)
  if (rules.size === 0) return {}
  const all = [...rules].join('+')
  if (all.length <= ruleMax) return { rule: all }
  const digest = createHash('sha256').update(all).digest('hex').slice(0, 16)
  return { rule: `${all.slice(0, ruleMax - digest.length - 1)}+${digest}` }
}
