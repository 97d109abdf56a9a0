import type { Provenance, Signal } from '../contract/signal.ts'
import { shownResult } from '../transcript/results.ts'
import {
  type EntryBody,
  type ResultState,
  type Transcript,
  taintOf,
} from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'
import { TurnBudget } from './turn-budget.ts'

/** What the loop hands to a turn. */
export interface TurnContext {
  /** Aborted when the owner stops it. */
  abort: AbortSignal
  /** What the owner has said in this session since it was last asked, which is heard at the next step. */
  hear: () => readonly Signal[]
}

/** A turn under way. */
export interface Turn extends TurnContext {
  runtime: Runtime
  first: Signal
  /** The signal of the step that is under way. */
  signal: Signal
  transcript: Transcript
  /** The id of its first entry in the trace, which stands in all of its entries in the transcript. */
  id: string
  step: number
  /** How often in a row the gates have objected, or an answer could not be read. */
  refusals: number
  /** How often each action was refused in this turn, by its digest, and why the last time. */
  refused: Map<string, { count: number; reasons: string }>
  /** What it may spend, and has spent. */
  budget: TurnBudget
  /** Why no tool is called any more: the budget is spent, or it goes round in circles; null while they are. */
  over: string | null
  /** What the actuator of the answer has fed back, which is a signal of its own. */
  feedback: Signal | null
  /** What was done, oldest first, and what waits. */
  deeds: Deed[]
}

/** An action that was carried out, or that waits for the owner. */
export interface Deed {
  /** Its tool or command, in words for the owner. */
  what: string
  isCommand: boolean
  state: 'done' | 'failed' | 'waiting'
  /** The notes that it has changed. */
  changed: readonly string[]
}

/** A turn that begins with this signal. */
export function openTurn(runtime: Runtime, first: Signal, context: TurnContext): Turn {
  const transcript = runtime.sessions.of(first.meta.sessionId)
  const id = turnOf(transcript, first.meta.call) ?? runtime.entry ?? ''
  runtime.turn = id
  const budget = new TurnBudget(runtime.mind.turn, runtime.clock)
  const counts = { step: 0, refusals: 0, refused: new Map() }
  const state = { ...counts, budget, over: null, feedback: null, deeds: [] }
  return { ...context, ...state, runtime, first, signal: first, transcript, id }
}

/** The turn in which a call was made, which goes on when the owner has decided about it. */
function turnOf({ entries }: Transcript, call: string | undefined): string | undefined {
  if (call === undefined) return undefined
  return entries.findLast(
    (entry) => entry.kind === 'answer' && entry.calls.some(({ id }) => id === call),
  )?.turn
}

/** Adds an entry to the transcript of a turn. */
export function say({ first, id, runtime, transcript }: Turn, body: EntryBody): void {
  runtime.sessions.add(transcript, id, body, first.meta.sessionId)
}

/** How a call ended. */
interface CallResult {
  /** Its id. */
  call: string
  tool: string
  state: ResultState
  text: string
  /** Whose words the text is. */
  origin: Provenance
}

/** Takes a result into the turn: into the transcript, and as the signal of the next step. */
export function takeResult(turn: Turn, { call, origin, state, text, tool }: CallResult): void {
  const { first, runtime, transcript } = turn
  if (origin === 'web' || origin === 'message') runtime.store.heard(text)
  const shown = shownResult(text, call)
  if (shown !== text) runtime.results.keep(transcript.id, call, text)
  say(turn, { kind: 'result', call, tool, state, text: shown, origin })
  const mine = transcript.entries.filter((entry) => entry.turn === turn.id)
  const worst = taintOf(
    mine,
    first.meta.origin === 'owner' ? 'tool' : (first.meta.origin ?? 'tool'),
  )
  const status = state === 'done' ? 'success' : state === 'failed' ? 'error' : state
  turn.signal = {
    type: 'event',
    meta: { ...first.meta, origin: worst },
    payload: { sensor: 'tool-output', tool, text, status },
    depth: first.depth + turn.step,
  }
  const isRefusal = state === 'refused' || state === 'denied'
  turn.refusals = isRefusal ? turn.refusals : 0
}
