import { randomUUID } from 'node:crypto'
import type {
  ContentBlock,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallContent,
} from '@agentclientprotocol/sdk'
import { printable } from '@passepartout/core/presence'
import {
  type Client,
  fieldText,
  type Question,
  readDeed,
  readQuestions,
  type Signal,
} from '@passepartout/core/protocol'
import { readPrompt } from './acp-prompt.ts'
import {
  chosen,
  deedCall,
  deedEnd,
  permissionOptions,
  planEntries,
  questionCall,
} from './acp-updates.ts'

/** What a session needs of its editor. */
export interface Editor {
  update(sessionId: string, update: SessionUpdate): void
  /** Rejects when the signal takes the question back. */
  permit(
    request: RequestPermissionRequest,
    takenBack: AbortSignal,
  ): Promise<RequestPermissionResponse>
}

/** A conversation. */
export interface AcpSession {
  readonly id: string
  /** Resolves with why the prompt is over. Rejects when the daemon goes away. */
  prompt(blocks: readonly ContentBlock[]): Promise<'end_turn' | 'cancelled'>
  /** Stops the prompt that is running, if one is. */
  cancel(): void
  /** Sets a mode, or asks for it; resolves to the mode that holds. */
  mode(wanted?: string): Promise<string>
  /** Has the connection go on with the session of this name; false when there is none. */
  goOn(): Promise<boolean>
  /** Shows what was said before. */
  replay(): Promise<void>
  /** Shows the plan, if it is another than the one shown last. */
  showPlan(): Promise<void>
  close(): void
}

interface Waiting {
  resolve(payload: Signal['payload']): void
  reject: (error: Error) => void
}

interface State {
  readonly id: string
  readonly client: Client
  readonly editor: Editor
  /** The folder of the notes, for paths. */
  readonly memex: string
  /** Who waits for the end of a turn, by its name. */
  readonly turns: Map<string, Waiting>
  /** Who waits for an answer to a request, by its action, the first first. */
  readonly asked: Map<string, Waiting[]>
  /** Questions that came in turns of ours and are not answered yet. */
  questions: Question[]
  /** The card of an action that was asked about, by its digest. */
  readonly cards: Map<string, string>
  /** The card of a deed that is under way, by its id. */
  readonly deeds: Map<string, string>
  /** The question on the screen, and how it is taken back. */
  open: { question: Question; takenBack: AbortController } | null
  isCancelled: boolean
  /** The plan that is shown, as JSON. */
  plan: string
  isGone: boolean
}

/** A session over this connection, which becomes the session's own. */
export function openAcpSession(
  client: Client,
  memex: string,
  editor: Editor,
  id: string,
): AcpSession {
  const state: State = {
    id,
    client,
    editor,
    memex,
    questions: [],
    open: null,
    plan: '[]',
    turns: new Map(),
    asked: new Map(),
    cards: new Map(),
    deeds: new Map(),
    isCancelled: false,
    isGone: false,
  }
  void listen(state)
  return {
    id,
    prompt: (blocks) => prompt(state, blocks),
    cancel: () => cancel(state),
    async mode(wanted) {
      const { mode } = await request(state, { sensor: 'session-mode', mode: wanted })
      return String(mode)
    },
    async goOn() {
      const { session } = await request(state, { sensor: 'session-continue', session: id })
      return session === id
    },
    replay: () => replay(state),
    showPlan: () => showPlan(state),
    close: () => client.close(),
  }
}

async function listen(state: State): Promise<void> {
  for await (const signal of state.client) hear(state, signal)
  state.isGone = true
  const gone = new Error('The daemon went away')
  for (const { reject } of [...state.turns.values(), ...[...state.asked.values()].flat()])
    reject(gone)
  state.open?.takenBack.abort()
}

function send(state: State, payload: Signal['payload'], turn: string = randomUUID()): void {
  state.client.send({ type: 'event', meta: { source: 'acp', turn }, payload, depth: 0 })
}

function turnOf(state: State, text: string): Promise<Signal['payload']> {
  const turn = randomUUID()
  const ended = new Promise<Signal['payload']>((resolve, reject) => {
    if (state.isGone) reject(new Error('The daemon went away'))
    state.turns.set(turn, { resolve, reject })
  })
  send(state, { sensor: 'user-input', text }, turn)
  return ended
}

