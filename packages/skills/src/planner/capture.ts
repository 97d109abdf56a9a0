import { fieldText } from '@passepartout/core'
import { orgStamp, type Stamp } from '../common/dates.ts'
import { impossibleDay, takeDate } from '../common/planner-dates.ts'
import { unquote } from '../common/planner-words.ts'
import { call, type PlannerCommand, type Rule, unclear } from './commands.ts'

interface Marks {
  title: string
  priority: string | null
  tags: string[]
  under: string | null
  stamp: Stamp | null
  due: boolean
  effort: string | null
  /** The same text twice, with the two readings of its date. */
  readings: [string, string] | null
  /** The title stood in quotation marks. */
  literal: boolean
}

function marksOf(text: string, now: Date): Marks {
  const literal = /^(?:"([^"]+)"|“([^”]+)”|„([^“]+)“|«([^»]+)»)(?= |$)(.*)$/.exec(text)
  if (literal !== null) {
    const title = literal
      .slice(1, 5)
      .find((part) => part !== undefined)!
      .trim()
    const rest = marksOf(`x${literal[5]}`, now)
    const quote = text.slice(0, text.length - literal[5]!.length)
    const readings = rest.readings?.map((reading) => quote + reading.slice(1)) as Marks['readings']
    if (rest.title === 'x') return { ...rest, title, literal: true, readings: readings ?? null }
  }
  const lead = /^!([A-Z]) (.+)$/.exec(text)
  const marks: Marks = {
    title: (lead?.[2] ?? text).trim(),
    priority: lead?.[1] ?? null,
    tags: [],
    under: null,
    stamp: null,
    due: false,
    effort: null,
    readings: null,
    literal: false,
  }
  for (let before = ''; before !== marks.title; ) {
    before = marks.title
    takeMark(marks, text, now)
  }
  return marks
}

function takeMark(marks: Marks, source: string, now: Date): void {
  const { title } = marks
  const word =
    /^(?:(.*?) )?((?:[#@][\p{L}][\p{L}\p{M}\p{N}_@%]*|:[\p{L}\p{M}\p{N}_@#%:]+:|![A-Z]|\[#[A-Z]\]|priority [A-Z]))$/u.exec(
      title,
    )
  if (word !== null) {
    const [, rest = '', mark = ''] = word
    const rank = /^(?:!|\[#|priority )([A-Z])/.exec(mark)
    if (rank !== null) marks.priority ??= rank[1]!
    else
      marks.tags.unshift(
        ...mark
          .replace(/^#/, '')
          .split(':')
          .filter((tag) => tag !== ''),
      )
    marks.title = rest.replace(/ with$|,$/, '')
    return
  }
  if (marks.stamp === null && takeStamp(marks, source, now)) return
  const place =
    /^(.+) (?:under ([^"“”]+|"[^"]+"|“[^”]+”)|to (?:the )?inbox|(?:to|in|into) (\S+\.org))$/i.exec(
      title,
    )
  if (place !== null && marks.under === null && /[\p{L}\p{N}]/u.test(place[2] ?? 'x')) {
    marks.under = place[2] === undefined ? (place[3] ?? 'inbox.org') : unquote(place[2])
    marks.title = place[1]!.replace(/,$/, '')
  }
}

function takeStamp(marks: Marks, source: string, now: Date): boolean {
  const { rest, stamp, due, minutes, readings } = takeDate(marks.title, now)
  if (stamp === null) return false
  if (readings !== null) {
    const [one, two] = readings.map((reading) => source.replace(marks.title, () => reading))
    marks.readings = [one!, two!]
  }
  Object.assign(marks, { title: rest, stamp, due })
  if (minutes !== null) {
    marks.effort = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
  }
  return true
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The title without the date, or the beginning of a range, that it still ends with; or null. */
function secondDate(title: string, now: Date): string | null {
  const open = / (?:to|until|till|from|between|and|or)$/i.exec(title)
  const begin = open === null ? title : title.slice(0, open.index)
  const { rest, stamp } = takeDate(begin, now)
  if (stamp === null && open === null) return null
  return (stamp === null ? begin : rest).replace(/["“”]/g, '') || null
}

function captureOf(text: string, now: Date): PlannerCommand | null {
  const marks = marksOf(text, now)
  const { title, priority, tags, under, stamp, due, effort, readings } = marks
  if (!/[\p{L}\p{N}]/u.test(title)) return null
  const two = marks.literal || stamp === null ? null : secondDate(title, now)
  if (two !== null) {
    const plain = text.replace(/["“”]/g, '')
    const hours = stamp!.time === null ? '' : ` ${stamp!.time}`
    const readings = [plain, two].map((words) => `capture “${capital(words)}”`)
    readings[1] += ` on ${stamp!.day}${hours}`
    return unclear(text, 'I see more than one date there.', readings)
  }
  if (readings !== null) {
    const sentences = readings.map((reading) => `capture ${reading}`)
    return unclear(text, 'That date can be read in two ways.', sentences)
  }
  const never = /^(.+?) (?:every|each) (?:weekday|workday|working day|business day)s?$/i.exec(title)
  if (never !== null && !marks.literal) {
    const sentences = ['every day', 'every monday'].map((often) => `capture ${never[1]} ${often}`)
    return unclear(text, 'A repeater cannot leave out the weekend.', sentences)
  }
  const day = marks.literal || stamp !== null ? null : impossibleDay(title)
  if (day !== null) {
    const plain = title.replace(/["“”]/g, '')
    const readings = [`capture ${title.slice(0, -day.length)}tomorrow`, `capture “${plain}”`]
    return unclear(text, `There is no ${day}.`, readings)
  }
  const args: Record<string, unknown> = {
    title: marks.literal ? title : capital(title),
  }
  if (stamp !== null) args[due ? 'deadline' : 'scheduled'] = orgStamp(stamp)
  if (priority !== null) args.priority = priority
  if (tags.length > 0) args.tags = [...new Set(tags)]
  if (effort !== null) args.effort = effort
  if (under !== null && under !== 'inbox.org') args.under = under
  return call('capture-task', args, `You asked to capture “${fieldText(args.title)}”.`)
}

/** Rules that capture. */
export const captureRules: Rule[] = [
  {
    pattern: /^remind me (?!to |about )(.+?) (?:to|about) (.+)$/i,
    read: ([date, text], now) =>
      takeDate(`x ${date}`, now).rest === 'x' ? captureOf(`${text} ${date}`, now) : null,
  },
  {
    pattern:
      /^(?:capture|add(?: a)?(?: new)?(?: task| todo)?(?: to)?|remind me (?:to|about)|remember to|don't forget to|jot down|todo|to-do|new task|task|note(?: to self)?|make a note(?: of| that)?|write down(?: that)?|i (?:need|have|want) to|i must)[: ] ?(.+)$/i,
    read: ([text = ''], now) => captureOf(text, now),
  },
]
