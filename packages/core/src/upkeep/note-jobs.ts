import type { SignalPayload } from '../contract/signal.ts'
import type { MemoryObject } from '../memory/memory-object.ts'
import type { ObjectStore } from '../memory/store.ts'
import type { Job } from './scheduler.ts'

const jobsMax = 1_000

/** The jobs that the notes ask for; `tell` gets what each leads to, and `refused` who may not. */
export function jobsOfNotes(
  store: ObjectStore,
  tell: (payload: SignalPayload) => Promise<void>,
  refused: (message: string) => void = () => {},
): Job[] {
  const jobs: Job[] = []
  for (const object of store.objects()) {
    const when = object.type === 'headline' ? whenOf(object) : null
    if (when === null || jobs.length >= jobsMax) continue
    if (object.authorship.outside) {
      refused(`${object.file}:${object.line} came from outside; it is no job`)
      continue
    }
    const { id } = object
    const name = `note:${id}:${when.text}`
    jobs.push({ name, when: when.rule, run: () => tell(payloadOf(object)) })
  }
  return jobs
}

function whenOf(object: MemoryObject): { rule: Job['when']; text: string } | null {
  const text = object.attributes.CRON?.trim() ?? ''
  const isGone = object.done || object.commented === true || object.tags.includes('ARCHIVE')
  if (text === '' || isGone) return null
  if (text.toLowerCase() !== 'repeater') return { rule: text, text }
  const raw = object.scheduled ?? object.deadline ?? activeIn(object.head + object.content)
  const rule = raw === null ? null : repeaterOf(raw)
  return rule === null || raw === null ? null : { rule, text: raw }
}

function activeIn(text: string): string | null {
  return /<\d{4}-\d\d-\d\d[^>\n]*>/.exec(text)?.[0] ?? null
}

function payloadOf(object: MemoryObject): SignalPayload {
  const { file, id, line, title } = object
  const place = { note: id, file, line }
  return { sensor: 'cron', ...place, title: object.private ? 'a private note' : title }
}

const averageMs = {
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  m: 2_629_746_000,
  y: 31_556_952_000,
}

/** The dates of a timestamp with its repeater, in local time; null for a text that is none. */
export function repeaterOf(stamp: string): ((after: Date) => Date | null) | null {
  const found = /^<(\d{4})-(\d\d)-(\d\d)(?:[^>\d+]*(\d{1,2}):(\d\d))?/.exec(stamp)
  if (found === null) return null
  const [year = 0, month = 0, day = 0, hour = 8, minute = 0] = found
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)))
  const [, digits = '0', letter = 'd'] = /\+(\d+)([hdwmy])/.exec(stamp) ?? []
  const unit = letter as keyof typeof averageMs
  const step = Number(digits)
  const begin = new Date(year, month - 1, day, hour, minute).getTime()
  const at = (count: number) => {
    const by = count * step
    if (unit === 'h') return new Date(begin + by * averageMs.h)
    const days = unit === 'd' ? by : unit === 'w' ? 7 * by : 0
    const months = unit === 'm' ? by : unit === 'y' ? 12 * by : 0
    return new Date(year, month - 1 + months, day + days, hour, minute)
  }
  return (after) => {
    const first = at(0)
    if (first > after) return first
    if (step === 0) return null
    const passed = after.getTime() - first.getTime()
    let count = Math.max(0, Math.floor(passed / (averageMs[unit] * step)) - 1)
    while (at(count) <= after) count++
    return at(count)
  }
}
