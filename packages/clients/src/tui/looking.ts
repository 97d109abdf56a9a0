import { messageOf } from '@passepartout/core/presence'
import { fieldText } from '@passepartout/core/protocol'
import { readCommand } from '../session/daemon-process.ts'
import type { Entry, Found, Look } from './state.ts'
import { cleanText, type Line, type Span, span } from './text.ts'

/** The words of the command for something to look up. */
export function lookArguments(look: Look, memex: string): string[] {
  const where = memex === '' ? [] : ['--memex', memex]
  switch (look.kind) {
    case 'agenda':
      return ['agenda', '--json', '--days', look.days, ...where]
    case 'search':
      return ['search', '--json', ...where, '--', ...look.query.split(/\s+/)]
    case 'note':
      return ['show', '--json', ...where, '--', look.name]
    case 'why':
      return look.id === '' ? ['why'] : ['why', look.id]
    case 'sessions':
      return ['sessions', 'list', '--json', '--lines', '200']
  }
}

/** Looks something up. Never rejects. */
export async function lookUp(look: Look, memex: string, today: Date): Promise<Found> {
  try {
    const { code, out, err } = await readCommand(lookArguments(look, memex))
    if (code !== 0)
      return { problem: err.replace(/^passepartout: /, '').trim() || 'It was not found.' }
    if (look.kind === 'why') return { text: out }
    const parsed: unknown = JSON.parse(out)
    if (look.kind === 'note') return { text: noteText(parsed) }
    if (look.kind === 'sessions') return { entries: sessionEntries(parsed, today) }
    return { entries: look.kind === 'agenda' ? agendaEntries(parsed, today) : hitEntries(parsed) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

type Fields = Record<string, unknown>

function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {}
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function word(value: unknown): string {
  return cleanText(fieldText(value)).replaceAll('\n', ' ')
}

function placeIn({ file, line }: Fields): string {
  return `${fieldText(file)}:${fieldText(line ?? 1)}`
}

function titleIn({ done, priority, tags, title, todo }: Fields): Span[] {
  const spans: Span[] = []
  if (word(todo) !== '') spans.push(span(`${word(todo)} `, done === true ? 'good' : 'warn'))
  if (word(priority) !== '') spans.push(span(`[#${word(priority)}] `, 'accent'))
  spans.push(span(word(title), done === true ? 'muted' : 'plain'))
  const named = Array.isArray(tags) ? tags.map(word).filter((tag) => tag !== '') : []
  return named.length === 0 ? spans : [...spans, span(`  :${named.join(':')}:`, 'muted')]
}

/** The rows of a search. */
export function hitEntries(found: unknown): Entry[] {
  return listOf(found).map((note) => {
    const above = Array.isArray(note.path) ? note.path.map(word).join(' › ') : ''
    const line: Line = [
      ...titleIn(note),
      ...placeSpans(note),
      span(above === '' ? '' : `  ${above}`, 'muted'),
    ]
    return { line, place: placeIn(note) }
  })
}

/** The place behind a title; the gap between them is no part of the link, which is underlined. */
function placeSpans(note: Fields): Line {
  return [span('  '), span(word(placeIn(note)), 'link')]
}

/** The note as its text, with its place above it. */
function noteText(found: unknown): string {
  const note = fieldsOf(found)
  return `${placeIn(note)}\n\n${fieldText(note.text)}`
}

/** The rows of a list of sessions. */
export function sessionEntries(found: unknown, today: Date): Entry[] {
  return listOf(fieldsOf(found).sessions).map(({ id, source, title, used }) => {
    const time = new Date(typeof used === 'number' ? used : 0)
    const isToday = time.toDateString() === today.toDateString()
    const when = isToday ? time.toTimeString().slice(0, 5) : time.toLocaleDateString('sv')
    const about = [when, word(source)].filter((part) => part !== '').join(', ')
    const words = word(title) === '' ? '(nothing was said)' : word(title)
    return { line: [span(words), span(`  ${about}`, 'muted')], place: fieldText(id) }
  })
}

/** The rows of an agenda. */
export function agendaEntries(found: unknown, today: Date): Entry[] {
  const entries: Entry[] = []
  let before = ''
  for (const item of listOf(found)) {
    const day = word(item.day)
    if (day !== before) {
      if (before !== '') entries.push({ line: [], place: null })
      entries.push({ line: [span(dayInWords(day, today), 'heading')], place: null })
    }
    before = day
    const note = fieldsOf(item.note)
    const hours = [word(item.time), word(item.end)].filter((time) => time !== '').join('–')
    const head = `${hours.padEnd(12)}${word(item.leader).padEnd(12)} `
    const line = [span(head, 'muted'), ...titleIn(note), ...placeSpans(note)]
    entries.push({ line, place: placeIn(note) })
  }
  return entries
}

function dayInWords(day: string, today: Date): string {
  const date = new Date(`${day}T12:00:00`)
  if (Number.isNaN(date.getTime())) return day
  const words = date.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
  return date.toDateString() === today.toDateString() ? `Today, ${words}` : words
}
