import { connect, type Socket } from 'node:net'
import { type Clock, setAlarm } from '@passepartout/core'
import { z } from 'zod'
import type {
  Delivery,
  Gateway,
  GatewaySettings,
  GatewayState,
  Incoming,
  IncomingFile,
  Outgoing,
  Span,
} from './gateway.ts'

const attachment = z.object({
  id: z.string().regex(/^[\w.-]{1,200}$/),
  filename: z.string().nullish(),
  contentType: z.string().nullish(),
  size: z.number().nullish(),
})
const dataMessage = z.object({
  timestamp: z.int(),
  message: z.string().nullish(),
  quote: z
    .object({ id: z.int(), author: z.string().nullish(), authorNumber: z.string().nullish() })
    .nullish(),
  groupInfo: z.object({ groupId: z.string() }).nullish(),
  attachments: z.array(attachment).max(20).catch([]).nullish(),
  reaction: z.unknown().optional(),
  remoteDelete: z.object({ timestamp: z.int() }).nullish(),
})
const received = z.object({
  envelope: z.object({
    sourceNumber: z.string().nullish(),
    sourceUuid: z.string().nullish(),
    sourceName: z.string().nullish(),
    dataMessage: dataMessage.nullish(),
    editMessage: z.object({ targetSentTimestamp: z.int(), dataMessage }).nullish(),
  }),
})

/** What a notification of signal-cli to this account tells; null when it tells nothing of use. */
export function readReceived(params: unknown, account: string): Incoming | null {
  const read = received.safeParse(params)
  if (!read.success) return null
  const {
    dataMessage: plain,
    editMessage,
    sourceName,
    sourceNumber,
    sourceUuid,
  } = read.data.envelope
  const said = plain ?? editMessage?.dataMessage
  const sender = sourceNumber ?? sourceUuid ?? ''
  if (said === undefined || !/^[+\w-]{1,100}$/.test(sender)) return null
  const { attachments, groupInfo, message, quote, reaction, remoteDelete, timestamp } = said
  if (reaction != null) return null
  const isOurs = quote != null && [quote.author, quote.authorNumber].includes(account)
  const changed = remoteDelete?.timestamp ?? editMessage?.targetSentTimestamp
  return {
    key: `${sender}:${timestamp}`,
    number: String(changed ?? timestamp),
    chat: groupInfo?.groupId ? `group.${groupInfo.groupId}`.slice(0, 100) : sender,
    isGroup: groupInfo != null,
    sender,
    senderName: (sourceName ?? '').slice(0, 200),
    text: (message ?? '').slice(0, 100_000),
    isForwarded: false,
    isEdited: changed !== undefined,
    replyTo: isOurs ? String(quote.id) : null,
    press: null,
    files: (attachments ?? []).map(fileOf),
  }
}

function fileOf({ contentType, filename, id, size }: z.output<typeof attachment>): IncomingFile {
  const name = (filename ?? id).slice(0, 500)
  return { id, name, type: (contentType ?? '').slice(0, 200), size: size ?? null }
}

type Answer = { result: unknown } | { error: { code: number; message: string } } | 'broken'

interface Phone {
  settings: GatewaySettings
  clock: Clock
  state: GatewayState
  changed: () => void
  take: (incoming: readonly Incoming[]) => void
  socket: Socket | null
  waiting: Map<number, (answer: Answer) => void>
  next: number
  isStopped: boolean
  takeBack: () => void
}

const lineMax = 64_000_000
const frame = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})

function become(phone: Phone, more: Partial<GatewayState>): void {
  const before = JSON.stringify(phone.state)
  phone.state = { ...phone.state, ...more }
  if (JSON.stringify(phone.state) !== before) phone.changed()
}

function hear(phone: Phone, line: string): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return
  }
  const read = frame.safeParse(value)
  if (!read.success) return
  const { error, id, method, params, result } = read.data
  if (method === 'receive') {
    const message = readReceived(params, phone.settings.account)
    if (message !== null) phone.take([message])
    return
  }
  const answer = phone.waiting.get(Number(id))
  phone.waiting.delete(Number(id))
  answer?.(error === undefined ? { result } : { error })
}

function open(phone: Phone, failures: number): void {
  const { server } = phone.settings
  const colon = server.lastIndexOf(':')
  const host = server.slice(0, colon).replace(/[[\]]/g, '')
  const socket = server.startsWith('/')
    ? connect(server)
    : connect(Number(server.slice(colon + 1)), host)
  let rest = ''
  let hasBegun = false
  socket.setEncoding('utf8')
  socket.on('connect', () => {
    hasBegun = true
    phone.socket = socket
    become(phone, { state: 'listening', problem: null, self: phone.settings.account })
  })
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    try {
      for (const line of lines) hear(phone, line)
      if (rest.length > lineMax) throw new RangeError('a line without an end')
    } catch {
      socket.destroy()
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    phone.socket = null
    for (const answer of phone.waiting.values()) answer('broken')
    phone.waiting.clear()
    if (phone.isStopped) return
    become(phone, { state: 'failing', problem: `signal-cli does not answer at ${server}` })
    const wait = Math.min(1_000 * 2 ** Math.min(failures, 6), 60_000)
    const again = hasBegun ? 1 : failures + 1
    phone.takeBack = setAlarm(phone.clock, wait, () => open(phone, again))
  })
}

