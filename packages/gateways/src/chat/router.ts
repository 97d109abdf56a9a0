import { setTimeout } from 'node:timers/promises'
import {
  type Action,
  type Actuator,
  type DecisionRight,
  type Interrupted,
  interruptedText,
  interruptedTurn,
  messageOf,
  type Runtime,
  type Signal,
  setAlarm,
  traceFolder,
} from '@passepartout/core'
import { z } from 'zod'
import { decisionIn, sendQuestion } from './approvals.ts'
import {
  chatOf,
  type Desk,
  type DeskOptions,
  type Line,
  mayHear,
  rightIn,
  signalFor,
  stopStrangers,
} from './chat-rights.ts'
import {
  amendIncoming,
  beginSending,
  forgetOld,
  nextDue,
  nextIncoming,
  recordIncoming,
  recordOutgoing,
  recover,
  settleIncoming,
  settleSending,
  summary,
  together,
  turnNameOf,
} from './delivery-ledger.ts'
import {
  type GatewayName,
  type GatewaySettings,
  gatewayNames,
  type Incoming,
  incomingSchema,
  sessionOf,
} from './gateway.ts'
import { pieces, styled, withLine } from './markup.ts'
import { createDoorkeeper, isPaired, people } from './pairing.ts'

function takeIn(desk: Desk, line: Line, messages: readonly Incoming[]): void {
  together(desk.ledger, () => {
    for (const message of messages) takeOne(desk, line, message)
  })
  void work(desk, line)
}

function takeOne(desk: Desk, line: Line, message: Incoming): void {
  if (!incomingSchema.safeParse(message).success) return
  const entry = line.door(message)
  if (entry === 'stranger') return
  if (message.isGroup && !line.settings.takesGroups) return
  const isChange = message.isEdited && message.press === null
  const isStop = /^\/?stop$/i.test(message.text.trim())
  const waits = entry === 'known' && !isChange && !isStop
  const { name } = line.gateway
  if (!recordIncoming(desk.ledger, name, message, waits ? 'waiting' : 'done')) return
  knowChat(desk, line, message)
  if (entry === 'paired') welcome(desk, line, message)
  else if (isChange) change(desk, line, message)
  else if (isStop) void desk.process(signalFor(line, message, { sensor: 'interrupt' }))
}

function change(desk: Desk, line: Line, message: Incoming): void {
  const became = amendIncoming(desk.ledger, line.gateway.name, message)
  if (became === 'late' && message.text !== '') say(desk, line, message.chat, tooLate)
}

const tooLate =
  'You changed a message that I had read already, and I went by what it said before. If the change matters, say it in a new message.'

function knowChat({ ledger }: Desk, { gateway: { name } }: Line, { chat }: Incoming): void {
  ledger.db
    .prepare('INSERT OR IGNORE INTO chats (session, gateway, chat) VALUES (?, ?, ?)')
    .run(sessionOf(name, chat), name, chat)
}

function welcome(desk: Desk, line: Line, message: Incoming): void {
  const { name } = line.gateway
  const text = `You are paired. Ask about the notes, or say help. To answer questions from here, the owner names ${name}:${message.sender} in config.org.`
  desk.runtime.log('info', `${name}:${message.sender} was paired by a code`)
  say(desk, line, message.chat, text)
}

async function handle(desk: Desk, line: Line, message: Incoming, turn: string): Promise<void> {
  const { gateway } = line
  if (!isPaired(desk.ledger, gateway.name, message.sender)) return
  const mayDecide = !message.isGroup && rightIn(desk, line, message.sender) !== 'none'
  const asked = { open: desk.runtime.approvals.open(), mayDecide }
  const decision = decisionIn(desk.ledger, gateway.name, message, asked)
  const hear = (text: string) =>
    desk.process(signalFor(line, message, { sensor: 'chat-message', text }, turn))
  if (decision.kind === 'refused') {
    if (message.press === null) say(desk, line, message.chat, decision.reason)
    else await gateway.answerPress(message.press.id, decision.reason)
    return
  }
  if (decision.kind === 'decided') {
    if (decision.message !== null) recordOutgoing(desk.ledger, gateway.name, decision.message)
    if (message.press !== null)
      void gateway.answerPress(message.press.id, decision.isYes ? 'Approved.' : 'Denied.')
    await hear(decision.words)
    wake(desk, line)
    return
  }
  for (const file of message.files) await handOnFile(desk, line, message, { file, turn })
  const { text } = message
  if (text.trim() === '' || message.files.length > 0) return
  if (message.isEdited && /^\s*(?:approve|deny)\s/i.test(text)) {
    say(desk, line, message.chat, 'This answer was changed; give it in a new message.')
    return
  }
  await hear(message.isForwarded ? `Forwarded, and not my words:\n${text}` : text)
}

