import {
  defineSkill,
  type MemoryObject,
  type Runtime,
  type Skill,
  type Tool,
} from '@passepartout/core'
import { z } from 'zod'
import { addDays, dateWords, dayOf, dayWords, readOrgStamp } from './dates.ts'

function visible(objects: Iterable<MemoryObject>): MemoryObject[] {
  return [...objects].filter((object) => !object.private)
}

/** The tasks that are still to be done, in the order of the files, without private ones. */
export function openTasks(objects: Iterable<MemoryObject>): MemoryObject[] {
  return visible(objects).filter((object) => object.todo !== null && !object.done)
}

function place(object: MemoryObject): string {
  return `${object.file}:${object.line}`
}

function titleOf(object: MemoryObject): string {
  return object.title
    .replace(/\[\[[^\]]*\]\[([^\]]*)\]\]/g, '$1')
    .replace(/\[\[([^\]]*)\]\]/g, '$1')
}

const titleWidthMax = 52

function aligned(rows: string[][]): string {
  const cut = rows.map((row) => row.map((cell) => shorten(cell, titleWidthMax)))
  const widths = (cut[0] ?? []).map((_, column) =>
    Math.max(...cut.map((row) => [...(row[column] ?? '')].length)),
  )
  return cut
    .map((row) =>
      row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)),
    )
    .map((row) => `  ${row.join('  ').trimEnd()}`)
    .join('\n')
}