function request(state: State, payload: Signal['payload']): Promise<Signal['payload']> {
  const action = payload.sensor ?? payload.action ?? ''
  return new Promise((resolve, reject) => {
    if (state.isGone) reject(new Error('The daemon went away'))
    state.asked.set(action, [...(state.asked.get(action) ?? []), { resolve, reject }])
    send(state, payload)
  })
}

function hear(state: State, { meta, payload, type }: Signal): void {
  const text = printable(payload.text ?? '')
  if (type === 'stream-chunk') hearChunk(state, text, payload)
  else if (type === 'response') hearAnswer(state, text, payload)
  else if (type !== 'status') return
  else if (payload.action === 'turn-end') hearEnd(state, meta.turn ?? '')
  else if (payload.action === 'deed') hearDeed(state, payload)
  else if (payload.action === 'session-said') showSaid(state, payload.said)
  else if (!isAnswered(state, payload) && text !== '') say(state, text, 'agent_thought_chunk')
}

/** Whether somebody has waited for this, and has it now. */
function isAnswered({ asked }: State, payload: Signal['payload']): boolean {
  const action = payload.action ?? ''
  const [first, ...rest] = asked.get(action) ?? []
  if (first === undefined) return false
  asked.set(action, rest)
  first.resolve(payload)
  return true
}

function say(
  { editor, id }: State,
  text: string,
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk',
  messageId?: string,
): void {
  const content = { type: 'text', text } as const
  editor.update(id, { sessionUpdate, content, ...(messageId === undefined ? {} : { messageId }) })
}

const withdrawn = '\n\n(What was shown of this answer is withdrawn: a gate objected to the rest.)'

function hearChunk(state: State, text: string, { ended, stream }: Signal['payload']): void {
  const messageId = `stream-${String(stream)}`
  if (text !== '') say(state, text, 'agent_message_chunk', messageId)
  else if (ended === 'withdrawn') say(state, withdrawn, 'agent_message_chunk', messageId)
}

function hearAnswer(state: State, text: string, payload: Signal['payload']): void {
  const [question] = readQuestions(payload.question)
  if (question !== undefined) state.questions.push(question)
  else if (text !== '' && payload.streamed !== true) {
    say(state, text, 'agent_message_chunk', randomUUID())
  }
}

function hearEnd(state: State, turn: string): void {
  const waiting = state.turns.get(turn)
  state.turns.delete(turn)
  waiting?.resolve({})
  if (waiting === undefined && state.open !== null) void lookAgain(state)
}

const toldMax = 20

async function lookAgain(state: State): Promise<void> {
  const { questions } = await request(state, { action: 'approvals' }).catch(() => ({
    questions: [],
  }))
  const told = readQuestions(questions)
  const isOpen = told.some(({ id }) => id === state.open?.question.id)
  if (!isOpen && told.length < toldMax) state.open?.takenBack.abort()
}

function hearDeed(state: State, payload: Signal['payload']): void {
  const deed = readDeed(payload)
  if (deed === null) return
  const { editor, id } = state
  if (deed.state !== 'begun') {
    const card = state.deeds.get(deed.id)
    state.deeds.delete(deed.id)
    if (card === undefined) return
    editor.update(id, { sessionUpdate: 'tool_call_update', ...deedEnd(deed, card, state.memex) })
    return
  }
  const card = state.cards.get(deed.digest)
  state.cards.delete(deed.digest)
  if (state.open?.question.digest === deed.digest) state.open.takenBack.abort()
  const call = deedCall(deed)
  state.deeds.set(deed.id, card ?? call.toolCallId)
  if (card === undefined) editor.update(id, { sessionUpdate: 'tool_call', ...call })
  else {
    const update = { toolCallId: card, status: 'in_progress' } as const
    editor.update(id, { sessionUpdate: 'tool_call_update', ...update })
  }
}

async function prompt(
  state: State,
  blocks: readonly ContentBlock[],
): Promise<'end_turn' | 'cancelled'> {
  const { attached, text } = readPrompt(blocks)
  state.isCancelled = false
  state.questions = []
  for (const { name, text } of attached) send(state, { sensor: 'attachment', name, text })
  let said: string | null = text
  while (said !== null) {
    await turnOf(state, said)
    said = await nextWord(state)
  }
  await showPlan(state)
  return state.isCancelled ? 'cancelled' : 'end_turn'
}

