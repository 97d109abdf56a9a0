import { actionDigest } from './approvals.ts'
import { askGate, type Gate, type GateContext, type Verdict } from './gate.ts'
import type { Action } from './signal.ts'

/** One gate's answer. */
export interface GateRecord {
  gate: string
  verdict: Verdict
}

/** The verdict of all gates, with the action in its final form. */
export interface VerifyResult {
  kind: 'pass' | 'reject' | 'approval'
  action: Action
  records: GateRecord[]
}

/** Asks every gate about the action, highest priority first. Pure if the gates are; never throws. */
export function verify(gates: readonly Gate[], action: Action, context: GateContext): VerifyResult {
  const ordered = [...gates].sort((a, b) => b.priority - a.priority || compare(a.name, b.name))
  const records: GateRecord[] = []
  let current = action
  let kind: VerifyResult['kind'] = 'pass'
  for (const gate of ordered) {
    const verdict = askGate(gate, current, context)
    records.push({ gate: gate.name, verdict })
    if (verdict.kind === 'reject') {
      kind = 'reject'
      current = action
    } else if (kind === 'reject') continue
    else if (verdict.kind === 'change') current = verdict.action
    else if (verdict.kind === 'approval') kind = 'approval'
  }
  return { kind, action: current, records }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const roundsMax = 3

/** Verifies until the action that came out is the one that was judged. Pure like `verify`. */
export function settle(gates: readonly Gate[], action: Action, context: GateContext): VerifyResult {
  let judged = action
  for (let round = 1; ; round++) {
    const result = verify(gates, judged, context)
    if (result.kind === 'reject') return { ...result, action }
    if (actionDigest(result.action) === actionDigest(judged)) return result
    judged = result.action
    if (round === roundsMax) return { kind: 'reject', action, records: [quarrel] }
  }
}

const quarrel: GateRecord = {
  gate: 'verification',
  verdict: { kind: 'reject', reason: 'the gates keep changing the action' },
}

/** One line per gate that did not pass the action: `dispatcher: the command is not allowed`. */
export function objections(records: readonly GateRecord[]): string {
  return records
    .flatMap(({ gate, verdict }) => ('reason' in verdict ? [`${gate}: ${verdict.reason}`] : []))
    .map(inOneLine)
    .join('\n')
}

/** The text with its line ends made visible. */
export function inOneLine(text: string): string {
  return text.trim().replace(/\s*[\n\r\v\f\x85\u2028\u2029]\s*/g, ' ⏎ ')
}
