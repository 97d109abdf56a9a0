import {
  type Action,
  type ConfigSection,
  changesBetween,
  type DayNumber,
  dayText,
  defineSection,
  defineSkill,
  fieldText,
  type JobWord,
  localDay,
  type MemoryObject,
  messageAction,
  messageOf,
  type NoteChange,
  oneOf,
  type ProviderEvent,
  parseAction,
  providersFor,
  type Runtime,
  runQuery,
  type Signal,
  type SignalPayload,
  type Skill,
  type Snapshot,
  type Tier,
  type TraceEvent,
  tellOwner,
  whole,
} from '@passepartout/core'
import { z } from 'zod'
import { placeOf, titleWords } from '../common/note-text.ts'
import { type EventState, type ListedHook, openEventState } from './event-state.ts'
import { allowHook, askedFor, hooksGate, mayAct, question } from './hook-permission.ts'
import { conditionOf, type EventKind, type Hook, HookBook } from './hooks.ts'
import { remind } from './reminders.ts'

/** How often the hooks of a tier may fire in a day, all together. */
export type TierBudgets = Record<Tier, number>

/** What is right for most. */
export const tierBudgets: TierBudgets = { reflex: 500, cognition: 20, reasoning: 5 }

/** The section of the configuration about events. */
export const eventSection: ConfigSection<TierBudgets> = defineSection({
  marker: 'EVENTS',
  properties: z.object({
    EVENTS: oneOf('yes'),
    REFLEXES: whole(0, 100_000).default(tierBudgets.reflex),
    COGNITIONS: whole(0, 10_000).default(tierBudgets.cognition),
    REASONINGS: whole(0, 10_000).default(tierBudgets.reasoning),
  }),
  read: (values) => ({
    reflex: values.REFLEXES,
    cognition: values.COGNITIONS,
    reasoning: values.REASONINGS,
  }),
})

/** Something that has happened. */
interface Happening {
  kind: EventKind
  /** The note to which it happened, if it was one. */
  note: MemoryObject | null
  /** What it is called when there is no note. */
  title: string
  /** The hooks that have led to it, the first one first. */
  chain: readonly string[]
}

/** What follows from one firing. */
interface Thread {
  firing: string
  hook: string
  chain: readonly string[]
  word: string
  /** No model answered; what the rules say in its place is no outcome. */
  isUnanswered: boolean
}

interface Desk {
  readonly runtime: Runtime
  readonly state: EventState
  readonly book: HookBook
  readonly budgets: TierBudgets
  readonly threads: Map<string, Thread>
  /** Threads that have acted since the last look. */
  readonly active: Set<Thread>
  happenings: Happening[]
  known: Snapshot
  day: DayNumber
  /** The list of hooks as it was written last. */
  listed: string
  count: number
}

/** Where the state is kept, and what may be spent. */
interface EventOptions {
  path: string
  budgets: TierBudgets
}

function openDesk(runtime: Runtime, { budgets, path }: EventOptions): Desk {
  const start: Happening = { kind: 'start', note: null, title: 'the start', chain: [] }
  const told = (sentence: string) => tellOwner(runtime, sentence)
  const isExpected = runtime.database?.keeper?.isFirst === false
  const desk: Desk = {
    runtime,
    budgets,
    state: openEventState(path, told, isExpected),
    book: new HookBook(runtime.store),
    threads: new Map(),
    active: new Set(),
    happenings: [start],
    known: runtime.store.snapshot(),
    day: localDay(runtime.clock.now()),
    listed: '',
    count: 0,
  }
  runtime.trace.listen((event) => follow(desk, event))
  return desk
}

function opened(runtime: Runtime, options: EventOptions): Desk | null {
  try {
    return openDesk(runtime, options)
  } catch (error) {
    const reason = messageOf(error)
    const advice = `look at ${options.path}, or move it away, and restart`
    runtime.log('error', `hooks do not work: ${reason}; ${advice}`, 'hooks do not work')
    return null
  }
}

const threadsMax = 2_000

function follow(desk: Desk, { cause, id, record, signal }: TraceEvent): void {
  const thread = desk.threads.get(id) ?? threadOf(signal) ?? desk.threads.get(cause ?? '')
  if (thread !== undefined && !desk.threads.has(id)) {
    desk.threads.set(id, thread)
    const [oldest] = desk.threads.keys()
    if (desk.threads.size > threadsMax && oldest !== undefined) desk.threads.delete(oldest)
  }
  if (thread !== undefined) {
    const { firing, hook, word } = thread
    const at = desk.runtime.clock.now().getTime()
    const fault = faultOf(record, desk.runtime)
    if (record.kind === 'dispatch') desk.active.add(thread)
    if (fault !== null && record.kind === 'proposal') thread.isUnanswered = true
    if (fault !== null) desk.state.bury({ id: firing, hook, word, reason: fault, at })
    else if (record.kind === 'outcome' && !thread.isUnanswered) desk.state.drop(firing)
  }
  const kind = eventIn(record)
  if (kind === null || desk.happenings.length >= happeningsMax) return
  const { target, tool } = record.fields ?? {}
  const title = String(tool ?? target ?? 'an action')
  desk.happenings.push({ kind, note: null, title, chain: thread?.chain ?? [] })
}

