import { fieldText, type Question, readQuestions, type Signal } from '@passepartout/core/protocol'
import { readSaid, type SaidLine } from '../session/session-choice.ts'
import type { Fate } from './card.ts'
import { type Buffer, bufferOf, type History, history } from './editor.ts'
import type { Input } from './keys.ts'
import type { Line } from './text.ts'
import type { Anchor, Item } from './transcript.ts'

/** What the status bar shows, as the daemon told it. */
interface Facts {
  provider: string | null
  tokens: number
  scope: string
  turns: number
  waiting: number
}

/** A row of a list in a pane; without a place it is a heading. */
export interface Entry {
  line: Line
  place: string | null
}

/** What is looked up by a program. */
export type Look =
  | { kind: 'agenda'; days: string }
  | { kind: 'search'; query: string }
  | { kind: 'note'; name: string }
  | { kind: 'why'; id: string }
  | { kind: 'sessions' }

/** What was found. */
export type Found = { entries: Entry[] } | { text: string } | { problem: string }

/** A view of notes beside the conversation, or in its place. */
export interface Pane {
  id: number
  title: string
  /** Null for the help, which is not looked up. */
  look: Look | null
  found: Found | null
  selected: number
  top: number
  /** What was open before it. */
  back: Pane | null
}

/** The whole screen. */
export interface State {
  size: { columns: number; rows: number }
  memex: string
  connection: 'connecting' | 'connected' | 'lost'
  facts: Facts
  /** The session that was gone on with, or is to be; null for the connection's own. */
  session: string | null
  items: readonly Item[]
  nextId: number
  /** Ids of entries that wait to be sent. */
  queue: readonly number[]
  /** How many turns were begun here and have not ended. */
  running: number
  interrupted: boolean
  buffer: Buffer
  history: History
  palette: { selected: number; dismissed: string }
  anchor: Anchor
  card: { question: string; top: number; armed: boolean } | null
  /** Counts what has happened to a card's focus; an alarm for an earlier count is stale. */
  sequence: number
  pane: Pane | null
  mouse: boolean
  /** Whether Ctrl-C was pressed on an empty line just now. */
  leaving: boolean
  /** A word in the place of the hints, until the next key. */
  hint: string
}

/** What a program starts with. */
export function initialState(given: {
  memex: string
  entries: readonly string[]
  mouse: boolean
  /** The session to go on with, the last one for an empty name. */
  session?: string | null
}): State {
  return {
    size: { columns: 80, rows: 24 },
    memex: given.memex,
    connection: 'connecting',
    facts: { provider: null, tokens: 0, scope: 'memex', turns: 0, waiting: 0 },
    session: given.session ?? null,
    items: [],
    nextId: 1,
    queue: [],
    running: 0,
    interrupted: false,
    buffer: bufferOf(''),
    history: history.of(given.entries),
    palette: { selected: 0, dismissed: '' },
    anchor: null,
    card: null,
    sequence: 0,
    pane: null,
    mouse: given.mouse,
    leaving: false,
    hint: '',
  }
}

/** Something that happened. */
export type Event =
  | { type: 'input'; input: Input }
  | { type: 'resize'; columns: number; rows: number }
  | { type: 'connected'; memex: string }
  | { type: 'disconnected' }
  | { type: 'signal'; signal: Signal }
  | { type: 'found'; pane: number; found: Found }
  | { type: 'armed'; sequence: number }

/** Something to do. */
export type Effect =
  | { type: 'send'; text: string }
  | { type: 'session'; sensor: 'session-continue' | 'session-talk'; session?: string }
  | { type: 'interrupt' }
  | { type: 'ask'; action: 'approvals' | 'health-check' }
  | { type: 'look'; pane: number; look: Look }
  | { type: 'remember'; text: string }
  | { type: 'arm'; sequence: number }
  | { type: 'mouse'; on: boolean }
  | { type: 'redraw' }
  | { type: 'suspend' }
  | { type: 'quit' }

/** The next state, and what is to be done. */
export interface Step {
  state: State
  effects: Effect[]
}

/** A next state with nothing to be done. */
export function still(state: State): Step {
  return { state, effects: [] }
}

/** What is done next, with the effects of both in their order. */
export function after(step: Step, next: (state: State) => Step): Step {
  const { state, effects } = next(step.state)
  return { state, effects: [...step.effects, ...effects] }
}

type NewItem = Item extends infer One ? (One extends Item ? Omit<One, 'id'> : never) : never

