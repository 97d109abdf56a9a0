import {
  defineSkill,
  type Entry,
  type EntryOf,
  type MemoryObject,
  promptContents,
  promptText,
  type Runtime,
  type SensorHandler,
  type Signal,
  type Skill,
} from '@passepartout/core'
import { dayOf, readOrgStamp, seenBy, titleWords } from '@passepartout/skills/common'

/** One step: a task, as a client draws it. */
interface PlanStep {
  title: string
  state: 'pending' | 'under-way' | 'done'
  /** The priority as it is written; null for none. */
  priority: string | null
}

const stepsMax = 30
const underWay = new Set(['NEXT', 'STARTED', 'DOING', 'INPROGRESS', 'IN-PROGRESS', 'STRT'])

/** The tasks that the session is about. */
function planOf(runtime: Runtime, signal: Signal): PlanStep[] {
  const today = dayOf(runtime.clock.now())
  const scope = runtime.scopes.of(signal.meta.sessionId ?? '').at(-1) ?? 'memex'
  const isMine = (task: MemoryObject) =>
    scope === 'memex' ? isForToday(task, today) : task.scope === scope
  return seenBy({ runtime, signal })
    .filter((task) => task.todo !== null && isMine(task))
    .slice(0, stepsMax)
    .map((task) => ({
      title: titleWords(task),
      state: task.done ? 'done' : underWay.has(task.todo ?? '') ? 'under-way' : 'pending',
      priority: task.priority,
    }))
}

function isForToday(task: MemoryObject, today: string): boolean {
  if (task.done) return readOrgStamp(task.closed)?.day === today
  if (underWay.has(task.todo ?? '')) return true
  const days = [task.deadline, task.scheduled].flatMap((stamp) => readOrgStamp(stamp)?.day ?? [])
  return days.some((day) => day <= today)
}

/** A line of a conversation, as a client draws it. */
interface SaidLine {
  speaker: 'owner' | 'agent' | 'other' | 'call' | 'daemon'
  text: string
  /** ms since the epoch. */
  at: number
  /** Of a call: its id, its tool, its arguments as JSON, and what became of it. */
  call?: string
  tool?: string
  args?: string
  state?: string
}

const linesMax = 400
const textMax = 4_000

/** What a person would tell of these entries, oldest first. */
export function talkOf(entries: readonly Entry[]): SaidLine[] {
  const results = new Map(
    entries.flatMap((entry) => (entry.kind === 'result' ? [[entry.call, entry] as const] : [])),
  )
  return entries.flatMap((entry) => linesOf(entry, results)).slice(-linesMax)
}

function linesOf(entry: Entry, results: ReadonlyMap<string, EntryOf<'result'>>): SaidLine[] {
  const { at, kind } = entry
  if (kind === 'words') {
    const speaker = entry.origin === 'owner' ? 'owner' : 'other'
    return [{ speaker, text: cut(entry.text), at }]
  }
  if (kind === 'receipt') return [{ speaker: 'daemon', text: cut(entry.text), at }]
  if (kind !== 'answer') return []
  const isShown = entry.text !== '' && entry.ending !== 'withdrawn'
  const said = isShown ? [{ speaker: 'agent' as const, text: cut(entry.text), at }] : []
  const calls = entry.calls.map(({ args, id, tool }) => {
    const { state = 'unknown', text = '' } = results.get(id) ?? {}
    const made = { call: id, tool, args: cut(JSON.stringify(args) ?? ''), state }
    return { speaker: 'call' as const, text: cut(text), at, ...made }
  })
  return [...said, ...calls]
}

function cut(text: string): string {
  return text.length > textMax ? `${text.slice(0, textMax).toWellFormed()} …` : text
}

function saidIn({ sessions }: Runtime, { meta, payload }: Signal): SaidLine[] {
  const { session } = payload
  const isOther = typeof session === 'string' && session !== ''
  return talkOf(isOther ? sessions.read(session) : sessions.of(meta.sessionId).entries)
}

function promptOf(runtime: Runtime, signal: Signal): Signal['payload'] {
  const contents = promptContents(runtime, signal)
  return { ...contents, text: promptText(contents) }
}

/** Whether a signal comes from a client of the owner's: one that has proved it, and no chat. */
export function isOwners({ outbox }: Pick<Runtime, 'outbox'>, { meta }: Signal): boolean {
  return meta.isUnproven !== true && outbox.rightOf(meta.sessionId) === 'always'
}

function view(
  action: string,
  look: (runtime: Runtime, signal: Signal) => Signal['payload'],
): SensorHandler {
  return (signal, runtime) => {
    const { depth, meta } = signal
    if (meta.sessionId === undefined || !isOwners(runtime, signal)) return null
    runtime.reply({ type: 'status', meta, payload: { ...look(runtime, signal), action }, depth })
    return null
  }
}

/** The skill that shows a session's plan, its conversation, and what fills its prompt. */
export const sessionViews: Skill = defineSkill({
  name: 'session-views',
  description: 'Tells a client the tasks that its session is about, and what was said in it.',
  sensors: {
    'session-plan': view('session-plan', (...asked) => ({ steps: planOf(...asked) })),
    'session-talk': view('session-talk', (...asked) => ({ said: saidIn(...asked) })),
    'session-prompt': async (signal, runtime) => {
      await runtime.tokens.ready?.()
      return view('session-prompt', promptOf)(signal, runtime)
    },
  },
})