const happeningsMax = 500
const firedSchema = z.object({ hook: z.string(), firing: z.string(), chain: z.array(z.string()) })

function threadOf({ payload }: Signal): Thread | undefined {
  const read = payload.sensor === 'job-hook' ? firedSchema.safeParse(payload) : null
  if (read?.success !== true) return undefined
  return { ...read.data, word: JSON.stringify(payload), isUnanswered: false }
}

type Told = TraceEvent['record']

function eventIn({ fields = {}, kind }: Told): EventKind | null {
  if (kind === 'outcome' && fields.status === 'error') return 'tool-failed'
  if (kind === 'verdict' && fields.stage === 'act' && fields.result === 'reject') return 'refused'
  return kind === 'approval' && fields.state === 'asked' ? 'plan-waiting' : null
}

function faultOf(record: Told, runtime: Runtime): string | null {
  const { fields = {}, kind, text = '', verdicts = [] } = record
  if (kind === 'error') return text
  if (kind === 'outcome' && fields.status === 'error') return text || 'it failed'
  if (kind === 'proposal' && fields.tier !== 'reflex') {
    const isModel = runtime.providers.some(
      ({ name, rules }) => name === fields.provider && rules !== true,
    )
    return isModel ? null : `no model answered. ${fields.failures ?? ''}`.trim()
  }
  if (eventIn(record) !== 'refused') return null
  const reasons = verdicts.filter(({ verdict }) => verdict === 'reject')
  return reasons.map(({ gate, reason }) => `${gate}: ${reason}`).join('; ')
}

function changes(desk: Desk): Happening[] {
  const now = desk.runtime.store.snapshot()
  if (now.files === desk.known.files) return []
  const found = changesBetween(desk.known, now)
  desk.known = now
  const kinds = found.flatMap((change) => kindsOf(change).map((kind) => ({ kind, change })))
  return kinds.slice(0, happeningsMax).map(({ kind, change }) => {
    const note = change.after ?? change.before
    const title = note === null || note.private ? 'a private note' : titleWords(note)
    return { kind, note, title, chain: chainOf(desk, change) }
  })
}

function kindsOf({ before, after }: NoteChange): EventKind[] {
  if ((after ?? before)?.type !== 'headline') return []
  if (after === null) return ['note-gone']
  if (before === null) return after.todo === null ? ['note-added'] : ['note-added', 'task-added']
  if (before.head === after.head && before.content === after.content) return []
  const kinds: EventKind[] = ['note-changed']
  if (before.todo === null && after.todo !== null) kinds.push('task-added')
  if (!before.done && after.done) kinds.push('task-done')
  if (before.done && !after.done && after.todo !== null) kinds.push('task-reopened')
  return kinds
}

function chainOf({ active, threads }: Desk, { after }: NoteChange): readonly string[] {
  if (after !== null) return threads.get(after.authorship.signal ?? '')?.chain ?? []
  return [...new Set([...active].flatMap(({ chain }) => chain))]
}

function newDay(desk: Desk): Happening[] {
  const day = localDay(desk.runtime.clock.now())
  if (day === desk.day) return []
  desk.day = day
  return [{ kind: 'day', note: null, title: dayText(day), chain: [] }]
}

function look(desk: Desk): JobWord[] {
  const happenings = [...desk.happenings, ...changes(desk), ...newDay(desk)]
  desk.happenings = []
  desk.active.clear()
  const hooks = desk.book.all()
  showHooks(desk, hooks)
  const fired = happenings.flatMap((happening) =>
    hooks.flatMap((hook) => (isMeant(desk, hook, happening) ? fire(desk, hook, happening) : [])),
  )
  const isHeard = desk.runtime.sensors.has('event')
  const told = isHeard ? happenings.map(toldToSkills) : []
  return [...retried(desk, hooks), ...told, ...fired, ...askedFor(desk, hooks)]
}

function toldToSkills({ kind, note, title }: Happening): JobWord {
  const place = note === null ? {} : { file: note.file, line: note.line }
  const origin = note?.authorship.outside === true ? 'web' : 'tool'
  return { payload: { sensor: 'event', event: kind, title, text: kind, ...place }, origin }
}