const itemsMax = 2_000

/** A state with one more entry in its transcript. */
export function added(state: State, item: NewItem): State {
  const items = [...state.items, { ...item, id: state.nextId } as Item]
  return { ...state, items: items.slice(-itemsMax), nextId: state.nextId + 1 }
}

/** A state with its entries changed. */
export function changed(state: State, change: (item: Item) => Item): State {
  return { ...state, items: state.items.map(change) }
}

/** A sentence of the owner goes into the queue, and is sent when it can be. */
export function submitted(state: State, text: string): Step {
  const queued = added(state, { kind: 'owner', text, state: 'queued' })
  const kept = { ...queued, queue: [...queued.queue, state.nextId], anchor: null }
  return after({ state: kept, effects: [{ type: 'remember', text }] }, pumped)
}

/** Sends what waits first, when it can be sent. */
function pumped(state: State): Step {
  const [first, ...queue] = state.queue
  if (first === undefined || state.running > 0 || state.connection !== 'connected')
    return still(state)
  const item = state.items.find(({ id }) => id === first)
  const sent = changed({ ...state, queue, running: 1, interrupted: false }, (one) =>
    one.id === first && one.kind === 'owner' ? { ...one, state: 'sent' } : one,
  )
  if (item?.kind !== 'owner') return pumped({ ...state, queue })
  return { state: sent, effects: [{ type: 'send', text: item.text }] }
}

/** A connection has been made. */
export function nowConnected(state: State): Step {
  const effects: Effect[] = [
    { type: 'ask', action: 'approvals' },
    { type: 'ask', action: 'health-check' },
  ]
  const { session } = state
  const ready = after({ state, effects }, (next) =>
    session === null ? still(next) : continued(next, session),
  )
  return after(ready, pumped)
}

/** Asks to go on with a session; the last one for an empty name. */
export function continued(state: State, session: string): Step {
  if (state.connection !== 'connected') return still({ ...state, session })
  const effect: Effect = { type: 'session', sensor: 'session-continue', session }
  return { state: { ...state, running: state.running + 1 }, effects: [effect] }
}

/** A session is gone on with; what was said in it is asked for, where it is not on the screen yet. */
function nowIn(state: State, session: string): Step {
  if (state.session === session) return still(state)
  const effect: Effect = { type: 'session', sensor: 'session-talk' }
  return { state: { ...state, session, running: state.running + 1 }, effects: [effect] }
}

function withSaid(state: State, said: readonly SaidLine[]): State {
  return said.reduce((next, { speaker, text, tool }) => {
    if (speaker === 'owner') return added(next, { kind: 'owner', text, state: 'sent' })
    if (tool !== undefined) return added(next, { kind: 'notice', text: tool, tone: 'muted' })
    if (speaker === 'daemon') return added(next, { kind: 'notice', text, tone: 'muted' })
    return added(next, { kind: 'agent', text, stream: null, withdrawn: false })
  }, state)
}

/** A connection has ended. */
export function nowLost(state: State): State {
  const asked =
    state.running > 0
      ? state.items.findLast((item) => item.kind === 'owner' && item.state === 'sent')
      : undefined
  const marked = changed(
    { ...state, connection: 'lost', running: 0, interrupted: false },
    (item) => {
      if (item.kind === 'agent' && item.stream !== null) return { ...item, stream: null }
      return item.id === asked?.id && item.kind === 'owner' ? { ...item, state: 'lost' } : item
    },
  )
  if (state.connection !== 'connected') return marked
  return added(marked, {
    kind: 'notice',
    text: 'The daemon is gone. Waiting for it to come back; you can go on typing.',
    tone: 'warn',
  })
}

/** What a signal of the daemon makes of the screen. */
export function heard(state: State, { type, payload }: Signal): Step {
  const text = typeof payload.text === 'string' ? payload.text : ''
  if (type === 'stream-chunk')
    return still(streamed(state, fieldText(payload.stream), text, payload.ended))
  if (type === 'response') return { state: answered(state, text, payload), effects: unasked(state) }
  if (type === 'log')
    return still(text === '' ? state : added(state, { kind: 'notice', text, tone: 'warn' }))
  if (type !== 'status') return still(state)
  switch (payload.action) {
    case 'turn-end':
      return turnEnded(state)
    case 'health':
      return still({ ...state, facts: factsIn(payload, state.facts) })
    case 'approvals':
      return still(synchronised(state, readQuestions(payload.questions)))
    case 'session-continue':
      if (typeof payload.session === 'string') return nowIn(state, payload.session)
      return still(added({ ...state, session: null }, { kind: 'notice', text, tone: 'warn' }))
    case 'session-talk':
      return still(withSaid({ ...state, items: [] }, readSaid(payload.said)))
    case 'session-said':
      return still(withSaid(state, readSaid(payload.said)))
    case 'receipt':
      return still(added(state, { kind: 'notice', text, tone: 'muted' }))
    default:
      if (text === '') return still(state)
      return still(
        added(state, { kind: 'notice', text, tone: payload.action === 'error' ? 'bad' : 'warn' }),
      )
  }
}

