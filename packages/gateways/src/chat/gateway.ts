import {
  type ConfigEntry,
  type ConfigSection,
  defineSection,
  oneOf,
  words,
} from '@passepartout/core'
import { z } from 'zod'

/** A file that came with a message. */
export interface IncomingFile {
  /** What the network calls it. */
  id: string
  /** A name that somebody chose; not fit for a path. */
  name: string
  type: string
  /** Bytes, as the network says; null when it does not say. */
  size: number | null
}

/** What came in over a network. */
export interface Incoming {
  /** The same for the same message, however often it is delivered. */
  key: string
  /** What the network calls the message, or the one that was changed; empty for none. */
  number: string
  chat: string
  isGroup: boolean
  sender: string
  /** What the sender calls themselves. */
  senderName: string
  text: string
  isForwarded: boolean
  isEdited: boolean
  /** The message that this one answers, as the network numbers it; null for none. */
  replyTo: string | null
  /** A button that was pressed: what to answer it by, its data, and the message it stood under. */
  press: { id: string; data: string; message: string | null } | null
  files: IncomingFile[]
}

/** What came in, when it comes back from the disk. */
export const incomingSchema: z.ZodType<Incoming> = z.object({
  key: z.string().min(1).max(200),
  number: z.string().max(100).default(''),
  chat: z.string().min(1).max(100),
  isGroup: z.boolean(),
  sender: z.string().min(1).max(100),
  senderName: z.string().max(200),
  text: z.string().max(100_000),
  isForwarded: z.boolean(),
  isEdited: z.boolean(),
  replyTo: z.string().max(100).nullable(),
  press: z
    .object({ id: z.string(), data: z.string().max(200), message: z.string().nullable() })
    .nullable(),
  files: z
    .array(
      z.object({
        id: z.string().min(1).max(500),
        name: z.string().max(500),
        type: z.string().max(200),
        size: z.number().nullable(),
      }),
    )
    .max(20),
})

/** A part of a text that looks different. */
export interface Span {
  kind: 'bold' | 'italic' | 'underline' | 'strike' | 'code' | 'pre' | 'link'
  /** UTF-16 units from the beginning of the text. */
  offset: number
  length: number
  /** Where a link leads; the language of a block of code. */
  value?: string | undefined
}

/** What is to be sent. */
export interface Outgoing {
  chat: string
  text: string
  spans: Span[]
  /** Under the text; a network without buttons leaves them out. */
  buttons: { label: string; data: string }[]
  /** The number of the message that this one replaces; null for a new one. */
  replaces: string | null
}

/** What is to be sent, when it comes back from the disk. */
export const outgoingSchema: z.ZodType<Outgoing> = z.object({
  chat: z.string(),
  text: z.string(),
  spans: z.array(
    z.object({
      kind: z.enum(['bold', 'italic', 'underline', 'strike', 'code', 'pre', 'link']),
      offset: z.int().min(0),
      length: z.int().min(1),
      value: z.string().optional(),
    }),
  ),
  buttons: z.array(z.object({ label: z.string(), data: z.string() })),
  replaces: z.string().nullable(),
})

/** How a delivery ended. */
export type Delivery =
  /** It arrived, and this is its number there. */
  | { kind: 'sent'; id: string }
  /** It certainly did not arrive; `retryAfterMs` when the network said how long to wait. */
  | { kind: 'later'; reason: string; retryAfterMs: number | null }
  /** It may have arrived. */
  | { kind: 'unknown'; reason: string }
  /** It did not arrive and never will. */
  | { kind: 'refused'; reason: string }

/** How a gateway is doing. */
export interface GatewayState {
  state: 'off' | 'connecting' | 'listening' | 'failing'
  /** What is wrong, in words for the owner; null for nothing. */
  problem: string | null
  /** What the network calls the agent; null until it has said so. */
  self: string | null
}

