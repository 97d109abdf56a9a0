import {
  defineSkill,
  fieldText,
  type MemoryObject,
  type Provider,
  type ProviderEvent,
  type Runtime,
  type Signal,
  type Skill,
} from '@passepartout/core'
import { addDays, dayOf, dayWords, readOrgStamp } from '../common/dates.ts'
import { type Asker, aligned, findNotes, placeOf, seenBy, titleWords } from '../common/note-text.ts'
import { agendaEntries } from '../notes/agenda.ts'
import { inOtherScope, meantBy, noSuchNote, type Which } from '../notes/task-edit.ts'
import { placesNamed, placeWords } from '../notes/task-moves.ts'
import { movable } from '../notes/tasks.ts'
import type { PlannerCall, PlannerCommand } from './commands.ts'
import { readCommand } from './grammar.ts'
import { helloText, helpText, whoText } from './help.ts'

interface Choice {
  /** One cell, or several that are aligned with those of the other choices. */
  label: string | string[]
  command: PlannerCommand
}

interface Question {
  text: string
  choices: Choice[]
}

function questionText({ text, choices }: Question): string {
  if (choices.length === 0) return text
  const rows = choices.map(({ label }, index) => [`${index + 1}`, label].flat())
  const isTable = choices.every(({ label }) => Array.isArray(label))
  const lines = isTable ? aligned(rows) : rows.map((row) => `  ${row.join('  ')}`).join('\n')
  return `${text}\n${lines}`
}

type Settled = { kind: 'propose'; command: PlannerCommand } | { kind: 'ask'; question: Question }

const asked = (text: string, choices: Choice[] = []): Settled => ({
  kind: 'ask',
  question: { text, choices },
})

const searched: Record<string, Which> = {
  'complete-task': 'open',
  'reopen-task': 'done',
  'set-state': 'any',
  'schedule-task': 'open',
  'move-task': 'open',
  'set-priority': 'open',
  'tag-task': 'any',
  'add-note': 'any',
  'refile-task': 'any',
  'archive-task': 'any',
}

const choicesMax = 9

function settleNote(asker: Asker, command: PlannerCall): Settled | MemoryObject | null {
  const which = searched[command.tool]
  const query = fieldText(command.args.query)
  const objects = seenBy(asker)
  const place = typeof command.args.place === 'string' ? command.args.place : undefined
  const isShow = command.tool === 'show-note' && place === undefined
  if (which === undefined && !isShow) return null
  const headlines = isShow ? objects.filter(({ type }) => type === 'headline') : []
  const done = command.tool === 'archive-task' ? meantBy(objects, { query, place }, 'done') : []
  const found = isShow
    ? findNotes(headlines, query)
    : done.length > 0
      ? done
      : meantBy(objects, { query, place }, which ?? 'any')
  const [only] = found
  if (only === undefined) {
    const away = inOtherScope(asker, { query, place }, which ?? 'any')
    if (away !== null) return asked(away)
    return isShow ? null : nothingMeant(command, query, which ?? 'any')
  }
  if (found.length === 1) return only
  const choices = found.slice(0, choicesMax).map((note) => choiceOf(command, note))
  const more =
    found.length > choicesMax ? ` There are ${found.length}; another word would help.` : ''
  return asked(`Which one?${more}`, choices)
}

function choiceOf(command: PlannerCall, note: MemoryObject): Choice {
  const args = { ...command.args, query: titleWords(note), place: placeOf(note) }
  return {
    label: [note.todo ?? '', titleWords(note), placeOf(note)],
    command: { ...command, args },
  }
}

function nothingMeant(command: PlannerCall, query: string, which: Which): Settled {
  const find: PlannerCall = {
    kind: 'call',
    tool: 'search-notes',
    args: { query },
    explanation: `You asked to find ${query}.`,
  }
  const title = query.charAt(0).toUpperCase() + query.slice(1)
  const { scheduled, deadline, to } = command.args
  const dates = [
    ['scheduled', scheduled ?? to],
    ['deadline', deadline],
  ].filter(([, stamp]) => stamp !== undefined && stamp !== 'none')
  const capture: PlannerCall = {
    kind: 'call',
    tool: 'capture-task',
    args: { title, ...Object.fromEntries(dates) },
    explanation: `You asked to capture “${title}”.`,
  }
  const choices = [
    { label: `find ${query}`, command: find },
    { label: `capture “${title}”${dates.length > 0 ? ', with this date' : ''}`, command: capture },
  ]
  const [first = ''] = noSuchNote(query, which).split(' Try ')
  return asked(
    first,
    /^(?:complete|schedule|move)-task$/.test(command.tool) ? choices : choices.slice(0, 1),
  )
}

function settleDates(command: PlannerCall, task: MemoryObject): Settled | null {
  if (command.tool !== 'move-task' || command.args.which !== undefined) return null
  const kinds = movable(task)
  if (kinds.length < 2) return null
  const choices = kinds.map((which) => {
    const day = readOrgStamp(task[which])?.day ?? ''
    const label = `${which === 'deadline' ? 'its deadline' : 'its scheduled date'}, ${dayWords(day, '0000')}`
    return { label, command: { ...command, args: { ...command.args, which } } }
  })
  return asked(`“${titleWords(task)}” has two dates. Which one?`, choices)
}