function isMeant(desk: Desk, hook: Hook, { kind, note }: Happening): boolean {
  if ('fault' in hook.words || hook.words.event !== kind) return false
  if (kind === 'cron') return note?.id === hook.note.id
  if (note === null) return true
  if (note.id === hook.note.id || (note.private && hook.words.tier !== 'reflex')) return false
  const { clock, indexes } = desk.runtime
  const query = conditionOf(hook.text, localDay(clock.now()))
  if (query === null) return true
  return runQuery(indexes, { kind: 'all', of: [{ kind: 'id', id: note.id }, query] }).length > 0
}

const chainMax = 3
const dayMs = 86_400_000

function fire(desk: Desk, hook: Hook, happening: Happening): JobWord[] {
  const { budgets, runtime, state } = desk
  if ('fault' in hook.words || !mayAct(desk.state, hook) || state.isPaused(hook.key)) return []
  const { budget, cooldownMs, tier } = hook.words
  const at = runtime.clock.now().getTime()
  const word = wordOf(desk, hook, happening, at)
  const cut = (id: string, reason: string): JobWord[] => {
    state.bury({ id, hook: hook.key, word: JSON.stringify(word.payload), reason, at })
    return []
  }
  const { chain } = happening
  if (chain.includes(hook.key)) return cut(`${hook.key}-loop`, 'it was cut: it has caused itself')
  if (chain.length >= chainMax) return cut(`${hook.key}-chain`, 'it was cut: the chain is too long')
  const { count, last } = state.spent(hook.key, at - budget.windowMs)
  if (last !== null && last <= at && at - last < cooldownMs) return []
  if (count >= budget.count) return []
  if (state.spentBy(tier, at - dayMs) >= budgets[tier]) {
    return cut(`${hook.key}-${tier}`, `the ${budgets[tier]} firings a day of all hooks are spent`)
  }
  state.fire(hook.key, tier, at)
  return [word]
}

function wordOf(
  desk: Desk,
  hook: Hook,
  { chain, kind, note, title }: Happening,
  at: number,
): JobWord {
  const { sentence, tier } = hook.words as Exclude<Hook['words'], { fault: string }>
  const firing = `${hook.key}-${at.toString(36)}-${++desk.count}`
  const place = note === null ? '' : placeOf(note)
  const happened = `What happened: ${kind}, “${title}”${place === '' ? '' : ` at ${place}`}.`
  const text = tier === 'reflex' ? sentence : `${sentence}\n\n${happened}`
  const own = { sensor: 'job-hook', hook: hook.key, firing, chain: [...chain, hook.key] }
  const isOutside = note?.authorship.outside === true || hook.note.authorship.outside
  return {
    payload: { ...own, event: kind, tier, title, place, text },
    origin: isOutside ? 'web' : 'tool',
  }
}

function retried(desk: Desk, hooks: readonly Hook[]): JobWord[] {
  const { runtime, state } = desk
  if (state.isPaused('all')) return []
  return state.takeRetries().flatMap(({ hook: key, word }): JobWord[] => {
    const hook = hooks.find((known) => known.key === key)
    if (hook === undefined || 'fault' in hook.words || !mayAct(desk.state, hook)) return []
    state.fire(key, hook.words.tier, runtime.clock.now().getTime())
    const payload = readWord(word)
    return payload === null ? [] : [{ payload, origin: 'tool' }]
  })
}

function readWord(word: string): SignalPayload | null {
  const read = firedSchema.loose().safeParse(JSON.parse(word))
  return read.success ? { ...read.data, sensor: 'job-hook' } : null
}

async function carryOut(desk: Desk, signal: Signal): Promise<Action | 'reason' | null> {
  const { payload } = signal
  const hook = desk.book.all().find(({ key }) => key === payload.hook)
  if (hook === undefined || 'fault' in hook.words || !mayAct(desk.state, hook)) return null
  if (desk.state.isPaused(hook.key))
    return lost(desk, signal, 'the hook was paused before its turn')
  const { sentence, tier } = hook.words
  const [, said] = /^say\s+([\s\S]+)$/i.exec(sentence) ?? []
  if (said !== undefined) return messageAction(filled(said, payload))
  if (tier === 'reflex') return byRules(desk, hook, signal)
  const models = providersFor(desk.runtime, signal, tier).filter(({ rules }) => rules !== true)
  if (models.length > 0) return 'reason'
  return lost(desk, signal, 'no model is configured that may think unasked')
}