const fileBytesMax = 20_000_000

async function handOnFile(
  desk: Desk,
  line: Line,
  message: Incoming,
  { file, turn }: { file: Incoming['files'][number]; turn: string },
): Promise<void> {
  const { gateway } = line
  try {
    if (file.size !== null && file.size > fileBytesMax) throw new RangeError('it is too large')
    const bytes = await gateway.fetchFile(file, message, fileBytesMax)
    const from = `${gateway.name}:${message.sender}`
    const attachment = desk.held.hold({ name: file.name, from, caption: message.text, bytes })
    await desk.process(signalFor(line, message, { sensor: 'chat-attachment', attachment }, turn))
  } catch (error) {
    const why = messageOf(error)
    say(desk, line, message.chat, `I could not keep a file: ${why}.`)
  }
}

async function work(desk: Desk, line: Line): Promise<void> {
  while (!desk.isResting) {
    const next = begun(desk, line)
    if (next === null) return
    const { id, message } = next
    const done = handle(desk, line, message, turnNameOf(id))
      .catch((error: unknown) => {
        desk.runtime.log('error', `a message was not worked on: ${messageOf(error)}`)
        say(desk, line, message.chat, 'Something went wrong inside; say it again.')
      })
      .then(() => settleIncoming(desk.ledger, id))
      .catch((error: unknown) => desk.runtime.log('error', messageOf(error)))
      .finally(() => {
        desk.working.delete(done)
        void work(desk, line)
      })
    desk.working.add(done)
  }
}

function begun({ ledger, runtime }: Desk, { gateway }: Line) {
  try {
    return nextIncoming(ledger, gateway.name)
  } catch (error) {
    runtime.log('error', `the book of messages cannot be read: ${messageOf(error)}`)
    return null
  }
}

const doubled = '(Sent again after an interruption; you may have this already.)'
const questionSchema = z.object({ id: z.string() })

function say(desk: Desk, line: Line, chat: string, text: string, about: unknown = null): void {
  const { gateway } = line
  const max = gateway.lengthMax - doubled.length - 60
  const made = pieces(styled(text), max)
  const asked = questionSchema.safeParse(about)
  const open = asked.success ? desk.runtime.approvals.open() : []
  const question = open.find(({ id }) => id === asked.data?.id)
  for (const [index, piece] of made.entries()) {
    const message = { chat, ...piece, buttons: [], replaces: null }
    const isLast = index === made.length - 1
    if (question === undefined || !isLast) recordOutgoing(desk.ledger, gateway.name, message)
    else {
      const { hasButtons } = gateway
      sendQuestion(desk.ledger, gateway.name, message, { question, hasButtons })
    }
  }
  wake(desk, line)
}

const bookAgainMs = 5_000

function wake(desk: Desk, { gateway: { name } }: Pick<Line, 'gateway'>): void {
  const line = desk.lines.get(name)
  if (line === undefined) return
  line.alarm?.()
  line.alarm = null
  line.isWoken = true
  if (line.sending !== null) return
  line.isWoken = false
  line.sending = send(desk, line).finally(() => {
    line.sending = null
    if (line.isWoken) wake(desk, line)
  })
}

