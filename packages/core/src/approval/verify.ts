import { isDeepStrictEqual } from 'node:util'
import { DeadlineError, withDeadline } from '../base/deadline.ts'
import { messageOf } from '../base/printing.ts'
import {
  askGate,
  broken,
  frozenContext,
  frozenCopy,
  type Gate,
  type GateContext,
  type GatePanel,
  type PanelAnswer,
  panelVerdict,
  type Verdict,
} from '../contract/gate.ts'
import type { Action } from '../contract/signal.ts'
import type { Asker } from './approvals.ts'

/** One gate's answer. */
interface GateRecord {
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
const reading = { usage: process.threadCpuUsage(), at: performance.now() }

function readProcessor(): void {
  reading.usage = process.threadCpuUsage()
  reading.at = performance.now()
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
const roundMaxMs = 500

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

/**
 * Asks every gate about the action once, highest priority first. Pure if the gates are; never throws.
 * A gate whose code is elsewhere cannot be asked here, and so rejects.
 */
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
    return { ...inOrder(gates), action: frozenCopy(action), context: frozenContext(context) }
  } catch (error) {
    const reason = `it cannot be judged: ${messageOf(error)}`
    return rejectedWhole(action, reason)
  }
}

interface Ordered {
  /** All gates. */
  ordered: readonly Gate[]
  /** Those whose code is here. */
  house: readonly Gate[]
  /** The others, by where their code is. */
  panels: ReadonlyMap<GatePanel, readonly Gate[]>
}

const orders = new WeakMap<readonly Gate[], { given: readonly Gate[]; result: Ordered }>()

/** The gates by their priority; the order is kept for those who ask with the same gates again. */
function inOrder(gates: readonly Gate[]): Ordered {
  const known = orders.get(gates)
  const isSame = known?.given.every((gate, at) => gate === gates[at]) === true
  if (isSame && known.given.length === gates.length) return known.result
  const ordered = [...gates].sort((a, b) => b.priority - a.priority || compare(a.name, b.name))
  const house = ordered.filter(({ panel }) => panel === undefined)
  const panels = new Map<GatePanel, readonly Gate[]>()
  for (const gate of ordered) {
    if (gate.panel !== undefined) panels.set(gate.panel, [...(panels.get(gate.panel) ?? []), gate])
  }
  const result = { ordered, house, panels }
  orders.set(gates, { given: [...gates], result })
  return result
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
 * Verifies until the action that came out is the one that was judged, with gates whose code is here;
 * one whose code is elsewhere rejects. For those who have no such gates, or want none.
 */
export function settleNow(
  gates: readonly Gate[],
  action: Action,
  context: GateContext,
  deadlineMs: number | null = roundMaxMs,
): VerifyResult {
  const given = prepared(gates, action, context)
  if ('kind' in given) return given
  const result = settleHere(given.ordered, given.action, given.context, deadlineMs)
  return backAs(result, given.action, action)
}

function settleHere(
  house: readonly Gate[],
  action: Action,
  context: GateContext,
  deadlineMs: number | null,
): VerifyResult {
  let judged = action
  const changes: GateRecord[] = []
  for (let round = 1; round <= roundsMax; round++) {
    const result = askAll(house, judged, context, deadlineMs)
    const records = [...changes, ...result.records]
    if (result.kind === 'reject') return { ...result, records, action }
    if (result.action === judged || isSame(result.action, judged)) return { ...result, records }
    judged = result.action
    changes.push(...changesIn(result.records))
  }
  return rejectedWhole(action, neverAgree)
}

function changesIn(records: readonly GateRecord[]): GateRecord[] {
  return records.filter(({ verdict }) => verdict.kind === 'change')
}

const neverAgree = 'the gates keep changing the action'

function isSame(a: Action, b: Action): boolean {
  return a === b || isDeepStrictEqual(a, b)
}

/**
 * Verifies until the action that came out is the one that was judged. Pure like `verify`; never rejects.
 * Each round of the house's gates has a deadline; null is for those who would rather wait.
 */
export async function settle(
  gates: readonly Gate[],
  action: Action,
  context: GateContext,
  deadlineMs: number | null = roundMaxMs,
): Promise<VerifyResult> {
  const given = prepared(gates, action, context)
  if ('kind' in given) return given
  const { house, panels } = given
  let here = settleHere(house, given.action, given.context, deadlineMs)
  if (panels.size === 0) return backAs(here, given.action, action)
  const changes = changesIn(here.records)
  for (let round = 1; round <= roundsMax; round++) {
    const there = await askPanels(panels, here.action, given.context)
    const isRejected = here.kind === 'reject' || there.kind === 'reject'
    if (isRejected) return { ...together(here, there), kind: 'reject', action }
    const last = settleHere(house, there.action, given.context, deadlineMs)
    if (last.kind === 'reject') return { ...together(last, there), kind: 'reject', action }
    if (isSame(last.action, here.action)) {
      const kind = last.kind === 'approval' || there.kind === 'approval' ? 'approval' : 'pass'
      const records = [...changes, ...last.records, ...there.records]
      return backAs({ ...last, records, kind }, given.action, action)
    }
    changes.push(...changesIn([...there.records, ...last.records]))
    here = last
  }
  return rejectedWhole(action, neverAgree)
}

function together(here: VerifyResult, there: VerifyResult): VerifyResult {
  return { ...here, records: [...here.records, ...there.records] }
}

async function askPanels(
  panels: ReadonlyMap<GatePanel, readonly Gate[]>,
  given: Action,
  context: GateContext,
): Promise<VerifyResult> {
  const round: Round = { kind: 'pass', action: given, records: [], at: 0 }
  for (const [panel, gates] of panels) {
    const answers = await answersOf(panel, gates, round.action, context)
    for (const [at, gate] of gates.entries()) {
      const answer = answers[at] ?? { error: new Error('it was not asked'), micros: 0 }
      note(round, given, gate, panelVerdict(gate, answer, round.action), answer.micros)
    }
  }
  return { kind: round.kind, action: round.action, records: round.records }
}

async function answersOf(
  panel: GatePanel,
  gates: readonly Gate[],
  action: Action,
  context: GateContext,
): Promise<PanelAnswer[]> {
  try {
    return await panel.ask(gates, action, context)
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error))
    return gates.map(() => ({ error: known, micros: 0 }))
  }
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
