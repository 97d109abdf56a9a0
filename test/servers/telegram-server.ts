import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

type Json = Record<string, unknown>

/** A message of the bot's, as it is shown now. */
interface SentMessage {
  id: number
  chat: number
  text: string
  entities: Json[]
  /** The buttons, row after row. */
  buttons: { text: string; callback_data: string }[]
  /** All texts it ever had. */
  texts: string[]
}

/** A person, or a group when the number is negative. */
interface Writing {
  chat?: number
  name?: string
  replyTo?: number
  isForwarded?: boolean
  isEdited?: boolean
  /** The number of the message that this one changes. */
  edits?: number
  isBot?: boolean
  file?: { name: string; type: string; bytes: Uint8Array }
  isPhoto?: boolean
  isVoice?: boolean
}

interface State {
  token: string
  updates: Json[]
  /** Every update there ever was. */
  happened: Json[]
  confirmed: number
  nextUpdate: number
  nextMessage: number
  messages: SentMessage[]
  known: Set<number>
  answers: { id: string; text: string }[]
  requests: { method: string; body: Json }[]
  faults: { method: string; fault: string }[]
  files: Map<string, Uint8Array>
  webhook: { url: string; secret: string } | null
  poll: (() => void) | null
  watchers: Set<() => void>
  delays: () => readonly [number, number]
}

class Refusal extends Error {
  readonly code: number
  readonly parameters: Json | undefined
  constructor(code: number, description: string, parameters?: Json) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

const refusals: Record<string, () => Refusal> = {
  'asks to wait': () => new Refusal(429, 'Too Many Requests: retry after 3', { retry_after: 3 }),
  'has another reader': () =>
    new Refusal(
      409,
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    ),
  'was blocked': () => new Refusal(403, 'Forbidden: bot was blocked by the user'),
  'is in trouble': () => new Refusal(500, 'Internal Server Error'),
}

/** Done, and then not said. */
const silences: Record<string, (response: ServerResponse, answer: string) => void> = {
  'cuts the answer off': (response) => void response.destroy(),
  'sends half an answer': (response, answer) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
    response.write(answer.slice(0, answer.length / 2), () => response.destroy())
  },
  'answers with a web page': (response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
}

const lengthMax = 4_096

function checkText(body: Json): {
  text: string
  entities: Json[]
  buttons: SentMessage['buttons']
} {
  const text = (body.text as string | undefined) ?? ''
  if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty')
  if (text.length > lengthMax) throw new Refusal(400, 'Bad Request: message is too long')
  if (body.parse_mode !== undefined) throw new Refusal(400, 'Bad Request: nobody escapes here')
  const entities = (body.entities ?? []) as Json[]
  for (const { offset, length } of entities) {
    if (Number(offset) < 0 || Number(offset) + Number(length) > text.length)
      throw new Refusal(400, 'Bad Request: entity ends behind its text')
  }
  const markup = (body.reply_markup ?? {}) as { inline_keyboard?: SentMessage['buttons'][] }
  const buttons = (markup.inline_keyboard ?? []).flat()
  if (buttons.some(({ callback_data }) => Buffer.byteLength(callback_data) > 64))
    throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID')
  return { text, entities, buttons }
}

function sendMessage(state: State, body: Json): Json {
  const chat = Number(body.chat_id)
  if (!state.known.has(chat))
    throw new Refusal(403, "Forbidden: bot can't initiate conversation with a user")
  const id = state.nextMessage++
  const checked = checkText(body)
  state.messages.push({ id, chat, ...checked, texts: [checked.text] })
  return shownMessage(state.messages.at(-1)!)
}

function editMessageText(state: State, body: Json): Json {
  const found = state.messages.find(
    ({ chat, id }) => id === Number(body.message_id) && chat === Number(body.chat_id),
  )
  if (found === undefined) throw new Refusal(400, 'Bad Request: message to edit not found')
  const { buttons, entities, text } = checkText(body)
  if (text === found.text && buttons.length === found.buttons.length)
    throw new Refusal(400, 'Bad Request: message is not modified')
  Object.assign(found, { text, entities, buttons })
  found.texts.push(text)
  return shownMessage(found)
}

function shownMessage({ buttons, chat, entities, id, text }: SentMessage): Json {
  const shown = { message_id: id, date: 1_795_000_000, chat: chatOf(chat), text, entities }
  const from = { id: 42, is_bot: true, first_name: 'Passepartout' }
  if (buttons.length === 0) return { ...shown, from }
  return { ...shown, from, reply_markup: { inline_keyboard: [buttons] } }
}

function chatOf(id: number, name = 'Ann'): Json {
  return id < 0
    ? { id, type: 'supergroup', title: 'Family' }
    : { id, type: 'private', first_name: name }
}

async function getUpdates(state: State, body: Json): Promise<Json[]> {
  if (state.webhook !== null)
    throw new Refusal(409, "Conflict: can't use getUpdates method while webhook is active")
  const offset = Number(body.offset ?? 0)
  state.confirmed = Math.max(state.confirmed, offset)
  state.updates = state.updates.filter(({ update_id }) => Number(update_id) >= offset)
  state.poll?.()
  for (const watcher of state.watchers) watcher()
  const allowed = (body.allowed_updates ?? []) as string[]
  const due = () =>
    state.updates.filter((update) => allowed.length === 0 || allowed.some((kind) => kind in update))
  if (due().length === 0 && Number(body.timeout ?? 0) > 0) {
    const isOver = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), Number(body.timeout) * 1_000)
      timer.unref()
      state.poll = () => {
        clearTimeout(timer)
        state.poll = null
        resolve(due().length === 0)
      }
    })
    if (isOver) throw refusals['has another reader']!()
  }
  return due().slice(0, Number(body.limit ?? 100))
}