const answerMs = 60_000

function ask(phone: Phone, method: string, params: object): Promise<Answer | null> {
  const { socket } = phone
  if (socket === null) return Promise.resolve(null)
  const id = phone.next++
  return new Promise((resolve) => {
    const takeBack = setAlarm(phone.clock, answerMs, () => {
      phone.waiting.delete(id)
      resolve('broken')
    })
    phone.waiting.set(id, (answer) => {
      takeBack()
      resolve(answer)
    })
    const { account } = phone.settings
    const request = { jsonrpc: '2.0', id, method, params: { account, ...params } }
    socket.write(`${JSON.stringify(request)}\n`)
  })
}

const styles: Partial<Record<Span['kind'], string>> = {
  bold: 'BOLD',
  italic: 'ITALIC',
  strike: 'STRIKETHROUGH',
  code: 'MONOSPACE',
  pre: 'MONOSPACE',
}

function textOf({ spans, text }: Outgoing): string {
  const links = spans.flatMap(({ kind, value }) => (kind === 'link' && value ? [value] : []))
  return [text, ...new Set(links)].join('\n')
}

const sent = z.object({
  timestamp: z.int(),
  results: z.array(z.object({ type: z.string() })).default([]),
})

async function send(phone: Phone, message: Outgoing): Promise<Delivery> {
  const { chat, spans } = message
  const textStyle = spans.flatMap(({ kind, length, offset }) => {
    const style = styles[kind]
    return style === undefined ? [] : [`${offset}:${length}:${style}`]
  })
  const to = chat.startsWith('group.') ? { groupId: chat.slice(6) } : { recipient: [chat] }
  const answer = await ask(phone, 'send', { ...to, message: textOf(message), textStyle })
  if (answer === null)
    return { kind: 'later', reason: 'signal-cli is not there', retryAfterMs: null }
  if (answer === 'broken') return { kind: 'unknown', reason: 'the connection broke' }
  if ('error' in answer) return deliveryOf(answer.error)
  const read = sent.safeParse(answer.result)
  if (!read.success) return { kind: 'unknown', reason: 'signal-cli answered something else' }
  const failed = read.data.results.find(({ type }) => type !== 'SUCCESS')
  if (failed === undefined) return { kind: 'sent', id: String(read.data.timestamp) }
  const isPassing = /NETWORK|RATE_LIMIT/.test(failed.type)
  if (isPassing) return { kind: 'later', reason: failed.type.slice(0, 60), retryAfterMs: 30_000 }
  return { kind: 'refused', reason: failed.type.slice(0, 60) }
}

/** What became of a message that signal-cli answered with this error. */
export function deliveryOf({ code, message }: { code: number; message: string }): Delivery {
  const reason = `${code} ${message.slice(0, 300)}`
  if (code === -5 || code === -6) return { kind: 'later', reason, retryAfterMs: 60_000 }
  if (code === -3 || code === -2 || code === -32_603) return { kind: 'unknown', reason }
  return { kind: 'refused', reason }
}

async function fetchFile(
  phone: Phone,
  { id }: IncomingFile,
  { chat, sender }: Incoming,
  bytesMax: number,
): Promise<Uint8Array> {
  const from = chat.startsWith('group.') ? { groupId: chat.slice(6) } : { recipient: sender }
  const answer = await ask(phone, 'getAttachment', { id, ...from })
  if (answer === null || answer === 'broken' || 'error' in answer)
    throw new Error('the file could not be fetched')
  const { data } = z.object({ data: z.base64() }).parse(answer.result)
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > bytesMax) throw new RangeError('the file is too large')
  return bytes
}

/** A way to Signal; nothing is connected before it is started. */
export function createSignal(settings: GatewaySettings, clock: Clock): Gateway {
  const phone: Phone = {
    settings,
    clock,
    socket: null,
    waiting: new Map(),
    next: 1,
    isStopped: false,
    state: { state: 'off', problem: null, self: null },
    changed: () => {},
    take: () => {},
    takeBack: () => {},
  }
  return {
    name: 'signal',
    lengthMax: 2_000,
    hasButtons: false,
    start(take, changed) {
      Object.assign(phone, { take, changed })
      become(phone, { state: 'connecting' })
      open(phone, 0)
    },
    send: (message) => send(phone, message),
    answerPress: async () => {},
    fetchFile: (file, message, bytesMax) => fetchFile(phone, file, message, bytesMax),
    state: () => phone.state,
    async stop() {
      phone.isStopped = true
      phone.takeBack()
      phone.socket?.destroy()
      become(phone, { state: 'off' })
    },
  }
}