function shorten(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`
}

interface Dated {
  task: MemoryObject
  day: string
  time: string | null
  kind: 'deadline' | 'scheduled'
}

function datedTasks(objects: Iterable<MemoryObject>): Dated[] {
  const dated: Dated[] = []
  for (const task of visible(objects).filter((object) => !object.done)) {
    const deadline = readOrgStamp(task.deadline)
    const scheduled = readOrgStamp(task.scheduled)
    if (deadline !== null) dated.push({ task, ...deadline, kind: 'deadline' })
    if (scheduled !== null && scheduled.day !== deadline?.day)
      dated.push({ task, ...scheduled, kind: 'scheduled' })
  }
  const key = (item: Dated) => `${item.day} ${item.time ?? '99'}`
  return dated.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

/** The agenda of `today`, `tomorrow`, `week`, or a day like `2026-12-01`. */
export function agendaText(objects: Iterable<MemoryObject>, span: string, now: Date): string {
  const today = dayOf(now)
  const single = span === 'today' ? today : span === 'tomorrow' ? addDays(today, 1) : span
  const first = span === 'week' ? today : single
  const last = span === 'week' ? addDays(today, 6) : single
  const dated = datedTasks(objects)
  const sections: string[] = []
  const late = dated.filter(
    (item) => item.day < today && !(item.kind === 'scheduled' && item.task.deadline),
  )
  if (first === today && late.length > 0) sections.push(section('Overdue', late, today))
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const items = dated.filter((item) => item.day === day)
    if (items.length > 0) sections.push(section(dayHeading(day, today), items, null))
  }
  if (sections.length > 0) return sections.join('\n\n')
  return `Nothing is dated ${span === 'week' ? 'in the next seven days' : dayWords(single, today)}.`
}

function dayHeading(day: string, today: string): string {
  const words = dayWords(day, today)
  return words.startsWith('to') ? `T${words.slice(1)}, ${dateWords(day)}` : words
}

function section(heading: string, items: Dated[], today: string | null): string {
  const rows = items.map(({ task, day, time, kind }) => [
    today === null ? (time ?? '') : dayWords(day, today),
    kind,
    titleOf(task),
    place(task),
  ])
  const empty = rows.every((row) => row[0] === '')
  return `${heading}\n${aligned(empty ? rows.map((row) => row.slice(1)) : rows)}`
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

/** The next actions, the most urgent first, with the reason for each. */
export function nextText(objects: Iterable<MemoryObject>, now: Date): string {
  const today = dayOf(now)
  const ranked = openTasks(objects).flatMap((task) => rankOf(task, today) ?? [])
  const key = ({ rank, day, task }: Ranked) => `${rank} ${day} ${task.priority ?? 'B'}`
  ranked.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
  const [first] = ranked
  if (first === undefined) return 'Nothing is open. Capture something, or enjoy the day.'
  const rows = ranked.slice(0, 7).map(({ task, reason }) => [titleOf(task), reason, place(task)])
  const more =
    ranked.length > 7 ? `\n\n${ranked.length - 7} more; “list” shows all open tasks.` : ''
  return `Next: ${titleOf(first.task)}\n\n${aligned(rows)}${more}`
}

const listLengthMax = 40

/** Open tasks, of one keyword or one tag when given, by file. */
export function listText(
  objects: Iterable<MemoryObject>,
  filter: { todo?: string | undefined; tag?: string | undefined },
): string {
  const tag = filter.tag?.toLowerCase()
  const tasks = openTasks(objects).filter(
    (task) =>
      (filter.todo === undefined || task.todo === filter.todo.toUpperCase()) &&
      (tag === undefined || task.tags.some((own) => own.toLowerCase() === tag)),
  )
  if (tasks.length === 0) return 'No open task is like that.'
  const shown = tasks.slice(0, listLengthMax)
  const files = [...new Set(shown.map((task) => task.file))]
  const groups = files.map((file) => {
    const rows = shown
      .filter((task) => task.file === file)
      .map((task) => [task.todo ?? '', titleOf(task), place(task)])
    return `${file}\n${aligned(rows)}`
  })
  const more = tasks.length > shown.length ? `\n\n${tasks.length - shown.length} more.` : ''
  return groups.join('\n\n') + more
}

const littleWords = new Set('a an the my our to of in on at for and'.split(' '))

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const great = words.filter((word) => !littleWords.has(word))
  return great.length > 0 ? great : words
}

/** The notes whose title is meant by the query, best tier only, in file order. */
export function findNotes(objects: readonly MemoryObject[], query: string): MemoryObject[] {
  const phrase = query.trim().toLowerCase()
  const words = wordsOf(query)
  if (words.length === 0) return []
  const tiers = [
    (title: string) => title === phrase,
    (title: string) => title.includes(phrase),
    (title: string) => words.every((word) => title.includes(word)),
  ]
  for (const tier of tiers) {
    const found = objects.filter((object) => tier(titleOf(object).toLowerCase()))
    if (found.length > 0) return found
  }
  return []
}

interface Hit {
  object: MemoryObject
  score: number
  quotes: { line: number; text: string }[]
}

function hitOf(object: MemoryObject, words: string[]): Hit | null {
  const title = titleOf(object).toLowerCase()
  const lines = ownLines(object)
  const all = `${title}\n${lines.map(({ text }) => text).join('\n')}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return null
  const inTitle = words.filter((word) => title.includes(word)).length
  const quotes = lines.filter(({ text }) => words.some((word) => text.toLowerCase().includes(word)))
  const shown = quotes.length > 0 ? quotes.slice(0, 2) : lines.slice(0, 1)
  return { object, score: inTitle * 10 + quotes.length, quotes: shown }
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

function withoutLinks(text: string): string {
  return text.replace(/\[\[[^\]\n]*\]\[([^\]\n]*)\]\]/g, '$1')
}

/** The notes that contain all words of the query, quoted with file and line. */
export function searchText(objects: Iterable<MemoryObject>, query: string): string {
  const words = wordsOf(query)
  const hits = visible(objects).flatMap((object) =>
    words.length === 0 ? [] : (hitOf(object, words) ?? []),
  )
  hits.sort((a, b) => b.score - a.score)
  if (hits.length === 0) return `Nothing in your notes mentions “${query}”.`
  const shown = hits.slice(0, 6).map(({ object, quotes }) => {
    const state = object.todo === null ? '' : `${object.todo} `
    const head = `${place(object)}  ${state}${titleOf(object)}`
    return [head, ...quotes.map(({ line, text }) => `  ${line}: ${shorten(text, 96)}`)].join('\n')
  })
  const more = hits.length > 6 ? `\n\n${hits.length - 6} more.` : ''
  return `${hits.length === 1 ? 'One note' : `${hits.length} notes`} about “${query}”:\n\n${shown.join('\n')}${more}`
}