type Method = (state: State, body: Json) => unknown

const methods: Record<string, Method> = {
  getUpdates,
  sendMessage,
  editMessageText,
  getMe: () => ({ id: 42, is_bot: true, first_name: 'Passepartout', username: 'passepartout_bot' }),
  answerCallbackQuery(state, { callback_query_id, text }) {
    state.answers.push({ id: String(callback_query_id), text: text as string })
    return true
  },
  getFile(state, { file_id }) {
    const bytes = state.files.get(String(file_id))
    if (bytes === undefined) throw new Refusal(400, 'Bad Request: invalid file_id')
    return {
      file_id,
      file_unique_id: 'u',
      file_size: bytes.length,
      file_path: `documents/${String(file_id)}`,
    }
  },
  setWebhook(state, { secret_token, url }) {
    state.webhook = url === '' ? null : { url: String(url), secret: secret_token as string }
    return true
  },
  deleteWebhook(state) {
    state.webhook = null
    return true
  },
  getWebhookInfo: ({ updates, webhook }) => ({
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.length,
  }),
}

async function answer(state: State, incoming: IncomingMessage, response: ServerResponse) {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString()
  const [, kind, token, rest = ''] = /^\/(file\/)?bot([^/]+)\/(.*)$/.exec(incoming.url ?? '') ?? []
  if (token !== state.token) return reply(response, 401, { description: 'Unauthorized' })
  if (kind !== undefined) return sendFile(state, response, rest)
  const body = (text === '' ? {} : JSON.parse(text)) as Json
  state.requests.push({ method: rest, body })
  const at = state.faults.findIndex(({ method }) => method === rest)
  const fault = at < 0 ? null : state.faults.splice(at, 1)[0]!.fault
  const [before, behind] = rest === 'getUpdates' ? [0, 0] : state.delays()
  try {
    if (fault === 'cuts the request off') return response.destroy()
    if (before > 0) await new Promise((resolve) => setTimeout(resolve, before))
    const refusal = fault === null ? undefined : refusals[fault]
    if (refusal !== undefined) throw refusal()
    const method = methods[rest]
    if (method === undefined) throw new Refusal(404, 'Not Found: method not found')
    const result = await method(state, body)
    if (behind > 0) await new Promise((resolve) => setTimeout(resolve, behind))
    const silence = fault === null ? undefined : silences[fault]
    if (silence !== undefined) silence(response, JSON.stringify({ ok: true, result }))
    else reply(response, 200, { ok: true, result })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, parameters } = error
    reply(response, code, { description: message, ...(parameters && { parameters }) })
  } finally {
    for (const watcher of state.watchers) watcher()
  }
}

function reply(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status === 200 ? body : { ok: false, error_code: status, ...body }))
}

