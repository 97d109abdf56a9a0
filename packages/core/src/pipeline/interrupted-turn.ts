import { z } from 'zod'
import { type ReadRecord, readTraceDay, traceDays } from './trace-read.ts'

/** What is known of an interrupted turn: names of actions. */
export interface Interrupted {
  done: string[]
  /** What was begun, and may be done, in part or not at all. */
  unsure: string[]
}

const actionSchema = z.object({
  target: z.string().default(''),
  payload: z.object({ tool: z.string().optional() }),
})

function nameOf({ text }: ReadRecord): string {
  try {
    const { payload, target } = actionSchema.parse(JSON.parse(text ?? ''))
    return payload.tool ?? target
  } catch {
    return 'an action'
  }
}

/** What the journal in this folder knows of a turn; null when it has never heard of it. Never throws. */
export function interruptedTurn(
  dir: string,
  turn: string,
  isReadOnly: (tool: string) => boolean,
): Interrupted | null {
  const days = traceDays(dir).slice(-2)
  const known = new Set<string>()
  const found: Interrupted = { done: [], unsure: [] }
  for (const { fields, id, records } of days.flatMap((day) => readTraceDay(dir, day))) {
    if (fields.turn !== turn && !known.has(fields.cause ?? '')) continue
    known.add(id)
    const at = records.findIndex(({ kind }) => kind === 'intent')
    if (at < 0) continue
    const name = nameOf(records[at]!)
    if (isReadOnly(name)) continue
    const rest = records.slice(at)
    if (rest.some(isRefusal)) continue
    found[rest.some(({ kind }) => kind === 'outcome') ? 'done' : 'unsure'].push(name)
  }
  return known.size === 0 ? null : found
}

function isRefusal({ fields, kind }: ReadRecord): boolean {
  return (
    (kind === 'verdict' && fields.result === 'reject') ||
    (kind === 'approval' && fields.state === 'asked')
  )
}

/** What is told to whoever asked; `what` says which message it was. */
export function interruptedText(what: string, found: Interrupted | null): string {
  const stopped = `I was stopped while I worked on ${what}.`
  const names = (all: readonly string[]) => [...new Set(all)].join(', ')
  if (found === null || found.done.length + found.unsure.length === 0)
    return `${stopped} Nothing was done yet; say it again.`
  const done = found.done.length === 0 ? '' : ` Done: ${names(found.done)}.`
  if (found.unsure.length === 0) return `${stopped}${done} Only the answer was lost.`
  return `${stopped}${done} Begun, and perhaps done in part: ${names(found.unsure)}. Look before you say it again.`
}
