import {
  commandName,
  defineSkill,
  findEntry,
  lastClosing,
  type ReadRecord,
  readTraceDay,
  type Skill,
  type Tool,
  type TraceEntry,
  traceDays,
  traceFolder,
} from '@passepartout/core'
import { z } from 'zod'

const stepsMax = 50

/** The entries that lead to this one, oldest first; the last decision's without an id, none when there is none. */
export function turnOf(dir: string, id?: string): TraceEntry[] {
  const turn: TraceEntry[] = []
  let next = findEntry(dir, id)
  while (next !== null && turn.length < stepsMax && !turn.includes(next)) {
    turn.unshift(next)
    next = causeOf(dir, next)
  }
  return turn
}

function causeOf(dir: string, entry: TraceEntry): TraceEntry | null {
  if (entry.fields.cause !== undefined) return findEntry(dir, entry.fields.cause)
  const given = entry.records.find(
    ({ kind, fields }) => kind === 'approval' && fields.state === 'given',
  )
  if (given === undefined) return null
  for (const day of traceDays(dir).reverse().slice(0, 2)) {
    const asked = readTraceDay(dir, day).findLast(
      ({ id, records }) => id !== entry.id && records.some((record) => isQuestion(record, given)),
    )
    if (asked !== undefined) return asked
  }
  return null
}

function isQuestion({ kind, fields }: ReadRecord, given: ReadRecord): boolean {
  return kind === 'approval' && fields.state === 'asked' && fields.digest === given.fields.digest
}

/** The story of these entries, a line for each thing that happened; empty for none. */
export function explain(turn: readonly TraceEntry[]): string {
  return turn.flatMap((entry) => [opening(entry), ...told(entry)]).join('\n')
}

function opening({ id, fields }: TraceEntry): string {
  const time = fields.time === undefined ? 'at an unknown time' : localTime(new Date(fields.time))
  const source = fields.source ?? 'nowhere'
  const origin = fields.origin === undefined ? '' : `, words of ${article(fields.origin)}`
  return `${time}: ${fields.sensor ?? 'a signal'} from ${source}${origin} (${id || 'no id'})`
}

function article(origin: string): string {
  const names: Record<string, string> = {
    owner: 'the owner',
    agent: 'the agent',
    tool: 'a tool',
    web: 'the web',
    message: 'a message',
  }
  return names[origin] ?? 'nobody known'
}

function localTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return 'at an unknown time'
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${date.toTimeString().slice(0, 8)}`
}

function told({ records, complete }: TraceEntry): string[] {
  const lines = records.flatMap(sentence)
  if (!complete) {
    const intent = records.findLast(({ kind }) => kind === 'intent')
    const isOpen = intent !== undefined && !records.some(({ kind }) => kind === 'outcome')
    if (isOpen) lines.push(`It was about to do this: ${actionInWords(intent.text ?? '')}.`)
    lines.push('It was not finished: the daemon ended first, or is still at it.')
  }
  return lines.map((line) => `  ${line}`)
}

function sentence(record: ReadRecord): string[] {
  const { kind, fields, text } = record
  switch (kind) {
    case 'done':
    case 'intent':
    case 'prompt':
      return []
    case 'input':
      return text ? [`Said: ${short(text)}`] : []
    case 'proposal':
      return proposalLines(record)
    case 'verdict':
      return verdictLines(record)
    case 'approval':
      return [approvalLine(fields.state)]
    case 'dispatch':
      return fields.target === 'cli' ? [] : [`It was handed to ${fields.target}.`]
    case 'outcome':
      return outcomeLines(record)
    case 'votes':
      return (text ?? '').split('\n').map((line) => `Among several: ${short(line)}`)
    case 'not-done':
      return (text ?? '').split('\n').map((line) => `Also proposed, and not done: ${short(line)}`)
    case 'stopped':
      return [`It was stopped ${short(text ?? '')}.`]
    case 'interrupt':
      return ['The owner stopped it.']
    case 'error':
      return [`Something broke: ${short(text ?? '')}`]
    default:
      return [`${kind}: ${short(text ?? JSON.stringify(fields))}`]
  }
}

function short(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, ' ⏎ ')
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}

function proposalLines({ fields, text }: ReadRecord): string[] {
  const failures = fields.failures ? [`Failed before: ${short(fields.failures)}`] : []
  if (fields.provider === 'nobody') return [...failures, 'No provider answered.']
  return [...failures, `${fields.provider} proposed: ${short(text ?? '')}`]
}

function approvalLine(state: string | undefined): string {
  if (state === 'asked') return 'The owner was asked.'
  if (state === 'given') return 'The owner approved it.'
  return `The approval was ${state ?? 'lost'}.`
}

function outcomeLines({ fields, text }: ReadRecord): string[] {
  const { status, target, tool, ms } = fields
  if (target === 'cli' && status !== 'error') return ['The answer was given.']
  const took = ms === undefined ? '' : ` after ${ms} ms`
  const what = tool === undefined ? target : `${target} (${tool})`
  return [`${what} ended with ${status}${took}${text ? `: ${short(text)}` : '.'}`]
}

const results: Record<string, string> = {
  pass: 'was allowed',
  reject: 'was refused',
  approval: 'needed an approval',
}

function verdictLines({ fields, text, verdicts }: ReadRecord): string[] {
  const result = results[fields.result ?? ''] ?? 'was judged'
  const when = fields.stage === 'act' ? ', immediately before it' : ''
  const objections = verdicts.filter(({ verdict }) => verdict !== 'pass')
  const passed = verdicts.filter(({ verdict }) => verdict === 'pass').map(({ gate }) => gate)
  const silent = passed.length === 0 ? [] : [`No objection: ${passed.join(', ')}.`]
  return [
    `${actionInWords(text ?? '')} ${result}${when}.`,
    ...objections.map(({ gate, verdict, rule, reason }) => {
      const by = rule === '' ? gate : `${gate} (${rule})`
      return verdict === 'change' ? `${by} changed it.` : `${by}: ${short(reason)}`
    }),
    ...silent,
  ]
}

function actionInWords(text: string): string {
  try {
    const { target = 'cli', payload } = JSON.parse(text)
    const { action, args, cmd, text: said, tool, explanation } = payload
    const parts = [tool, args && JSON.stringify(args), cmd, said].filter(
      (part) => part !== undefined,
    )
    const why = explanation === undefined ? '' : ` — “${short(String(explanation))}” —`
    return `${target} ${action}: ${short(parts.map(String).join(' '))}${why}`
  } catch {
    return short(text) || 'An action'
  }
}

const parameters = z.object({
  id: z.string().max(64).optional().describe('The id of an entry of the trace'),
  blocked: z.boolean().default(false).describe('The last thing that was refused or asked about'),
})

/** Tells the model or the planner why something was decided. */
const whyTool: Tool = {
  name: 'why',
  description: 'Explains a decision from the trace: the last one, the last blocked one, or by id.',
  parameters,
  readOnly: true,
  async run(args, { runtime }) {
    const { id, blocked } = parameters.parse(args)
    await runtime.trace.flush()
    const dir = traceFolder(runtime.config.stateDir)
    const found = id === undefined ? lastComplete(dir, blocked) : id
    const turn = found === null ? [] : turnOf(dir, found)
    const story = isBefore(turn, lastClosing(runtime.store)) ? withheldStory : explain(turn)
    return { status: 'success', content: story || 'Nothing of the kind is in the trace.' }
  },
}

const withheldStory = `That was decided before a note became private; “${commandName} why” in a terminal tells it.`

function isBefore(turn: readonly TraceEntry[], closing: number): boolean {
  return turn.some(({ fields }) => !(new Date(fields.time ?? Number.NaN).getTime() >= closing))
}

function lastComplete(dir: string, blocked: boolean): string | null {
  for (const day of traceDays(dir).reverse()) {
    const found = readTraceDay(dir, day).findLast(
      (entry) => entry.complete && (blocked ? isBlocked(entry) : isDecided(entry)),
    )
    if (found !== undefined) return found.id
  }
  return null
}

function isDecided({ records }: TraceEntry): boolean {
  return records.some(({ kind }) => kind === 'verdict')
}

function isBlocked({ records }: TraceEntry): boolean {
  return records.some(({ fields }) => fields.result === 'reject' || fields.result === 'approval')
}

/** The skill that explains decisions. */
export const why: Skill = defineSkill({
  name: 'why',
  description: 'Explains from the trace why something was done or refused.',
  offeredFor: ['why', 'explain', 'blocked', 'refused'],
  tools: [whyTool],
})