function sendFile({ files }: State, response: ServerResponse, path: string): void {
  const bytes = files.get(path.replace('documents/', ''))
  if (bytes === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
}

function happen(state: State, kind: string, what: Json): number {
  const update = { update_id: state.nextUpdate++, [kind]: what }
  state.updates.push(update)
  state.happened.push(update)
  state.poll?.()
  return update.update_id
}

function written(state: State, from: number, text: string, more: Writing): Json {
  const { chat = from, file, isBot = false, isForwarded, isPhoto, name = 'Ann', replyTo } = more
  const { edits, isVoice } = more
  const said = state.messages.find(({ chat: in_, id }) => id === replyTo && in_ === chat)
  const message: Json = {
    message_id: edits ?? state.nextMessage++,
    date: 1_795_000_000,
    ...(edits !== undefined && { edit_date: 1_795_000_001 }),
    from: { id: from, is_bot: isBot, first_name: name },
    chat: chatOf(chat, name),
    ...(said && { reply_to_message: shownMessage(said) }),
    ...(isForwarded && {
      forward_origin: { type: 'hidden_user', sender_user_name: 'Eve', date: 1_794_000_000 },
    }),
  }
  if (file === undefined) return { ...message, text }
  const file_id = `F${state.files.size}`
  state.files.set(file_id, file.bytes)
  const sized = { file_id, file_unique_id: file_id, file_size: file.bytes.length }
  const caption = text === '' ? {} : { caption: text }
  if (isVoice) return { ...message, ...caption, voice: { ...sized, mime_type: file.type } }
  if (isPhoto) return { ...message, ...caption, photo: [{ ...sized, width: 9, height: 9 }] }
  return {
    ...message,
    ...caption,
    document: { ...sized, file_name: file.name, mime_type: file.type },
  }
}

/** A Telegram on loopback. */
export interface TelegramServer {
  url: string
  token: string
  /** What the bot has sent, as it is shown now. */
  messages: SentMessage[]
  /** What was said to those who pressed buttons. */
  answers: State['answers']
  requests: State['requests']
  /** The next number that the bot has asked for: everything below is confirmed. */
  confirmed(): number
  /** How many updates wait. */
  waiting(): number
  webhook(): State['webhook']
  /** Somebody writes; the number of the message. */
  write(from: number, text: string, more?: Writing): number
  /** Somebody presses a button with this label under a message, or one that is made up. */
  press(from: number, message: SentMessage, label: string, more?: Json): string
  /** Brings everything once more, in the opposite order, as if no confirmation had come. */
  repeat(): void
  /** The next request for this method meets a fault, so many times. */
  fail(method: string, fault: string, times?: number): void
  /** Brings an update to the webhook; resolves to the status. */
  deliver(url: string, secret: string, update?: Json): Promise<number>
  /** Resolves when it holds. */
  until(holds: () => boolean): Promise<void>
  close(): Promise<void>
}

/** Starts one. `delays` are the milliseconds before and behind a deed. */
export async function startTelegramServer(
  delays: State['delays'] = () => [0, 0],
): Promise<TelegramServer> {
  const state: State = {
    token: '4711:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc',
    updates: [],
    happened: [],
    confirmed: 0,
    nextUpdate: 9_001,
    nextMessage: 101,
    messages: [],
    known: new Set(),
    answers: [],
    requests: [],
    faults: [],
    files: new Map(),
    webhook: null,
    poll: null,
    watchers: new Set(),
    delays,
  }
  const sockets = new Set<Socket>()
  const server = createServer((incoming, response) => {
    void answer(state, incoming, response).catch((error) => response.destroy(error))
  })
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    ...people(state),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function people(state: State): Omit<TelegramServer, 'url' | 'close'> {
  return {
    token: state.token,
    messages: state.messages,
    answers: state.answers,
    requests: state.requests,
    confirmed: () => state.confirmed,
    waiting: () => state.updates.length,
    webhook: () => state.webhook,
    write(from, text, more = {}) {
      state.known.add(more.chat ?? from)
      const message = written(state, from, text, more)
      const isEdited = more.isEdited === true || more.edits !== undefined
      happen(state, isEdited ? 'edited_message' : 'message', message)
      return Number(message.message_id)
    },
    press(from, message, label, more = {}) {
      const id = `Q${state.nextUpdate}`
      const data = message.buttons.find(({ text }) => text === label)?.callback_data ?? label
      const who = { id: from, is_bot: false, first_name: 'Ann' }
      const query = { id, from: who, message: shownMessage(message), chat_instance: 'c', data }
      happen(state, 'callback_query', { ...query, ...more })
      return id
    },
    repeat() {
      state.updates.push(...state.happened.toReversed())
      state.confirmed = 0
      state.poll?.()
    },
    fail(method, fault, times = 1) {
      for (let index = 0; index < times; index++) state.faults.push({ method, fault })
    },
    deliver: (url, secret, update = state.updates.shift()) => post(url, secret, update),
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return
          state.watchers.delete(look)
          resolve()
        }
        state.watchers.add(look)
        look()
      }),
  }
}

function post(url: string, secret: string, update: Json | undefined): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(update))
  })
}