async function send(desk: Desk, line: Line): Promise<void> {
  await Promise.resolve()
  try {
    while (!desk.isResting && desk.lines.get(line.gateway.name) === line) {
      const due = nextDue(desk.ledger, line.gateway.name)
      if (due === null) break
      if ('dueMs' in due) {
        line.alarm = setAlarm(desk.runtime.clock, due.dueMs, () => wake(desk, line))
        break
      }
      const message = due.isDoubled
        ? { ...due.message, ...withLine(doubled, due.message) }
        : due.message
      beginSending(desk.ledger, due.id)
      const delivery = await line.gateway.send(message)
      settleSending(desk.ledger, due.id, delivery)
      if (delivery.kind !== 'sent')
        desk.runtime.log('warn', `${line.gateway.name}: not sent: ${delivery.reason}`)
    }
  } catch (error) {
    desk.runtime.log('error', `the book of messages cannot be written: ${messageOf(error)}`)
    line.alarm = setAlarm(desk.runtime.clock, bookAgainMs, () => wake(desk, line))
  }
}

function actuatorFor(desk: Desk, name: GatewayName): Actuator {
  const dispatch = async (action: Action, signal: Signal, runtime: Runtime) => {
    const text = action.payload.text ?? ''
    const line = desk.lines.get(name)
    const isAnswer = chatOf(desk, signal.meta.sessionId ?? '')?.line === line
    const owners = (runtime.config.approvers ?? []).flatMap((each) =>
      each.startsWith(`${name}:`) ? [each.slice(name.length + 1)] : [],
    )
    const chats = owners.filter((number) => isPaired(desk.ledger, name, number))
    const { depth, meta } = signal
    const answer = (text: string) =>
      runtime.reply({ type: 'response', meta, payload: { action: 'message', text }, depth })
    if (isAnswer) answer(text)
    else if (line === undefined || chats.length === 0)
      answer(`Nobody on ${name} is paired and may answer questions, so this went nowhere.`)
    else for (const chat of chats) say(desk, line, chat, text)
    return null
  }
  return { name, silent: true, dispatch }
}

async function link(desk: Desk, settings: GatewaySettings): Promise<string> {
  const { name } = settings
  const gateway = await desk.make(settings)
  const door = createDoorkeeper(desk.ledger, name, (text) => tellOwner(desk, text))
  const line: Line = { gateway, settings, door, sending: null, isWoken: false, alarm: null }
  desk.lines.set(name, line)
  desk.runtime.actuators.set(name, actuatorFor(desk, name))
  gateway.start(
    (messages) => takeIn(desk, line, messages),
    () => keepState(desk, line),
  )
  wake(desk, line)
  void work(desk, line)
  return `${name} is linked`
}

/** A word for the owner, in any client at home. */
function tellOwner({ runtime }: Desk, text: string): void {
  runtime.log('warn', text)
  const payload = { action: 'message', text }
  runtime.reply({ type: 'response', meta: { source: 'cli' }, payload, depth: 0 })
}

/** For whoever asks from another process how it is going. */
function keepState({ ledger, runtime }: Desk, { gateway }: Line): void {
  const state = gateway.state()
  const insert = 'INSERT OR REPLACE INTO states (gateway, state) VALUES (?, ?)'
  try {
    ledger.db.prepare(insert).run(gateway.name, JSON.stringify(state))
  } catch (error) {
    runtime.log('error', `the book of messages cannot be written: ${messageOf(error)}`)
  }
  const { problem, self } = state
  runtime.log(
    problem === null ? 'info' : 'warn',
    `${gateway.name}: ${problem ?? self ?? state.state}`,
  )
}

async function unlink(desk: Desk, name: GatewayName): Promise<void> {
  const line = desk.lines.get(name)
  if (line === undefined) return
  desk.lines.delete(name)
  desk.runtime.actuators.delete(name)
  line.alarm?.()
  await line.gateway.stop()
}

const patienceMs = 3_000

