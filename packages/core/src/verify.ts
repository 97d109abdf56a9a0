import { type Asker, actionDigest } from './approvals.ts'
import { DeadlineError, withDeadline } from './deadline.ts'
import {
  askGate,
  broken,
  frozenContext,
  frozenCopy,
  type Gate,
  type GateContext,
  type Verdict,
} from './gate.ts'
import type { Action } from './signal.ts'

/** One gate's answer. */
export interface GateRecord {
  gate: string
  verdict: Verdict
  /** How long the gate took, in microseconds; no part of what was decided. */
  micros: number
}

/** The verdict of all gates, with the action in its final form. */
export interface VerifyResult {
  kind: 'pass' | 'reject' | 'approval'
  action: Action
  records: GateRecord[]
}

interface Round {
  kind: VerifyResult['kind']
  action: Action
  records: GateRecord[]
  /** The place of the gate that is being asked. */
  at: number
}

function note(round: Round, given: Action, gate: Gate, verdict: Verdict, micros: number): void {
  round.records.push({ gate: gate.name, verdict, micros })
  if (verdict.kind === 'reject') {
    round.kind = 'reject'
    round.action = given
  } else if (round.kind === 'reject') return
  else if (verdict.kind === 'change') round.action = verdict.action
  else if (verdict.kind === 'approval') round.kind = 'approval'
}

/** CPU time that a gate may take, in microseconds. */
export const gateMaxMicros = 50_000

const readingAgeMs = 5
let reading = { usage: process.threadCpuUsage(), at: performance.now() }

function readProcessor(): void {
  reading = { usage: process.threadCpuUsage(), at: performance.now() }
}

/** The least that this thread has worked since that moment of the wall clock, in microseconds. */
function workedSince(begin: number): number {
  const { user, system } = process.threadCpuUsage(reading.usage)
  return user + system - (begin - reading.at) * 1_000
}

function askFrom(gates: readonly Gate[], round: Round, given: Action, context: GateContext): void {
  if (performance.now() - reading.at > readingAgeMs) readProcessor()
  for (; round.at < gates.length; round.at++) {
    const gate = gates[round.at]!
    const begin = performance.now()
    let verdict = askGate(gate, round.action, context)
    const micros = Math.round((performance.now() - begin) * 1_000)
    if (micros >= gateMaxMicros) {
      if (workedSince(begin) >= gateMaxMicros) {
        verdict = broken(gate, `it took ${micros / 1_000} ms`)
      }
      readProcessor()
    }
    note(round, given, gate, verdict, micros)
  }
}

/** How long a round of gates may take in the daemon, in ms. */
export const roundMaxMs = 500

function askAll(
  gates: readonly Gate[],
  given: Action,
  context: GateContext,
  deadlineMs: number | null,
): VerifyResult {
  const round: Round = { kind: 'pass', action: given, records: [], at: 0 }
  const ask = () => askFrom(gates, round, given, context)
  for (const gate of gates) prepare(gate, given)
  while (round.at < gates.length) {
    try {
      if (deadlineMs === null) ask()
      else withDeadline(ask, deadlineMs)
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
      const gate = gates[round.at]
      if (gate === undefined) break
      note(round, given, gate, broken(gate, error.message), (deadlineMs ?? 0) * 1_000)
      round.at++
    }
  }
  return { kind: round.kind, action: round.action, records: round.records }
}

function prepare(gate: Gate, action: Action): void {
  try {
    gate.prepare?.(action)
  } catch {
    // The check will fail of the same, and be told.
  }
}

/** Asks every gate about the action, highest priority first. Pure if the gates are; never throws. */
export function verify(
  gates: readonly Gate[],
  action: Action,
  context: GateContext,
  deadlineMs: number | null = null,
): VerifyResult {
  const given = prepared(gates, action, context)
  if ('kind' in given) return given
  return backAs(
    askAll(given.ordered, given.action, given.context, deadlineMs),
    given.action,
    action,
  )
}

function prepared(gates: readonly Gate[], action: Action, context: GateContext) {
  try {
    return { ordered: inOrder(gates), action: frozenCopy(action), context: frozenContext(context) }
  } catch (error) {
    const reason = `it cannot be judged: ${error instanceof Error ? error.message : String(error)}`
    return rejectedWhole(action, reason)
  }
}

let sorted: { given: readonly Gate[]; ordered: readonly Gate[] } = { given: [], ordered: [] }

/** The gates by their priority; the order is kept for those who ask with the same gates again. */
function inOrder(gates: readonly Gate[]): readonly Gate[] {
  const { given } = sorted
  if (given.length === gates.length && given.every((gate, at) => gate === gates[at])) {
    return sorted.ordered
  }
  const ordered = [...gates].sort((a, b) => b.priority - a.priority || compare(a.name, b.name))
  sorted = { given: [...gates], ordered }
  return ordered
}

function rejectedWhole(action: Action, reason: string): VerifyResult {
  const verdict: Verdict = { kind: 'reject', reason, rule: 'verification' }
  return { kind: 'reject', action, records: [{ gate: 'verification', verdict, micros: 0 }] }
}

/** The result with the caller's own action in it where no gate has changed it. */
function backAs(result: VerifyResult, frozen: Action, action: Action): VerifyResult {
  return result.action === frozen ? { ...result, action } : result
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const roundsMax = 3

/**
 * Verifies until the action that came out is the one that was judged. Pure like `verify`.
 * Each round has a deadline; null is for those who would rather wait.
 */
export function settle(
  gates: readonly Gate[],
  action: Action,
  context: GateContext,
  deadlineMs: number | null = roundMaxMs,
): VerifyResult {
  const given = prepared(gates, action, context)
  if ('kind' in given) return given
  let judged = given.action
  for (let round = 1; round <= roundsMax; round++) {
    const result = askAll(given.ordered, judged, given.context, deadlineMs)
    if (result.kind === 'reject') return { ...result, action }
    if (result.action === judged) return backAs(result, given.action, action)
    if (actionDigest(result.action) === actionDigest(judged)) return result
    judged = result.action
  }
  return rejectedWhole(action, 'the gates keep changing the action')
}

/** The records without their times. */
export function verdictsOf(records: readonly GateRecord[]): Omit<GateRecord, 'micros'>[] {
  return records.map(({ gate, verdict }) => ({ gate, verdict }))
}

/** The gates that want a person to decide. */
export function askersOf(records: readonly GateRecord[]): Asker[] {
  return records.flatMap(({ gate, verdict }) =>
    verdict.kind === 'approval' ? [{ gate, rule: verdict.rule, reason: verdict.reason }] : [],
  )
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
