import { type DecisionRight, messageOf, type Runtime, type Signal } from '@passepartout/core'
import { z } from 'zod'
import type { Ledger } from './delivery-ledger.ts'
import {
  type Gateway,
  type GatewayName,
  type GatewaySettings,
  gatewayNames,
  type Incoming,
  incomingSchema,
  sessionOf,
} from './gateway.ts'
import type { HeldFiles } from './inbox.ts'
import { type Entry, isPaired } from './pairing.ts'

/** A network that is linked. */
export interface Line {
  gateway: Gateway
  settings: GatewaySettings
  door: (incoming: Incoming) => Entry
  /** What is being sent; null for nothing. */
  sending: Promise<void> | null
  /** Something was written down while something was being sent. */
  isWoken: boolean
  /** Takes back the alarm for the next message; null when none is set. */
  alarm: (() => void) | null
}

/** What a desk is made of. */
export interface DeskOptions {
  ledger: Ledger
  runtime: Runtime
  /** Hands a signal to the pipeline; resolves when its turn is over. */
  process(signal: Signal): Promise<void>
  /** Makes a gateway; rejects with words for the owner. */
  make(settings: GatewaySettings): Promise<Gateway>
  held: HeldFiles
}

/** All lines, and what is worked on. */
export interface Desk extends DeskOptions {
  lines: Map<GatewayName, Line>
  working: Set<Promise<void>>
  /** Nothing new is taken, begun or sent. */
  isResting: boolean
}

/** A signal from the chat of a message. */
export function signalFor(
  { gateway }: Line,
  message: Incoming,
  payload: Signal['payload'],
  turn?: string,
): Signal {
  const meta = { source: gateway.name, sessionId: sessionOf(gateway.name, message.chat), turn }
  return { type: 'event', meta, payload: { ...payload, sender: message.sender }, depth: 0 }
}

/** The chat of a session; null when its network is not linked. */
export function chatOf(
  { ledger, lines }: Desk,
  session: string,
): { line: Line; chat: string } | null {
  const row = ledger.db.prepare('SELECT gateway, chat FROM chats WHERE session = ?').get(session)
  const line = row === undefined ? undefined : lines.get(row.gateway as GatewayName)
  return line === undefined ? null : { line, chat: String(row!.chat) }
}

/** Whether what is said may go to this chat. */
export function mayHear({ ledger }: Desk, { chat, line }: { chat: string; line: Line }): boolean {
  const { gateway, settings } = line
  if (isPaired(ledger, gateway.name, chat)) return true
  const group = ledger.db.prepare(
    "SELECT 1 FROM incoming WHERE gateway = ? AND chat = ? AND json_extract(body, '$.isGroup')",
  )
  return settings.takesGroups && group.get(gateway.name, chat) !== undefined
}

/** What whoever has this number may decide. */
export function rightIn(
  { ledger, runtime }: Desk,
  { gateway: { name } }: Line,
  chat: string,
): DecisionRight {
  const isApprover = (runtime.config.approvers ?? []).includes(`${name}:${chat}`)
  return isApprover && isPaired(ledger, name, chat) ? 'once' : 'none'
}

/** Stops at once what people have set going who are not let in any more. Never throws. */
export function stopStrangers(desk: Desk): void {
  try {
    for (const meta of strangers(desk)) {
      void desk.process({ type: 'event', meta, payload: { sensor: 'interrupt' }, depth: 0 })
    }
  } catch (error) {
    desk.runtime.log('error', `the book of messages cannot be read: ${messageOf(error)}`)
  }
}

/** The chats of people who are not let in, and those in which one of them has begun something. */
function* strangers(desk: Desk): Generator<Signal['meta']> {
  const { ledger, lines } = desk
  for (const row of ledger.db.prepare('SELECT session, gateway, chat FROM chats').all()) {
    const { chat, gateway: source, session: sessionId } = chatSchema.parse(row)
    const line = lines.get(source)
    if (line === undefined || !mayHear(desk, { chat, line })) yield { source, sessionId }
  }
  const begun = ledger.db.prepare("SELECT gateway, body FROM incoming WHERE state = 'begun'").all()
  for (const { body, gateway } of begun) {
    const line = lines.get(gateway as GatewayName)
    const message = incomingSchema.parse(JSON.parse(String(body)))
    if (line === undefined || isPaired(ledger, line.gateway.name, message.sender)) continue
    yield signalFor(line, message, {}).meta
  }
}

const chatSchema = z.object({
  session: z.string(),
  gateway: z.enum(gatewayNames),
  chat: z.string(),
})
