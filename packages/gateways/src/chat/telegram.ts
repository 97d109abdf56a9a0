import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Clock, setAlarm } from '@passepartout/core'
import type { Api } from 'grammy/web'
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

const who = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  first_name: z.string().default(''),
  last_name: z.string().default(''),
})
const file = z.object({
  file_id: z.string(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.number().optional(),
})
const message = z.object({
  message_id: z.int(),
  from: who.optional(),
  sender_chat: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  chat: z.object({ id: z.int(), type: z.string() }),
  text: z.string().optional(),
  caption: z.string().optional(),
  forward_origin: z.unknown().optional(),
  edit_date: z.int().optional(),
  reply_to_message: z.object({ message_id: z.int() }).optional(),
  document: file.optional(),
  audio: file.optional(),
  voice: file.optional(),
  video: file.optional(),
  photo: z.array(file).optional(),
})
const pressed = z.object({
  id: z.string(),
  from: who,
  message: message.optional(),
  data: z.string().optional(),
})
const update = z.object({
  update_id: z.int(),
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: pressed.optional(),
})

type Message = z.output<typeof message>

function filesOf({ audio, document, photo, video, voice, message_id }: Message): IncomingFile[] {
  const largest = photo?.at(-1)
  const found = [document, audio, voice, video, largest].filter((one) => one !== undefined)
  const ending = largest !== undefined ? '.jpg' : voice !== undefined ? '.ogg' : ''
  return found.map(({ file_id, file_name, file_size, mime_type }) => ({
    id: file_id,
    name: (file_name ?? `telegram-${message_id}${ending}`).slice(0, 500),
    type: (mime_type ?? (largest === undefined ? '' : 'image/jpeg')).slice(0, 200),
    size: file_size ?? null,
  }))
}

function nameOf({ first_name, last_name }: z.output<typeof who>): string {
  return `${first_name} ${last_name}`.trim().slice(0, 200)
}

/** What an update tells; null when it tells nothing of use. */
export function readUpdate(value: unknown): Incoming | null {
  const read = update.safeParse(value)
  if (!read.success) return null
  const { callback_query: query, edited_message, update_id } = read.data
  const said = query?.message ?? read.data.message ?? edited_message
  const from = query?.from ?? said?.from
  if (said === undefined || from === undefined || from.is_bot) return null
  if (query === undefined && (said.sender_chat !== undefined || said.via_bot !== undefined))
    return null
  const common = {
    key: String(update_id),
    number: query === undefined ? String(said.message_id) : '',
    chat: String(said.chat.id),
    isGroup: said.chat.type !== 'private',
    sender: String(from.id),
    senderName: nameOf(from),
    isForwarded: said.forward_origin !== undefined,
    isEdited: edited_message !== undefined || (query !== undefined && said.edit_date !== undefined),
  }
  if (query !== undefined) {
    const press = {
      id: query.id,
      data: (query.data ?? '').slice(0, 200),
      message: String(said.message_id),
    }
    return { ...common, text: '', replyTo: null, press, files: [] }
  }
  const replyTo = said.reply_to_message ? String(said.reply_to_message.message_id) : null
  const text = said.text ?? said.caption ?? ''
  return { ...common, text, replyTo, press: null, files: filesOf(said) }
}

const spoken = z.object({
  error_code: z.int(),
  description: z.string(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
})
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
])

const cause = z.object({ error: z.object({ cause: z.object({ code: z.string() }) }) })

function codeOf(error: unknown): string {
  const inner = cause.safeParse(error)
  return inner.success ? inner.data.error.cause.code.slice(0, 40) : ''
}

/** What became of a message that was answered like this. */
export function deliveryOf(error: unknown): Delivery {
  const said = spoken.safeParse(error)
  if (!said.success) {
    const code = codeOf(error)
    const reason = code === '' ? 'the connection broke' : `the connection broke (${code})`
    if (!neverConnected.has(code)) return { kind: 'unknown', reason }
    return { kind: 'later', reason: `nobody answers (${code})`, retryAfterMs: null }
  }
  const { description, error_code: code, parameters } = said.data
  const reason = `${code} ${description.slice(0, 300)}`
  if (code === 429) {
    return { kind: 'later', reason, retryAfterMs: (parameters?.retry_after ?? 1) * 1_000 }
  }
  if (code === 401 || code === 404 || code === 409)
    return { kind: 'later', reason, retryAfterMs: 60_000 }
  if (code >= 500) return { kind: 'unknown', reason }
  return { kind: 'refused', reason }
}