function settlePlace(asker: Asker, command: PlannerCall): Settled | null {
  const { under } = command.args
  if (typeof under !== 'string' || / \([^()]+\.org:\d+\)$/.test(under)) return null
  const places = placesNamed(asker, under)
  if (places.length === 1) return null
  const choices = places.slice(0, choicesMax).map((place) => {
    const label = placeWords(place)
    const exact = place.at === null ? `/${place.file}` : label
    return { label, command: { ...command, args: { ...command.args, under: exact } } }
  })
  if (places.length > 0) return asked(`Which place is “${under}”?`, choices)
  const { under: _, ...args } = command.args
  if (command.tool !== 'capture-task') return asked(`There is no place called “${under}”.`)
  const title = `${String(args.title)} under ${under}`
  return asked(`There is no place called “${under}”.`, [
    {
      label: `capture “${title}”, all of it as the title`,
      command: { ...command, args: { ...args, title } },
    },
    { label: `capture “${String(args.title)}” in the inbox`, command: { ...command, args } },
  ])
}

function settleEverything(asker: Asker, scope: string, to: string): Settled {
  const now = asker.runtime.clock.now()
  const today = dayOf(now)
  const day = scope === 'tomorrow' ? addDays(today, 1) : today
  const entries = agendaEntries(seenBy(asker), { from: day, to: day }, now)
  const tasks = entries.flatMap(({ kind, task, base }) => {
    const isMeant = kind === 'scheduled' && task.todo !== null
    const inScope = scope === 'tomorrow' ? base === day : scope === 'overdue' ? base < today : true
    return isMeant && inScope ? [task] : []
  })
  const target = readOrgStamp(to)?.day ?? today
  if (tasks.length === 0)
    return asked(
      `Nothing is scheduled ${scope === 'tomorrow' ? 'for tomorrow' : scope === 'overdue' ? 'for an earlier day' : 'for today'}.`,
    )
  const names = tasks
    .slice(0, 50)
    .map((task) => ({ query: titleWords(task), place: placeOf(task) }))
  const command: PlannerCall = {
    kind: 'call',
    tool: 'move-tasks',
    args: { tasks: names, to },
    explanation: `You asked to move ${tasks.length} scheduled tasks to ${target}, and confirmed the list.`,
  }
  const lines = aligned(names.map(({ query, place }) => ['-', query, place]))
  return asked(`This would move to ${dayWords(target, today)}:\n${lines}\nShall I?`, [
    { label: `yes, move ${tasks.length === 1 ? 'it' : `these ${names.length}`}`, command },
    { label: 'no', command: { kind: 'no' } },
  ])
}

function settleUnclear(
  asker: Asker,
  command: Extract<PlannerCommand, { kind: 'unclear' }>,
): Settled {
  const { text, problem, readings } = command
  const now = asker.runtime.clock.now()
  const task = problem === null ? meantBy(seenBy(asker), { query: text }, 'open') : []
  const [only] = task
  const about =
    only !== undefined && task.length === 1
      ? [`show “${titleWords(only)}”`, `complete “${titleWords(only)}”`]
      : readings
  const choices = about.map((label) => ({ label, command: readCommand(label, now) }))
  if (text === '') return asked('What would you like to do?', choices)
  const opening = problem ?? `I work by rules and do not understand “${text}”. Did you mean:`
  return asked(opening, choices)
}

function settle(asker: Asker, command: PlannerCommand): Settled {
  if (command.kind === 'unclear') return settleUnclear(asker, command)
  if (command.kind === 'everything') return settleEverything(asker, command.from, command.to)
  if (command.kind !== 'call') return { kind: 'propose', command }
  const note = settleNote(asker, command)
  if (note !== null && 'question' in note) return note
  const more = note !== null && 'todo' in note ? settleDates(command, note) : null
  return more ?? settlePlace(asker, command) ?? { kind: 'propose', command }
}

function say(text: string): ProviderEvent[] {
  return [{ type: 'text', text }]
}

function propose(target: string, payload: Record<string, unknown>): ProviderEvent[] {
  return [{ type: 'action', action: { type: 'request', target, payload } }]
}

function planEvents(command: PlannerCommand): ProviderEvent[] {
  switch (command.kind) {
    case 'call': {
      const { tool, args, explanation } = command
      return propose('tool', { action: 'call', tool, args, explanation })
    }
    case 'run':
      return propose('shell', {
        action: 'execute',
        cmd: command.command,
        explanation: `You asked to run ${command.command.slice(0, 200)}`,
      })
    case 'help':
      return say(helpText(command.topic))
    case 'hello':
      return say(helloText)
    case 'who':
      return say(whoText)
    case 'no':
      return say('All right. Nothing was changed.')
    default:
      return say('There is nothing to choose from just now. Type help for what I understand.')
  }
}

