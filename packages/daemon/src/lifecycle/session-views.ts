import {
  defineSkill,
  type MemoryObject,
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

function saidIn(runtime: Runtime, { meta }: Signal): { speaker: string; text: string }[] {
  return runtime.sessions.of(meta.sessionId).entries.flatMap((entry) => {
    if (entry.kind === 'answer')
      return entry.text === '' ? [] : [{ speaker: 'agent', text: entry.text }]
    const isOwners = entry.kind === 'words' && entry.origin === 'owner'
    return isOwners ? [{ speaker: 'owner', text: entry.text }] : []
  })
}

function view(
  action: string,
  look: (runtime: Runtime, signal: Signal) => Signal['payload'],
): SensorHandler {
  return (signal, runtime) => {
    const { depth, meta } = signal
    if (meta.isUnproven === true || meta.sessionId === undefined) return null
    runtime.reply({ type: 'status', meta, payload: { ...look(runtime, signal), action }, depth })
    return null
  }
}

/** The skill that shows a session's plan and its conversation. */
export const sessionViews: Skill = defineSkill({
  name: 'session-views',
  description: 'Tells a client the tasks that its session is about, and what was said in it.',
  sensors: {
    'session-plan': view('session-plan', (...asked) => ({ steps: planOf(...asked) })),
    'session-talk': view('session-talk', (...asked) => ({ said: saidIn(...asked) })),
  },
})