const kinds = {
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  strike: 'strikethrough',
  code: 'code',
  pre: 'pre',
  link: 'text_link',
} as const

function entityOf({ kind, length, offset, value }: Span) {
  const place = { offset, length }
  if (kind === 'link') return { type: 'text_link' as const, ...place, url: value ?? '' }
  if (kind === 'pre')
    return { type: 'pre' as const, ...place, ...(value === undefined ? {} : { language: value }) }
  return { type: kinds[kind] as 'bold', ...place }
}

async function send(api: Api, message: Outgoing): Promise<Delivery> {
  const { buttons, chat, replaces, spans, text } = message
  const row = buttons.map(({ data, label }) => ({ text: label, callback_data: data }))
  const more = {
    entities: spans.map(entityOf),
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: row.length === 0 ? [] : [row] },
  }
  try {
    if (replaces !== null) {
      await api.editMessageText(Number(chat), Number(replaces), text, more)
      return { kind: 'sent', id: replaces }
    }
    const { message_id } = z
      .object({ message_id: z.int() })
      .parse(await api.sendMessage(Number(chat), text, more))
    return { kind: 'sent', id: String(message_id) }
  } catch (error) {
    const delivery = deliveryOf(error)
    const isSame =
      delivery.kind === 'refused' && delivery.reason.includes('message is not modified')
    return replaces !== null && isSame ? { kind: 'sent', id: replaces } : delivery
  }
}

interface Bot {
  settings: GatewaySettings
  token: string
  clock: Clock
  stop: AbortController
  state: GatewayState
  changed: () => void
  api: Promise<Api> | null
}

function become(bot: Bot, more: Partial<GatewayState>): void {
  const before = JSON.stringify(bot.state)
  bot.state = { ...bot.state, ...more }
  if (JSON.stringify(bot.state) !== before) bot.changed()
}

const pollSeconds = 25
const wanted = ['message', 'edited_message', 'callback_query'] as const
const updates = z.array(z.looseObject({ update_id: z.int() }))

async function poll(bot: Bot, take: (incoming: readonly Incoming[]) => void): Promise<void> {
  let offset = 0
  let failures = 0
  while (!bot.stop.signal.aborted) {
    try {
      const api = await apiOf(bot)
      if (bot.state.self === null) await introduce(bot, api)
      const asked = { offset, limit: 100, timeout: pollSeconds, allowed_updates: wanted }
      const found = updates.parse(await api.getUpdates(asked, bot.stop.signal as never))
      take(found.flatMap((one) => readUpdate(one) ?? []))
      offset = Math.max(offset, ...found.map(({ update_id }) => update_id + 1))
      become(bot, { state: 'listening', problem: null })
      failures = 0
    } catch (error) {
      if (bot.stop.signal.aborted) return
      const wait = fail(bot, error, failures++)
      await new Promise<void>((resolve) => {
        const takeBack = setAlarm(bot.clock, wait, resolve)
        bot.stop.signal.addEventListener('abort', takeBack, { once: true })
        bot.stop.signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }
}

async function introduce(bot: Bot, api: Api): Promise<void> {
  const me = z.object({ username: z.string() }).parse(await api.getMe())
  become(bot, { self: `@${me.username}` })
  if (bot.settings.webhook !== null) return
  await api.deleteWebhook()
  become(bot, { state: 'listening', problem: null })
}

function fail(bot: Bot, error: unknown, failures: number): number {
  const delivery = deliveryOf(error)
  const reason = delivery.kind === 'sent' ? '' : delivery.reason
  const words: readonly [string, string][] = [
    ['401', 'the token is not known there; link the bot again'],
    ['404', 'the token is not known there; link the bot again'],
    ['409', 'another program reads this bot’s messages; stop it, or make a bot of your own'],
  ]
  const found = words.find(([code]) => reason.startsWith(code))
  become(bot, { state: 'failing', problem: found?.[1] ?? reason })
  const told = delivery.kind === 'later' ? delivery.retryAfterMs : null
  return told ?? Math.min(1_000 * 2 ** Math.min(failures, 10), 60_000)
}

const bodyMax = 1_000_000

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of incoming) {
    size += (piece as Buffer).length
    if (size > bodyMax) throw new RangeError('too long')
    pieces.push(piece as Buffer)
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}

function isSame(given: string | string[] | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(String(given ?? '')), digest(secret))
}

function listen(bot: Bot, take: (incoming: readonly Incoming[]) => void): Server {
  const secret = randomBytes(24).toString('hex')
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const given = incoming.headers['x-telegram-bot-api-secret-token']
    if (incoming.method !== 'POST' || !isSame(given, secret)) return 404
    const value = await bodyOf(incoming).catch(() => null)
    if (value === null) return 400
    const read = readUpdate(value)
    if (read !== null) take([read])
    return response.writable ? 200 : 500
  }
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((incoming, response) => {
    handle(incoming, response)
      .catch(() => 500)
      .then((status) => void response.writeHead(status).end())
      .catch(() => {})
  })
  server.requestTimeout = 10_000
  server.on('error', (error: { code?: string }) => {
    const problem = `${bot.settings.listen.port} cannot be listened at (${error.code})`
    become(bot, { state: 'failing', problem })
  })
  server.listen(
    bot.settings.listen.port,
    bot.settings.listen.host,
    () => void announce(bot, secret),
  )
  return server
}

