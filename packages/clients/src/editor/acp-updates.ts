import { isAbsolute, join } from 'node:path'
import type {
  PermissionOption,
  PlanEntry,
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk'
import { printable } from '@passepartout/core/presence'
import type { Deed, Question } from '@passepartout/core/protocol'
import { z } from 'zod'

/** The pieces of a unified diff, with absolute paths; nothing for a text that is none. */
export function diffsIn(diff: string, memex: string): ToolCallContent[] {
  const found: ToolCallContent[] = []
  let path = ''
  let piece: { old: string[]; now: string[]; isNew: boolean } | null = null
  const close = () => {
    if (piece !== null && path !== '') {
      const oldText = piece.isNew ? null : joined(piece.old)
      found.push({ type: 'diff', path: placeOf(path, memex), oldText, newText: joined(piece.now) })
    }
    piece = null
  }
  const lines = diff.split('\n')
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1] ?? ''
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      close()
      path = line.slice(4)
    } else if (line.startsWith('@@ ')) {
      close()
      piece = { old: [], now: [], isNew: /^@@ -\d+,0 /.test(line) }
    } else if (piece !== null) {
      if (/^[ -]/.test(line)) piece.old.push(line.slice(1))
      if (/^[ +]/.test(line)) piece.now.push(line.slice(1))
    }
  }
  close()
  return found
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function placeOf(path: string, memex: string): string {
  return isAbsolute(path) ? path : join(memex === '' ? '/' : memex, path)
}

/** The tool call that a question is about, before anything is done. */
export function questionCall(question: Question, memex: string): ToolCall {
  const { args, askers, cmd, explanation, preview, text, tool } = question
  const why = explanation === undefined ? [] : [`Why: ${oneLine(explanation)}`]
  const gates = askers.map(({ gate, reason, rule }) =>
    oneLine(`${gate}${rule === undefined ? '' : ` (${rule})`}: ${reason}`),
  )
  const exact = [tool, args, cmd, text].filter((part) => part !== undefined)
  const words = [...exact.map((part) => printable(part)), ...why, ...gates].join('\n')
  return {
    toolCallId: `question-${question.id}`,
    title: titleOf(question),
    kind: kindOf(question, preview !== null),
    status: 'pending',
    content: [textContent(words), ...changes(preview, memex)],
    rawInput: rawInputOf(question),
  }
}

function changes(diff: string | null, memex: string): ToolCallContent[] {
  if (diff === null) return []
  const found = diffsIn(diff, memex)
  return found.length > 0 ? found : [textContent(printable(diff))]
}

function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

/** The text in one line, without characters that hide or turn others. */
function oneLine(text: string): string {
  return printable(text)
    .replace(/[\n\t]+/g, ' ⏎ ')
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, '\ufffd')
}

/** What a question and a deed have in common. */
type Step = Pick<Deed, 'args' | 'cmd' | 'target' | 'tool'>

const titleMax = 80

function titleOf({ args, cmd, target, tool }: Step): string {
  const what = cmd ?? (args === undefined || args === '{}' ? (tool ?? target) : `${tool} ${args}`)
  const title = oneLine(what ?? 'a step')
  return title.length <= titleMax ? title : `${title.slice(0, titleMax - 1).toWellFormed()}…`
}

const kinds: [RegExp, ToolKind][] = [
  [/search|find|query|grep/, 'search'],
  [/show|list|agenda|next|history|read|look|status|explain/, 'read'],
  [/fetch|web|http/, 'fetch'],
  [/delete|remove/, 'delete'],
  [/refile|move|rename|archive/, 'move'],
  [/capture|edit|write|set|add|complete|schedule|tag|note|task/, 'edit'],
]

function kindOf({ cmd, tool = '' }: Step, hasDiff: boolean): ToolKind {
  if (cmd !== undefined) return 'execute'
  if (hasDiff) return 'edit'
  return kinds.find(([pattern]) => pattern.test(tool))?.[1] ?? 'other'
}

function rawInputOf({ args, cmd }: Step): Record<string, unknown> {
  if (cmd !== undefined) return { cmd }
  try {
    const parsed: unknown = JSON.parse(args ?? '{}')
    return z.record(z.string(), z.unknown()).parse(parsed)
  } catch {
    return { args }
  }
}

/** The ways to answer a question. */
export function permissionOptions({ digest = '', offers }: Question): PermissionOption[] {
  const mark = digest.slice(0, 16)
  return [
    { optionId: `once-${mark}`, name: 'Allow once', kind: 'allow_once' },
    ...offers.map(({ word, shows }) => ({
      optionId: `always-${word}-${mark}`,
      name: `Always: ${oneLine(shows)}`,
      kind: 'allow_always' as const,
    })),
    { optionId: `deny-${mark}`, name: 'Deny', kind: 'reject_once' },
  ]
}

/** The sentence that this option means to the daemon, or null for an option that was not offered. */
export function chosen(question: Question, optionId: string): string | null {
  const { token, offers } = question
  const option = permissionOptions(question).find((one) => one.optionId === optionId)
  if (option?.kind === 'allow_once') return `approve ${token}`
  if (option?.kind === 'reject_once') return `deny ${token}`
  const offer = offers.find(({ word }) => option?.optionId.startsWith(`always-${word}-`))
  return offer === undefined ? null : `approve ${token} always ${offer.word}`
}

/** A deed that has begun, as a new card. */
export function deedCall(deed: Deed): ToolCall {
  return {
    toolCallId: `deed-${deed.id}`,
    title: titleOf(deed),
    kind: kindOf(deed, false),
    status: 'in_progress',
    rawInput: rawInputOf(deed),
  }
}

/** How a deed ended, for the card with this id. */
export function deedEnd(deed: Deed, toolCallId: string, memex: string): ToolCallUpdate {
  const { diff, files, output = '', state } = deed
  const words = output === '' ? [] : [textContent(printable(output))]
  return {
    toolCallId,
    status: state === 'done' ? 'completed' : 'failed',
    content: [...words, ...changes(diff, memex)],
    ...(files.length === 0
      ? {}
      : { locations: files.map((path) => ({ path: placeOf(path, memex) })) }),
  }
}

const stepsSchema = z.array(
  z.object({
    title: z.string(),
    state: z.enum(['pending', 'under-way', 'done']),
    priority: z
      .string()
      .nullish()
      .transform((letter) => letter ?? null),
  }),
)

/** The entries of a plan; none when these are no steps. */
export function planEntries(steps: unknown): PlanEntry[] {
  const read = stepsSchema.safeParse(steps ?? [])
  if (!read.success) return []
  const status = { pending: 'pending', 'under-way': 'in_progress', done: 'completed' } as const
  return read.data.map(({ priority, state, title }) => ({
    content: oneLine(title),
    priority: priority === 'A' ? 'high' : priority === 'C' ? 'low' : 'medium',
    status: status[state],
  }))
}