const showLengthMax = 4_000

function showText(runtime: Runtime, query: string): string | null {
  const headlines = visible(runtime.store.objects()).filter((object) => object.type === 'headline')
  const found = findNotes(headlines, query)
  const [only] = found
  if (only === undefined) return null
  if (found.length > 1) {
    return `Which one?\n${aligned(found.slice(0, 9).map((object) => [titleOf(object), place(object)]))}`
  }
  const text = subtreeText(runtime, only)
  const cut = text.length > showLengthMax ? `${text.slice(0, showLengthMax)}\n…` : text
  return `${place(only)}\n${cut.trimEnd()}`
}

function subtreeText(runtime: Runtime, object: MemoryObject): string {
  if (object.private) return ''
  const priority = object.priority === null ? null : `[#${object.priority}]`
  const words = ['*'.repeat(object.level), object.todo, priority, object.title]
  const stars = words.filter((word) => word !== null).join(' ')
  const children = object.children.flatMap((id) => runtime.store.get(id) ?? [])
  return [stars, object.content.trimEnd(), ...children.map((child) => subtreeText(runtime, child))]
    .filter((part) => part !== '')
    .join('\n')
}

const noParameters = z.object({})

const agendaParameters = z.object({
  span: z.string().default('week').describe('today, tomorrow, week, or a day like 2026-12-01'),
})

const listParameters = z.object({
  todo: z.string().optional().describe('a TODO keyword'),
  tag: z.string().optional().describe('a tag, inherited tags included'),
})

const queryParameters = z.object({ query: z.string().min(1).describe('words to look for') })

const nextActions: Tool = {
  name: 'next-actions',
  description: 'The most urgent open tasks, with the reason for each.',
  parameters: noParameters,
  readOnly: true,
  async run(_args, { runtime }) {
    return { status: 'success', content: nextText(runtime.store.objects(), runtime.clock.now()) }
  },
}

const agenda: Tool = {
  name: 'agenda',
  description: 'Scheduled tasks and deadlines by day.',
  parameters: agendaParameters,
  readOnly: true,
  async run(args, { runtime }) {
    const { span } = agendaParameters.parse(args)
    if (!/^(?:today|tomorrow|week|\d{4}-\d{2}-\d{2})$/.test(span)) {
      return {
        status: 'error',
        message: 'The span is today, tomorrow, week, or a day like 2026-12-01.',
      }
    }
    return {
      status: 'success',
      content: agendaText(runtime.store.objects(), span, runtime.clock.now()),
    }
  },
}

const listTasks: Tool = {
  name: 'list-tasks',
  description: 'Open tasks, filtered by TODO keyword or tag.',
  parameters: listParameters,
  readOnly: true,
  async run(args, { runtime }) {
    return {
      status: 'success',
      content: listText(runtime.store.objects(), listParameters.parse(args)),
    }
  },
}

const searchNotes: Tool = {
  name: 'search-notes',
  description: 'Notes that contain all the words, quoted with file and line.',
  parameters: queryParameters,
  readOnly: true,
  async run(args, { runtime }) {
    const { query } = queryParameters.parse(args)
    return { status: 'success', content: searchText(runtime.store.objects(), query) }
  },
}

const showNote: Tool = {
  name: 'show-note',
  description: 'One note in full, named by words of its title.',
  parameters: queryParameters,
  readOnly: true,
  async run(args, { runtime }) {
    const { query } = queryParameters.parse(args)
    const text = showText(runtime, query)
    if (text === null) return { status: 'error', message: `No note is titled like “${query}”.` }
    return { status: 'success', content: text }
  },
}

/** The skill that looks at the notes and changes nothing. */
export const notes: Skill = defineSkill({
  name: 'notes',
  description: 'Next actions, agenda, lists of tasks, search, and single notes.',
  tools: [nextActions, agenda, listTasks, searchNotes, showNote],
})