async function announce(bot: Bot, secret: string, failures = 0): Promise<void> {
  try {
    const api = await apiOf(bot)
    await introduce(bot, api)
    const more = { secret_token: secret, allowed_updates: wanted }
    await api.setWebhook(bot.settings.webhook ?? '', more)
    become(bot, { state: 'listening', problem: null })
  } catch (error) {
    const wait = fail(bot, error, failures)
    const takeBack = setAlarm(bot.clock, wait, () => void announce(bot, secret, failures + 1))
    bot.stop.signal.addEventListener('abort', takeBack, { once: true })
  }
}

async function fetchFile(bot: Bot, { id }: IncomingFile, bytesMax: number): Promise<Uint8Array> {
  const api = await apiOf(bot)
  const found = z.object({ file_path: z.string().regex(/^[\w-][\w./-]{0,300}$/) })
  const { file_path: path } = found.parse(await api.getFile(id))
  if (path.includes('..')) throw new RangeError('the path of the file leads elsewhere')
  const url = `${bot.settings.api}/file/bot${bot.token}/${path}`
  const signal = AbortSignal.any([bot.stop.signal, AbortSignal.timeout(60_000)])
  const response = await fetch(url, { signal, redirect: 'error' }).catch(() => null)
  if (response === null || !response.ok || response.body === null)
    throw new Error('the file could not be fetched')
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > bytesMax) throw new RangeError('the file is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function apiOf(bot: Bot): Promise<Api> {
  bot.api ??= import('grammy/web').then(({ Api }) => {
    const more = { timeoutSeconds: 60, baseFetchConfig: { redirect: 'error' } as const }
    return new Api(bot.token, { apiRoot: bot.settings.api, ...more })
  })
  return bot.api
}

/** Whose token this is; rejects with words for the owner when it is nobody's. */
export async function whoIs(settings: GatewaySettings, token: string): Promise<string> {
  const bot = newBot(settings, token, { now: () => new Date() })
  try {
    await introduce(bot, await apiOf(bot))
  } catch (error) {
    fail(bot, error, 0)
    throw new Error(`${settings.api}: ${bot.state.problem}`)
  }
  return bot.state.self ?? ''
}

function newBot(settings: GatewaySettings, token: string, clock: Clock): Bot {
  const state = { state: 'off', problem: null, self: null } as const
  return {
    settings,
    token,
    clock,
    stop: new AbortController(),
    state,
    changed: () => {},
    api: null,
  }
}

/** A way to Telegram; nothing is asked before it is started. */
export function createTelegram(settings: GatewaySettings, token: string, clock: Clock): Gateway {
  const bot = newBot(settings, token, clock)
  let polling: Promise<void> = Promise.resolve()
  let server: Server | null = null
  return {
    name: 'telegram',
    lengthMax: 4_096,
    hasButtons: true,
    start(take, changed) {
      bot.changed = changed
      become(bot, { state: 'connecting' })
      if (settings.webhook === null) polling = poll(bot, take)
      else server = listen(bot, take)
    },
    send: async (outgoing) => send(await apiOf(bot), outgoing),
    async answerPress(id, text) {
      const api = await apiOf(bot)
      await api.answerCallbackQuery(id, { text }).catch(() => {})
    },
    fetchFile: (wished, _message, bytesMax) => fetchFile(bot, wished, bytesMax),
    state: () => bot.state,
    async stop() {
      bot.stop.abort()
      server?.closeAllConnections()
      server?.close()
      await polling
      become(bot, { state: 'off' })
    },
  }
}
