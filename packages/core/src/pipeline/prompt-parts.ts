import type { Signal } from '../contract/signal.ts'
import { toolJson } from '../contract/tool-schema.ts'
import { systemPrompt } from '../mind/prompt.ts'
import type { Entry } from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'
import { groupsFor, offerFor } from './tool-offer.ts'

/** A part of what a model is sent. */
interface PromptPart {
  name: string
  /** How many things it is made of. */
  count: number
  tokens: number
}

/** What fills the prompt of a session. */
interface PromptContents {
  parts: PromptPart[]
  /** What was left out, a sentence each. */
  leftOut: string[]
}

const names: Record<Exclude<Entry['kind'], 'end'>, string> = {
  summary: 'summary of what was said before',
  material: 'material of turns',
  words: 'what was said to the model',
  answer: 'answers and calls',
  result: 'results of calls',
  receipt: 'receipts',
  notice: 'notices of the daemon',
}

/** What fills the prompt of the session that this signal belongs to. */
export function promptContents(runtime: Runtime, signal: Signal): PromptContents {
  const { entries } = runtime.sessions.of(signal.meta.sessionId)
  const count = (text: string) => runtime.tokens.count(text)
  const tools = offerFor(runtime, entries, signal)
  const sent = sentOf(entries)
  const system = systemPrompt(runtime.mind.persona)
  const partOf = (name: string, texts: readonly string[]): PromptPart => {
    const tokens = texts.reduce((sum, text) => sum + count(text), 0)
    return { name, count: texts.length, tokens }
  }
  const said = Object.entries(names).map(([kind, name]) =>
    partOf(name, sent.filter((entry) => entry.kind === kind).map(textOf)),
  )
  const parts = [partOf('system prompt', [system]), partOf('tools', tools.map(toolJson)), ...said]
  const leftOut = leftOutOf(runtime, signal, entries, new Set(tools.map(({ name }) => name)))
  return { parts: parts.filter((part) => part.count > 0), leftOut }
}

function sentOf(entries: readonly Entry[]): readonly Entry[] {
  const summary = entries.findLast((entry) => entry.kind === 'summary')
  if (summary?.kind !== 'summary') return entries
  return [summary, ...entries.slice(summary.before).filter(({ kind }) => kind !== 'summary')]
}

function textOf(entry: Entry): string {
  if (entry.kind === 'end') return ''
  if (entry.kind !== 'answer') return entry.text
  const calls = entry.calls.map(({ args, tool }) => `${tool} ${JSON.stringify(args)}`)
  return [entry.text, ...calls].join('\n')
}

function leftOutOf(
  runtime: Runtime,
  signal: Signal,
  entries: readonly Entry[],
  offered: ReadonlySet<string>,
): string[] {
  const gone = entries.length - sentOf(entries).length
  const { groups } = groupsFor(runtime, signal, '')
  const away = groups.filter(({ tools }) => tools.some(({ name }) => !offered.has(name)))
  const part = (entry: Entry) => entry.kind === 'result' && /^\[Lines 1–/m.test(entry.text)
  const parts = sentOf(entries).filter(part).length
  return [
    ...(gone > 0 ? [`${gone} entries before the summary`] : []),
    ...(parts > 0 ? [`the middle of ${parts} long results`] : []),
    ...(away.length > 0 ? [`tools of ${away.map(({ name }) => name).join(', ')}`] : []),
  ]
}

/** The parts as a table for a person. */
export function promptText({ leftOut, parts }: PromptContents): string {
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const rows = [...parts, { name: 'all', count: 0, tokens: all }].map(({ count, name, tokens }) => {
    const many = count > 1 ? ` (${count})` : ''
    return `${String(tokens).padStart(7)}  ${name}${many}`
  })
  const rest = leftOut.length === 0 ? [] : [`Left out: ${leftOut.join('; ')}.`]
  return ['Tokens of what a model is sent in this session:', ...rows, ...rest].join('\n')
}