/** A way to a chat network. */
export interface Gateway {
  name: GatewayName
  /** The most UTF-16 units in a message. */
  lengthMax: number
  hasButtons: boolean
  /**
   * Begins to listen. What comes in goes to `take`, which throws when it cannot be kept, and `changed`
   * is called whenever `state` would say something else.
   */
  start(take: (incoming: readonly Incoming[]) => void, changed: () => void): void
  /** Sends once. Never rejects. */
  send(message: Outgoing): Promise<Delivery>
  /** Says something to whoever pressed a button. Never rejects; nobody depends on it. */
  answerPress(id: string, text: string): Promise<void>
  /** The bytes of a file. Rejects when there are more than `bytesMax` or they cannot be had. */
  fetchFile(file: IncomingFile, message: Incoming, bytesMax: number): Promise<Uint8Array>
  state(): GatewayState
  /** Ends what is under way and listens no more. */
  stop(): Promise<void>
}

/** The name of a network. */
export type GatewayName = 'telegram' | 'signal'

/** The networks there are. */
export const gatewayNames: [GatewayName, GatewayName] = ['telegram', 'signal']

/** The name of the session that is this chat. */
export function sessionOf(gateway: GatewayName, chat: string): string {
  return `${gateway}.${chat.replace(/[^A-Za-z0-9-]/g, '').slice(0, 50)}`
}

/** How a network is reached, as the owner says. */
export interface GatewaySettings {
  name: GatewayName
  /** Telegram: the entry of the vault with the token. */
  tokenVault: string
  /** Telegram: the server, without a slash at its end. */
  api: string
  /** Telegram: where the network brings what is new; null when it is asked for. */
  webhook: string | null
  /** Telegram: where the daemon listens for that. */
  listen: { host: string; port: number }
  /** Signal: the number of the agent's account. */
  account: string
  /** Signal: where signal-cli listens, as `host:port` or the path of a socket. */
  server: string
  /** Whether people who may speak may do so in groups. */
  takesGroups: boolean
}

const schema = z.object({
  GATEWAY: oneOf(...gatewayNames),
  TOKEN_VAULT: words('the name of an entry of the vault').optional(),
  API: words('the address of a Bot API server').optional(),
  WEBHOOK: words('an https address').optional(),
  LISTEN: words('HOST:PORT on this machine').optional(),
  ACCOUNT: words('a number such as +4930901820').optional(),
  SERVER: words('HOST:PORT or the path of a socket').optional(),
  GROUPS: oneOf('yes', 'no').optional(),
})

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether this may be asked for with a token in it. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.search !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname))
}

function readPlace(text: string): GatewaySettings['listen'] | null {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (host === undefined || !loopback.test(host) || Number(port) > 65_535) return null
  return { host: host.replace(/[[\]]/g, ''), port: Number(port) }
}

function isServer(text: string): boolean {
  return text.startsWith('/') || readPlace(text) !== null
}

/** The section about networks. */
export const gatewaySection: ConfigSection<GatewaySettings> = defineSection({
  marker: 'GATEWAY',
  properties: schema,
  read: readSettings,
})

function readSettings(
  values: z.output<typeof schema>,
  { report }: ConfigEntry,
): GatewaySettings | null {
  const { API = 'https://api.telegram.org', SERVER = '127.0.0.1:7583', WEBHOOK = null } = values
  const listen = readPlace(values.LISTEN ?? '127.0.0.1:8470')
  const isTelegram = values.GATEWAY === 'telegram'
  const wrong = [
    [isTelegram && !isSafeAddress(API), 'API', 'an https address, or http on this machine'],
    [WEBHOOK !== null && !WEBHOOK.startsWith('https://'), 'WEBHOOK', 'an https address'],
    [listen === null, 'LISTEN', 'HOST:PORT on this machine, such as 127.0.0.1:8470'],
    [!isServer(SERVER), 'SERVER', 'HOST:PORT on this machine or the path of a socket'],
    [!isTelegram && !/^\+\d{5,20}$/.test(values.ACCOUNT ?? ''), 'ACCOUNT', 'your agent’s number'],
  ] as const
  const found = wrong.filter(([isWrong]) => isWrong)
  for (const [, name, expected] of found) report('error', name, `:${name}: expected ${expected}`)
  if (found.length > 0 || listen === null) return null
  return {
    name: values.GATEWAY,
    tokenVault: values.TOKEN_VAULT ?? 'telegram-bot',
    api: API.replace(/\/+$/, ''),
    webhook: WEBHOOK,
    listen,
    account: values.ACCOUNT ?? '',
    server: SERVER,
    takesGroups: values.GROUPS === 'yes',
  }
}
