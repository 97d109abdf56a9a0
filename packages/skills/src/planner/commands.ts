import { unquote } from '../common/planner-words.ts'

/** A call of a tool. */
export interface PlannerCall {
  kind: 'call'
  tool: string
  args: Record<string, unknown>
  /** Why, in words for the owner. */
  explanation: string
}

/** What a sentence asks for. */
export type PlannerCommand =
  | PlannerCall
  | { kind: 'run'; command: string }
  | { kind: 'help'; topic: string }
  | { kind: 'hello' | 'who' | 'why' | 'yes' | 'no' }
  | { kind: 'choice'; number: number }
  | { kind: 'everything'; from: string; to: string }
  | { kind: 'unclear'; text: string; problem: string | null; readings: string[] }

/** A pattern for a whole sentence, and what it means; null declines. */
export interface Rule {
  pattern: RegExp
  read: (words: (string | undefined)[], now: Date) => PlannerCommand | null
}

/** A call of a tool, with its reason. */
export function call(
  tool: string,
  args: Record<string, unknown>,
  explanation: string,
): PlannerCall {
  return { kind: 'call', tool, args, explanation }
}

/** A question with its readings. */
export function unclear(text: string, problem: string | null, readings: string[]): PlannerCommand {
  return { kind: 'unclear', text, problem, readings }
}

/** The call of a tool that changes a note, or null when there is no name. */
export function change(
  tool: string,
  query: string,
  args: Record<string, unknown>,
  what: string,
): PlannerCommand | null {
  const name = query
    .trim()
    .replace(/^(?:the|my) (?:task|todo|note) /i, '')
    .replace(/[:,;]$/, '')
  if (!/[\p{L}\p{N}]/u.test(name)) return null
  return call(tool, { query: name, ...args }, `You asked to ${what} “${unquote(name)}”.`)
}

/** The words that sentences begin with. */
export const verbs: readonly string[] = (
  'capture add remind remember todo complete done finish reopen mark schedule deadline plan move push ' +
  'postpone reschedule tag untag refile file archive find search show list agenda undo note help next'
).split(' ')