/** The owner's answers to the questions, until one of them is something to say. */
async function nextWord(state: State): Promise<string | null> {
  for (let one = state.questions.shift(); one !== undefined; one = state.questions.shift()) {
    const word = state.isCancelled ? leftOpen(state, one) : await permission(state, one)
    if (word !== null) return word
  }
  return null
}

function cancel(state: State): void {
  if (state.turns.size === 0 && state.open === null) return
  state.isCancelled = true
  if (state.turns.size > 0) send(state, { sensor: 'interrupt' })
  state.open?.takenBack.abort()
}

async function permission(state: State, question: Question): Promise<string | null> {
  const { editor, id, memex } = state
  const toolCall = questionCall(question, memex)
  if (question.digest !== undefined) state.cards.set(question.digest, toolCall.toolCallId)
  editor.update(id, { sessionUpdate: 'tool_call', ...toolCall })
  const takenBack = new AbortController()
  state.open = { question, takenBack }
  const options = permissionOptions(question)
  const answer = editor.permit({ sessionId: id, toolCall, options }, takenBack.signal)
  const outcome = await answer.then(
    (response) => response.outcome,
    () => null,
  )
  const isElsewhere = takenBack.signal.aborted && !state.isCancelled
  state.open = null
  if (isElsewhere) return decidedElsewhere(state, question)
  const option = outcome?.outcome === 'selected' ? outcome.optionId : null
  const word = option === null ? null : chosen(question, option)
  if (word === null || state.isCancelled) return leftOpen(state, question)
  if (word.startsWith('deny')) closeCard(state, question, 'You said no.')
  return word
}

function leftOpen(state: State, question: Question): null {
  closeCard(
    state,
    question,
    'Not done. It waits for a day in flight-plans.org, and in every client.',
  )
  return null
}

/** The card of a question that was answered with no, somewhere else; a yes has become a deed. */
function decidedElsewhere(state: State, question: Question): null {
  closeCard(state, question, 'It was answered elsewhere.')
  return null
}

function closeCard({ cards, editor, id }: State, { digest = '' }: Question, text: string): void {
  const toolCallId = cards.get(digest)
  if (toolCallId === undefined) return
  cards.delete(digest)
  const content: ToolCallContent[] = [{ type: 'content', content: { type: 'text', text } }]
  editor.update(id, { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed', content })
}

async function replay(state: State): Promise<void> {
  const { said } = await request(state, { sensor: 'session-talk' })
  showSaid(state, said)
}

function showSaid({ editor, id }: State, said: unknown): void {
  for (const line of Array.isArray(said) ? said : []) {
    const { speaker, text, ...made } = line as Record<string, unknown>
    if (typeof text !== 'string') continue
    const content = { type: 'text', text: printable(text) } as const
    if (speaker === 'call') {
      editor.update(id, { sessionUpdate: 'tool_call', ...pastCall(made, content) })
      continue
    }
    const sessionUpdate = updates[String(speaker)] ?? 'agent_message_chunk'
    editor.update(id, { sessionUpdate, content, messageId: randomUUID() })
  }
}

const updates: Record<string, 'user_message_chunk' | 'agent_thought_chunk'> = {
  owner: 'user_message_chunk',
  daemon: 'agent_thought_chunk',
}

function pastCall(
  { args, state, tool }: Record<string, unknown>,
  content: { type: 'text'; text: string },
) {
  const status = state === 'done' ? ('completed' as const) : ('failed' as const)
  return {
    toolCallId: randomUUID(),
    title: printable(fieldText(tool)),
    status,
    rawInput: jsonOf(fieldText(args)),
    content: content.text === '' ? [] : [{ type: 'content' as const, content }],
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function showPlan(state: State): Promise<void> {
  if (state.isGone) return
  const { steps } = await request(state, { sensor: 'session-plan' })
  const entries = planEntries(steps)
  const text = JSON.stringify(entries)
  if (text === state.plan) return
  state.plan = text
  state.editor.update(state.id, { sessionUpdate: 'plan', entries })
}