function unasked({ running }: State): Effect[] {
  return running > 0 ? [] : [{ type: 'ask', action: 'approvals' }]
}

function factsIn(payload: Signal['payload'], before: Facts): Facts {
  const number = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) ? value : 0
  const word = (value: unknown, other: string | null) => (typeof value === 'string' ? value : other)
  return {
    provider: word(payload.provider, before.provider),
    tokens: number(payload.inputTokens) + number(payload.outputTokens),
    scope: word(payload.scope, before.scope) ?? 'memex',
    turns: number(payload.turns),
    waiting: number(payload.waiting),
  }
}

const endings: Record<string, string> = {
  withdrawn: 'What was shown of this answer is withdrawn: a gate objected to the rest of it.',
  interrupted: 'Stopped.',
  'broken off': 'The model broke off.',
}

function streamed(state: State, stream: string, text: string, ended: unknown): State {
  const open = state.items.findLast((item) => item.kind === 'agent' && item.stream === stream)
  if (text !== '') {
    if (open === undefined) return added(state, { kind: 'agent', text, stream, withdrawn: false })
    return changed(state, (item) =>
      item.id === open.id && item.kind === 'agent' ? { ...item, text: item.text + text } : item,
    )
  }
  const withdrawn = ended === 'withdrawn'
  const closed = changed(state, (item) =>
    item.id === open?.id && item.kind === 'agent' ? { ...item, stream: null, withdrawn } : item,
  )
  const told = endings[String(ended)]
  return told === undefined ? closed : added(closed, { kind: 'notice', text: told, tone: 'muted' })
}

function answered(state: State, text: string, payload: Signal['payload']): State {
  const [question] = readQuestions(payload.question)
  if (question !== undefined) return withCard(state, question)
  const isSeen = state.items.some(
    (item) => item.kind === 'agent' && item.text.trim() === text.trim(),
  )
  if (payload.streamed === true && isSeen) return state
  if (text.startsWith('No question is open under that word')) {
    return changed(state, (item) =>
      item.kind === 'card' && item.fate.endsWith('ing') && item.fate !== 'waiting'
        ? { ...item, fate: 'gone' }
        : item,
    )
  }
  return text === '' ? state : added(state, { kind: 'agent', text, stream: null, withdrawn: false })
}

function turnEnded(state: State): Step {
  const running = Math.max(0, state.running - 1)
  const effects: Effect[] = [
    { type: 'ask', action: 'approvals' },
    { type: 'ask', action: 'health-check' },
  ]
  return after({ state: { ...state, running, interrupted: false }, effects }, pumped)
}

function withCard(state: State, question: Question): State {
  const isKnown = state.items.some(
    (item) => item.kind === 'card' && item.question.id === question.id,
  )
  return isKnown ? state : added(state, { kind: 'card', question, fate: 'waiting' })
}

function synchronised(state: State, questions: readonly Question[]): State {
  const open = new Set(questions.map(({ id }) => id))
  const settled = changed(state, (item) => {
    if (item.kind !== 'card') return item
    return { ...item, fate: fateOf(item.fate, open.has(item.question.id), state.running > 0) }
  })
  const shown = questions.reduce(withCard, settled)
  const hasCard = shown.card !== null && open.has(shown.card.question)
  return hasCard ? shown : { ...shown, card: null }
}

function fateOf(fate: Fate, isOpen: boolean, isRunning: boolean): Fate {
  if (isOpen) return isRunning ? fate : 'waiting'
  if (fate === 'waiting') return 'gone'
  return fate === 'approving' ? 'approved' : fate === 'denying' ? 'denied' : fate
}

/** The questions that wait, oldest first. */
export function waitingCards({ items }: State): Question[] {
  return items.flatMap((item) =>
    item.kind === 'card' && item.fate === 'waiting' ? [item.question] : [],
  )
}
