import {
  defineSkill,
  isPlainWords,
  localDay,
  type MemoryObject,
  type NoteFacts,
  parseQuery,
  pointedError,
  QueryError,
  retrieveHybrid,
  runQuery,
  type Skill,
  sightOf,
  singleLine,
  type Tool,
  type ToolContext,
} from '@passepartout/core'
import { z } from 'zod'
import { addDays, dayOf, dayWords, readOrgStamp } from '../common/dates.ts'
import {
  type Asker,
  aligned,
  findNotes,
  isSeenBy,
  openTasks,
  outlineOf,
  placeOf,
  seenBy,
  shorten,
  titleWords,
  visible,
  withoutLinks,
} from '../common/note-text.ts'
import { readSpan } from '../common/planner-dates.ts'
import { foldText, quoted, stem, wordsOf } from '../common/planner-words.ts'
import { agendaText } from './agenda.ts'
import { historyText } from './history.ts'
import { inOtherScope } from './task-edit.ts'

/** The tasks that are about something: a tag, a file, a project, or a word of their text. */
export function aboutTasks(
  objects: Iterable<MemoryObject>,
  tasks: readonly MemoryObject[],
  about: string,
): MemoryObject[] {
  const wanted = foldText(quoted(about) ?? about)
  const bare = wanted.replace(/^[#:@]|:$/g, '')
  const tagged = tasks.filter(({ tags }) =>
    tags.some((tag) => foldText(tag) === bare || foldText(tag) === `@${bare}`),
  )
  if (tagged.length > 0 || /^[#:@]/.test(wanted)) return tagged
  const seen = visible(objects)
  const above = seen.filter((object) => object.type === 'file' || object.children.length > 0)
  const exact = above.filter(
    (object) => foldText(titleWords(object)) === wanted || object.file === about,
  )
  const roots = exact.length > 0 ? exact : findNotes(above, about)
  const inside = tasks.filter((task) => roots.some((root) => isInside(task, root)))
  if (inside.length > 0) return inside
  const stems = wordsOf(about).map(stem)
  if (stems.length === 0) return []
  return tasks.filter((task) => {
    const own = new Set(wordsOf(`${titleWords(task)} ${task.content}`).map(stem))
    return stems.every((root) => own.has(root))
  })
}

function isInside(task: MemoryObject, root: MemoryObject): boolean {
  if (task.file !== root.file || task === root) return false
  return root.type === 'file' || (task.begin > root.begin && task.end <= root.end)
}

interface Ranked {
  task: MemoryObject
  rank: number
  day: string
  reason: string
}

const waiting = new Set(['WAITING', 'HOLD', 'SOMEDAY', 'MAYBE', 'DELEGATED', 'PROJECT', 'PROJ'])

function rankOf(task: MemoryObject, today: string): Ranked | null {
  if (waiting.has(task.todo ?? '')) return null
  const deadline = readOrgStamp(task.deadline)?.day
  const scheduled = readOrgStamp(task.scheduled)?.day
  const ranked = (rank: number, day: string, reason: string) => ({ task, rank, day, reason })
  if (deadline !== undefined && deadline < today)
    return ranked(0, deadline, `was due ${dayWords(deadline, today)}`)
  if (deadline === today) return ranked(1, deadline, 'due today')
  if (deadline !== undefined && deadline <= addDays(today, 3))
    return ranked(2, deadline, `due ${dayWords(deadline, today)}`)
  if (scheduled !== undefined && scheduled > today) return null
  if (scheduled !== undefined)
    return ranked(3, scheduled, `scheduled ${dayWords(scheduled, today)}`)
  if (task.todo === 'NEXT') return ranked(4, deadline ?? '9', 'marked NEXT')
  if (task.priority === 'A') return ranked(5, deadline ?? '9', 'priority A')
  if (deadline !== undefined) return ranked(6, deadline, `due ${dayWords(deadline, today)}`)
  return ranked(7, '9', task.priority === null ? 'no date' : `priority ${task.priority}`)
}

/** The next actions, the most urgent first, with the reason for each; all, or those about something. */
export function nextText(objects: Iterable<MemoryObject>, now: Date, about?: string): string {
  const today = dayOf(now)
  const all = [...objects]
  const open = openTasks(all)
  const tasks = about === undefined ? open : aboutTasks(all, open, about)
  const ranked = tasks.flatMap((task) => rankOf(task, today) ?? [])
  const key = ({ rank, day, task }: Ranked) => `${rank} ${day} ${task.priority ?? 'B'}`
  ranked.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
  const [first] = ranked
  if (first === undefined) {
    if (about !== undefined) return `Nothing about “${about}” is to be done now.`
    if (open.length === 0) return 'Nothing is open. Capture something, or enjoy the day.'
    const later = open.length === 1 ? 'One task is' : `${open.length} tasks are`
    return `Nothing is to be done now. ${later} for later; “list” shows all open tasks.`
  }
  const rows = ranked
    .slice(0, 7)
    .map(({ task, reason }) => [titleWords(task), reason, placeOf(task)])
  const more =
    ranked.length > 7 ? `\n\n${ranked.length - 7} more; “list” shows all open tasks.` : ''
  return `Next: ${titleWords(first.task)}\n\n${aligned(rows)}${more}`
}

const listLengthMax = 40

/** What a list is narrowed down to. */
interface ListFilter {
  todo?: string | undefined
  tag?: string | undefined
  /** A tag, a project or a word. */
  about?: string | undefined
  priority?: string | undefined
}

/** Open tasks, narrowed down by all that is given, by file. */
export function listText(objects: Iterable<MemoryObject>, filter: ListFilter): string {
  const { todo, about, priority } = filter
  const tag = filter.tag?.toLowerCase()
  const all = [...objects]
  const open = openTasks(all).filter(
    (task) =>
      (todo === undefined || task.todo === todo.toUpperCase() || task.todo === todo) &&
      (priority === undefined || task.priority === priority.toUpperCase()) &&
      (tag === undefined || task.tags.some((own) => own.toLowerCase() === tag)),
  )
  const tasks = about === undefined ? open : aboutTasks(all, open, about)
  if (tasks.length === 0) return 'No open task is like that.'
  const shown = tasks.slice(0, listLengthMax)
  const files = [...new Set(shown.map((task) => task.file))]
  const groups = files.map((file) => {
    const rows = shown
      .filter((task) => task.file === file)
      .map((task) => [task.todo ?? '', titleWords(task), placeOf(task)])
    return `${file}\n${aligned(rows)}`
  })
  const more = tasks.length > shown.length ? `\n\n${tasks.length - shown.length} more.` : ''
  return groups.join('\n\n') + more
}

/** A note that was found, and the terms by which it was. */
interface Found {
  object: MemoryObject
  terms: readonly string[]
}

const quotesMax = 2

function quotesOf({ object, terms }: Found): { line: number; text: string }[] {
  const lines = ownLines(object)
  const counted = lines.map((line) => {
    const text = foldText(line.text)
    return { line, count: terms.filter((term) => hasTerm(text, term)).length }
  })
  const best = counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
  if (best.length === 0) return lines.slice(0, 1)
  const quotes = best.slice(0, quotesMax).map(({ line }) => line)
  return quotes.sort((a, b) => a.line - b.line)
}

/** A short term must be a word; a longer one is a stem, which words contain. */
function hasTerm(text: string, term: string): boolean {
  return /^[a-z0-9]{1,2}$/.test(term) ? wordsOf(text).includes(term) : text.includes(term)
}

function ownLines(object: MemoryObject): { line: number; text: string }[] {
  const first = object.type === 'file' ? object.line : object.line + 1
  return object.content
    .split('\n')
    .map((text, index) => ({ line: first + index, text: withoutLinks(text.trim()) }))
    .filter(
      ({ text }) =>
        text !== '' && !/^(?::[\w-]+:|#\+|(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):)/i.test(text),
    )
}

/** What was found, quoted with file and line. */
export function foundText(
  found: readonly Found[],
  get: (id: string) => MemoryObject | null,
): string {
  const notes = found.map((one) => {
    const { object } = one
    const state = object.todo === null ? '' : `${object.todo} `
    const path = outlineOf(object, get).map((title) => `${title} / `)
    const head = `${placeOf(object)}  ${path.join('')}${state}${titleWords(object)}`
    const quotes = quotesOf(one).map(({ line, text }) => `  ${line}: ${shorten(text, 96)}`)
    return [head, ...quotes].join('\n')
  })
  return notes.join('\n')
}

async function nearest(
  { runtime, signal }: ToolContext,
  query: string,
  limit: number,
): Promise<string> {
  const within = runtime.scopes.sight(signal.meta.sessionId ?? '')
  const options = { limit, explain: true, ...(within === null ? {} : { within }) }
  const hits = await retrieveHybrid(runtime.store, runtime.embeddings, query, options)
  if (hits.length === 0) return `Nothing in your notes mentions “${query}”.`
  const found = hits.map(({ object, words = [] }) => ({
    object,
    terms: words.flatMap(({ term, word }) => [term, stem(foldText(word))]),
  }))
  return `Nearest to “${query}”:\n\n${foundText(found, (id) => sightOf(runtime.store).get(id))}`
}

function meeting({ runtime, signal }: ToolContext, query: string, limit: number): string | null {
  const within = runtime.scopes.sight(signal.meta.sessionId ?? '')
  const accept = (note: NoteFacts) => !note.private && (within?.(note) ?? true)
  const parsed = parseQuery(query, localDay(runtime.clock.now()))
  const hits = runQuery(runtime.indexes, parsed, { accept })
  if (hits.length === 0) return null
  const sight = sightOf(runtime.store)
  const terms = wordsOf(query.replace(/(?:^|[\s(])[-!]\S+|\w+:/g, ' '))
  const objects = hits.slice(0, limit).flatMap(({ note }) => sight.get(note.id) ?? [])
  const found = objects.map((object) => ({ object, terms }))
  const count = hits.length === 1 ? 'One note meets' : `${hits.length} notes meet`
  const more =
    hits.length > limit ? `\n\n${hits.length - limit} more; a limit of up to 50 shows more.` : ''
  return `${count} ${query}:\n\n${foundText(found, (id) => sight.get(id))}${more}`
}

function showText(asker: Asker, query: string, place?: string): string | null {
  const headlines = seenBy(asker).filter((object) => object.type === 'headline')
  const there = headlines.filter((object) => placeOf(object) === place)
  const found = there.length > 0 ? there : findNotes(headlines, query)
  const [only] = found
  if (only === undefined) return null
  if (found.length > 1) {
    return `Which one?\n${aligned(found.slice(0, 9).map((object) => [titleWords(object), placeOf(object)]))}`
  }
  const text = subtreeText(asker, only)
  return `${placeOf(only)}\n${text.trimEnd()}`
}

/** A note with all below it that the asker may see. */
export function subtreeText(asker: Asker, object: MemoryObject): string {
  const priority = object.priority === null ? null : `[#${object.priority}]`
  const words = ['*'.repeat(object.level), object.todo, priority, object.title]
  const stars = words.filter((word) => word !== null).join(' ')
  const sight = sightOf(asker.runtime.store)
  const children = object.children.flatMap((id) => sight.get(id) ?? []).filter(isSeenBy(asker))
  return [stars, object.content.trimEnd(), ...children.map((child) => subtreeText(asker, child))]
    .filter((part) => part !== '')
    .join('\n')
}

const nextParameters = z.object({
  about: singleLine().max(200).optional().describe('a tag, a project or a word'),
})

const spanParameters = z.object({
  span: z
    .string()
    .max(100)
    .default('week')
    .describe('today, next 10 days, in may, 2026-12-01..2026-12-31'),
})

const listParameters = z.object({
  todo: singleLine().max(50).optional().describe('a TODO keyword'),
  tag: singleLine().max(100).optional(),
  about: singleLine().max(200).optional().describe('a project or a word'),
  priority: z.string().max(2).optional(),
})

const queryParameters = z.object({
  query: z
    .string()
    .min(1)
    .max(500)
    .meta({ examples: ['oat milk'] }),
})

const searchParameters = queryParameters.extend({
  limit: z.int().min(1).max(50).default(6).describe('6 by default'),
})

const nextActions: Tool = {
  name: 'next-actions',
  description:
    'The most urgent open tasks, with the reason for each; all, or those about something.',
  parameters: nextParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    const { about } = nextParameters.parse(args)
    const content = nextText(seenBy(context), context.runtime.clock.now(), about)
    return { status: 'success', content }
  },
}

const spanError = {
  status: 'error',
  message: 'The span is today, this week, next 10 days, in december, or a day like 2026-12-01.',
} as const

const agendaParameters = spanParameters.extend({
  only: z.enum(['deadline', 'late']).optional(),
})

const agenda: Tool = {
  name: 'agenda',
  description: 'Appointments, scheduled tasks and deadlines by day, and what is late.',
  isCore: true,
  parameters: agendaParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    const now = context.runtime.clock.now()
    const { span: words, only } = agendaParameters.parse(args)
    const span = readSpan(words, now)
    if (span === null) return spanError
    return {
      status: 'success',
      content: agendaText(seenBy(context), span, now, only),
    }
  },
}

const history: Tool = {
  name: 'history',
  description: 'What was done on some days: closed tasks, logbooks, clocks, and the journal.',
  parameters: spanParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    const now = context.runtime.clock.now()
    const span = readSpan(spanParameters.parse(args).span, now, true)
    if (span === null) return spanError
    return { status: 'success', content: historyText(seenBy(context), span, now) }
  },
}

const listTasks: Tool = {
  name: 'list-tasks',
  description: 'Open tasks: all, or by keyword, tag, priority or subject.',
  isCore: true,
  parameters: listParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    return {
      status: 'success',
      content: listText(seenBy(context), listParameters.parse(args)),
    }
  },
}

const searchNotes: Tool = {
  name: 'search-notes',
  description:
    'Finds notes by words, a question, or a query such as: pump tag:house todo:open "exact words" scheduled:week under:roof. Quotes them with file and line.',
  isCore: true,
  parameters: searchParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    const { limit, query } = searchParameters.parse(args)
    const phrase = quoted(query)
    const typed = phrase === null ? query : `"${phrase.replaceAll('"', ' ')}"`
    if (isPlainWords(typed))
      return { status: 'success', content: await nearest(context, query, limit) }
    try {
      const text = meeting(context, typed, limit)
      if (text !== null) return { status: 'success', content: text }
    } catch (error) {
      if (!(error instanceof QueryError)) throw error
      return { status: 'error', message: pointedError(typed, error) }
    }
    const nothing = `Nothing in your notes meets ${typed}.`
    const content = /[:"*]/.test(typed) ? nothing : await nearest(context, query, limit)
    return { status: 'success', content }
  },
}

const showParameters = queryParameters.extend({
  place: singleLine().max(300).optional().describe('file:line'),
})

const showNote: Tool = {
  name: 'show-note',
  description: 'One note in full, by words of its title.',
  isCore: true,
  parameters: showParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, context) {
    const { place, query } = showParameters.parse(args)
    const text = showText(context, query, place)
    if (text !== null) return { status: 'success', content: text }
    const away = inOtherScope(context, { query, place }, 'any')
    return { status: 'error', message: away ?? `No note is titled like “${query}”.` }
  },
}

/** The skill that looks at the notes and changes nothing. */
export const notes: Skill = defineSkill({
  name: 'notes',
  description: 'Next actions, agenda, lists of tasks, search, and single notes.',
  offeredFor: ['next', 'urgent', 'yesterday', 'history'],
  tools: [nextActions, agenda, history, listTasks, searchNotes, showNote],
})