/** What the daemon sees of all this. */
export interface GatewayDesk {
  /** Whether this session is a chat on a network that is linked. */
  has(session: string): boolean
  /** Takes a signal that is for a chat; false when it is for somebody else. Throws when it cannot be kept. */
  reply(signal: Signal): boolean
  /** Whether whoever is at the other end of this session was let in. */
  isPaired(session: string): boolean
  /** What whoever is at the other end of this session may decide. */
  rightOf(session: string): DecisionRight
  /** Links what is in the list and unlinks what is not; resolves to what is to be told. */
  relink(settings: readonly GatewaySettings[]): Promise<string[]>
  /** Unlinks at once what is not in the list, and stops what people have set going who are not let in any more. Never rejects. */
  narrow(settings: readonly GatewaySettings[]): Promise<void>
  /** How the networks are doing. */
  status(): Record<string, unknown>
  /** Stops listening, and begins and sends nothing any more; what is answered is still written down. */
  rest(): Promise<void>
  /** Lets what has begun finish, and closes the book. */
  close(): Promise<void>
}

/** Opens the desk; nothing is linked yet. */
export function openDesk(options: DeskOptions): GatewayDesk {
  const desk: Desk = { ...options, lines: new Map(), working: new Set(), isResting: false }
  const { ledger, runtime } = desk
  const found = recover(ledger, (what, turn) => interruptedText(what, aftermath(runtime, turn)))
  forgetOld(ledger)
  if (found.doubled + found.broken > 0) {
    const words = `${found.doubled} messages may be sent twice, ${found.broken} were not finished`
    runtime.log('warn', `after the last end of the daemon: ${words}`)
  }
  return {
    has: (session) => chatOf(desk, session) !== null,
    reply(signal) {
      const to = chatOf(desk, signal.meta.sessionId ?? '')
      if (to === null) return false
      const { question, text = '' } = signal.payload
      const isForThem = signal.type === 'response' && text !== '' && mayHear(desk, to)
      if (isForThem) say(desk, to.line, to.chat, text, question)
      return true
    },
    isPaired(session) {
      const to = chatOf(desk, session)
      return to !== null && mayHear(desk, to)
    },
    rightOf(session) {
      const to = chatOf(desk, session)
      return to === null ? 'none' : rightIn(desk, to.line, to.chat)
    },
    relink: (settings) => relink(desk, settings),
    narrow: (settings) => narrow(desk, settings),
    status: () => statusOf(desk),
    async rest() {
      desk.isResting = true
      await Promise.all([...desk.lines.values()].map(({ gateway }) => gateway.stop()))
    },
    async close() {
      await Promise.all(desk.working)
      const sending = Promise.all([...desk.lines.values()].flatMap(({ sending }) => sending ?? []))
      await Promise.race([sending, setTimeout(patienceMs, undefined, { ref: false })])
      for (const name of gatewayNames) await unlink(desk, name)
      ledger.db.close()
    },
  }
}

function statusOf({ ledger, lines }: Desk): Record<string, unknown> {
  const networks = [...lines.values()].map(({ gateway }) => ({
    name: gateway.name,
    ...gateway.state(),
    ...summary(ledger, gateway.name),
  }))
  return { people: people(ledger).length, networks }
}

async function narrow(desk: Desk, settings: readonly GatewaySettings[]): Promise<void> {
  const unlinked: Promise<void>[] = []
  for (const line of [...desk.lines.values()]) {
    const { name } = line.gateway
    const wished = settings.find((each) => each.name === name)
    if (wished === undefined) unlinked.push(unlink(desk, name))
    else if (!wished.takesGroups) line.settings = { ...line.settings, takesGroups: false }
  }
  stopStrangers(desk)
  for (const ended of await Promise.allSettled(unlinked)) {
    if (ended.status === 'rejected') desk.runtime.log('error', messageOf(ended.reason))
  }
}

/** What the journal knows of a turn that the last daemon did not end. */
function aftermath({ config, tools }: Runtime, turn: string): Interrupted | null {
  const isReadOnly = (tool: string) => tools.get(tool)?.readOnly === true
  return interruptedTurn(traceFolder(config.stateDir), turn, isReadOnly)
}

async function relink(desk: Desk, settings: readonly GatewaySettings[]): Promise<string[]> {
  const told: string[] = []
  for (const name of gatewayNames) {
    const wished = settings.find((each) => each.name === name)
    await unlink(desk, name)
    if (wished === undefined) continue
    try {
      told.push(await link(desk, wished))
    } catch (error) {
      told.push(`${name} is not linked: ${messageOf(error)}`)
    }
  }
  stopStrangers(desk)
  return told
}