function filled(text: string, payload: SignalPayload): string {
  return text.replace(/\{(title|place|event)\}/g, (_, name: string) => fieldText(payload[name]))
}

function lost(desk: Desk, { payload }: Signal, reason: string): null {
  const at = desk.runtime.clock.now().getTime()
  const word = JSON.stringify(payload)
  const [id, hook] = [String(payload.firing), String(payload.hook)]
  desk.state.bury({ id, hook, word, reason, at })
  return null
}

async function byRules(desk: Desk, hook: Hook, signal: Signal): Promise<Action | null> {
  const rules = desk.runtime.providers.find((provider) => provider.rules === true)
  if (rules === undefined) return lost(desk, signal, 'there are no rules to read it by')
  const { sentence } = hook.words as Exclude<Hook['words'], { fault: string }>
  const asked: Signal = { ...signal, payload: { sensor: 'user-input', text: sentence } }
  const request = { system: '', prompt: sentence, tools: [], signal: asked }
  const events: ProviderEvent[] = []
  for await (const event of rules.propose(request, new AbortController().signal)) events.push(event)
  const proposed = events.find((event) => event.type === 'action')
  const action = proposed === undefined ? null : parseAction(proposed.action)
  if (action?.ok !== true) {
    const words = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
    return lost(desk, signal, `it is not understood: ${words.join(' ').slice(0, 300)}`)
  }
  const explanation = `Your hook at ${placeOf(hook.note)} asks for it: “${sentence.slice(0, 200)}”.`
  return { ...action.value, payload: { ...action.value.payload, explanation } }
}

function showHooks(desk: Desk, hooks: readonly Hook[]): void {
  const shown = hooks.map((hook) => listedOf(desk, hook))
  const text = JSON.stringify(shown)
  if (text === desk.listed) return
  desk.listed = text
  desk.state.list(shown)
}

function listedOf(desk: Desk, hook: Hook): ListedHook {
  const { key, note, text, words } = hook
  const place = placeOf(note)
  if ('fault' in words) {
    return { key, event: '', tier: '', place, text, state: words.fault, budget: 0, windowMs: 0 }
  }
  const { budget, event, tier } = words
  const state = mayAct(desk.state, hook) ? readyWords(desk, tier) : 'waits for your word'
  return { key, event, tier, place, text, state, budget: budget.count, windowMs: budget.windowMs }
}

function readyWords({ runtime }: Desk, tier: Tier): string {
  const ceiling = runtime.mind.tiers.background
  if (tier === 'reflex' || ceiling === 'reasoning' || tier === ceiling) return 'ready'
  return `ready, but your BACKGROUND lets it think only as ${ceiling}`
}

function timeHasCome(desk: Desk | null, signal: Signal): Action | null {
  if (desk === null) return remind(signal)
  const note = desk.runtime.store.get(String(signal.payload.note))
  const happening: Happening = { kind: 'cron', note, title: '', chain: [] }
  const isHooked = desk.book
    .all()
    .some((hook) => isMeant(desk, hook, happening) && mayAct(desk.state, hook))
  if (note === null || !isHooked) return remind(signal)
  const title = note.private ? 'a private note' : titleWords(note)
  desk.happenings.push({ ...happening, title })
  return null
}

/** The skill that has hooks carried out. */
export function createEvents(options: EventOptions): Skill {
  const desks = new WeakMap<Runtime, Desk | null>()
  const deskOf = (runtime: Runtime): Desk | null => {
    if (!desks.has(runtime)) desks.set(runtime, opened(runtime, options))
    return desks.get(runtime) ?? null
  }
  return defineSkill({
    name: 'events',
    description: 'Has notes say what should happen when something happens.',
    classify: ({ payload }) =>
      payload.sensor === 'job-hook' ? (payload.tier as Tier | undefined) : null,
    hiddenTools: () => ['allow-hook'],
    gates: [hooksGate],
    tools: [allowHook(deskOf)],
    sensors: {
      cron: (signal, runtime) => timeHasCome(deskOf(runtime), signal),
      'job-hook': (signal, runtime) => whenOpen(deskOf(runtime), (desk) => carryOut(desk, signal)),
      'job-hook-ask': ({ payload }, runtime) =>
        whenOpen(deskOf(runtime), ({ book }) =>
          question(book.all().find(({ key }) => key === payload.hook)),
        ),
    },
    jobs: [
      {
        name: 'look',
        when: { everyMs: 20_000 },
        payload: (runtime) => whenOpen(deskOf(runtime), look) ?? [],
      },
    ],
  })
}

function whenOpen<T>(desk: Desk | null, work: (desk: Desk) => T): T | null {
  return desk === null ? null : work(desk)
}
