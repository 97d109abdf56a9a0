import type { Acts } from './ledger.ts'
import { type Entry, type EntryOf, turnStart } from './transcript.ts'

interface Step {
  tool: string
  call: string
  /** The call in words, for whoever is told. */
  shown: string
  /** What makes it the same as another, its result included. */
  key: string
  state: EntryOf<'result'>['state']
}

const shownMax = 120

function stepsOf(entries: readonly Entry[]): Step[] {
  const calls = new Map<string, string>()
  return entries.flatMap((entry) => {
    if (entry.kind === 'answer') {
      for (const { args, id, tool } of entry.calls) calls.set(id, `${tool} ${inOrder(args)}`)
    }
    const call = entry.kind === 'result' ? calls.get(entry.call) : undefined
    if (entry.kind !== 'result' || call === undefined) return []
    const shown = call.length <= shownMax ? call : `${call.slice(0, shownMax)}…`
    const key = `${call}\n${entry.state}\n${withoutTimes(entry.text)}`
    return [{ tool: entry.tool, call, shown, key, state: entry.state }]
  })
}

/** JSON with the fields of each object in the order of their names. */
function inOrder(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => {
      const isObject = typeof part === 'object' && part !== null && !Array.isArray(part)
      return isObject ? Object.fromEntries(Object.entries(part).sort(byName)) : part
    }) ?? ''
  )
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function withoutTimes(text: string): string {
  return text
    .replace(/\b\d+(?:[.,]\d+)? ?(?:ms|s|sec|seconds?|min|minutes?)\b/g, '0 s')
    .replace(/\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b/g, '0:00')
}

const rounds = 3
const periodMax = 6

/** What repeats in the turn under way, in a sentence; null when nothing does. `acts` says which tools change anything. */
export function loopIn(entries: readonly Entry[], acts: Acts): string | null {
  const summary = entries.findLastIndex(({ kind }) => kind === 'summary')
  const turn = entries.slice(Math.max(turnStart(entries), summary + 1))
  const steps = stepsOf(turn)
  return circle(steps) ?? sameCall(steps, acts) ?? sameAnswer(turn)
}

function sameCall(steps: readonly Step[], acts: Acts): string | null {
  const seen = new Set<string>()
  const last = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { call, key, shown, state, tool } of steps) {
    const isChange = state === 'done' && acts(tool) && !seen.has(key)
    if (isChange || (last.get(call) ?? key) !== key) counts.clear()
    seen.add(key)
    last.set(call, key)
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count === rounds) return `The same call has had the same result three times: ${shown}`
  }
  return null
}

function circle(steps: readonly Step[]): string | null {
  for (let period = 2; period <= periodMax; period++) {
    const last = steps.slice(-period * rounds)
    if (last.length < period * rounds) return null
    if (!last.every(({ key }, at) => key === last[at % period]!.key)) continue
    const shown = last.slice(0, period).map((step) => step.shown)
    return `The same ${period} calls have gone round three times: ${shown.join(', then ')}`
  }
  return null
}

function sameAnswer(turn: readonly Entry[]): string | null {
  const counts = new Map<string, number>()
  for (const entry of turn) {
    if (entry.kind !== 'answer' || entry.calls.length > 0) continue
    const text = entry.text.replace(/\s+/g, ' ').trim()
    counts.set(text, (counts.get(text) ?? 0) + 1)
    if (counts.get(text) === rounds) return 'The same answer was given three times.'
  }
  return null
}