const refusal =
  /^(?:That was refused|That is not allowed|I found no way to do this|This needs your approval)/

function whyBlocked(runtime: Runtime, session: string): ProviderEvent[] {
  if (runtime.tools.has('why')) {
    const explanation = 'You asked why the last thing was not done.'
    return propose('tool', { action: 'call', tool: 'why', args: { blocked: true }, explanation })
  }
  const { entries } = runtime.sessions.of(session)
  const last = entries.findLast((entry) => entry.kind === 'answer' && refusal.test(entry.text))
  if (last?.kind !== 'answer') return say('Nothing was blocked in this conversation.')
  return say(`The last thing that was blocked:\n${last.text}`)
}

const certainTools = new Set([
  ...['next-actions', 'agenda', 'garden-report'],
  ...['push-context', 'pop-context', 'keep-context', 'follow-buffer', 'where-am-i'],
])

const snapshotTools = new Set(['keep-snapshot', 'list-snapshots', 'remove-snapshot', 'roll-back'])

function isCertain(command: PlannerCommand, words: string): boolean {
  if (command.kind !== 'call') return false
  const isNamed = /\bsnapshots?\b|^roll ?back to \S+$/i.test(words)
  return certainTools.has(command.tool) || (snapshotTools.has(command.tool) && isNamed)
}

const sessionsMax = 100

/** Creates the provider that needs no model. */
export function createPlanner(runtime: Runtime): Provider {
  const open = new Map<string, Choice[]>()
  const last = new Map<string, MemoryObject>()
  const answer = (text: string, signal: Signal): ProviderEvent[] => {
    const asker = { runtime, signal }
    const session = signal.meta.sessionId ?? ''
    const choices = open.get(session) ?? []
    open.delete(session)
    const read = readCommand(text, runtime.clock.now())
    if (read.kind === 'choice' && read.number > choices.length && choices.length > 0) {
      open.set(session, choices)
      return say(`Please choose from 1 to ${choices.length}.`)
    }
    const command = withNote(chosen(read, choices) ?? read, last.get(session))
    const settled = settle(asker, command)
    const note = settled.kind === 'propose' ? noteOf(asker, settled.command) : null
    if (note !== null) last.set(session, note)
    if (settled.kind === 'propose') {
      if (settled.command.kind === 'why') return whyBlocked(runtime, session)
      return planEvents(settled.command)
    }
    open.set(session, settled.question.choices)
    for (const sessions of [open, last]) {
      for (const oldest of [...sessions.keys()].slice(0, -sessionsMax)) sessions.delete(oldest)
    }
    return say(questionText(settled.question))
  }
  return {
    name: 'planner',
    plainText: true,
    rules: true,
    understands: (words) => isCertain(readCommand(words, runtime.clock.now()), words),
    async *propose(request) {
      const { payload } = request.signal
      const text = payload.text ?? ''
      if (payload.sensor !== 'tool-output') yield* answer(text, request.signal)
      else yield { type: 'text', text: resultText(payload.status, text, fieldText(payload.tool)) }
    },
  }
}

/** What the owner reads of a result. */
function resultText(status: unknown, text: string, tool: string): string {
  if (status === 'denied') return 'By rules there is no other way.'
  if (status === 'refused') return `That was refused.\n${text.replace(/^Refused\.\n/, '')}`
  return forPerson(text, tool)
}

/** The note that a settled command names, or null. */
function noteOf(asker: Asker, command: PlannerCommand): MemoryObject | null {
  const settled = command.kind === 'call' ? settleNote(asker, command) : null
  return settled !== null && 'todo' in settled ? settled : null
}

/** The command, with the last note in the place of "it". */
function withNote(command: PlannerCommand, note: MemoryObject | undefined): PlannerCommand {
  if (command.kind !== 'call' || note === undefined || command.args.place !== undefined) {
    return command
  }
  if (!/^(?:it|that|this|that one|this one)$/i.test(String(command.args.query))) return command
  const args = { ...command.args, query: titleWords(note), place: placeOf(note) }
  return { ...command, args }
}

function forPerson(text: string, tool: string): string {
  const mark = `ERROR [${tool}]: `
  return text.startsWith(mark) ? text.slice(mark.length) : text
}

/** The command that a number, or a yes, stands for; null when it stands for none. */
function chosen(read: PlannerCommand, choices: readonly Choice[]): PlannerCommand | null {
  const isNo = choices.at(-1)?.command.kind === 'no'
  if (read.kind === 'choice') return choices[read.number - 1]?.command ?? null
  if (read.kind === 'yes' && (choices.length === 1 || isNo)) return choices[0]?.command ?? null
  return null
}

/** The skill that answers without a model. */
export const planner: Skill = defineSkill({
  name: 'planner',
  description: 'Answers by rules when no model is configured or reachable.',
  dependsOn: ['notes', 'tasks'],
  priority: 0,
  providers: (runtime) => [createPlanner(runtime)],
})
