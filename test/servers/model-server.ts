import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

/** The five protocols, by the names of the configuration. */
export type Protocol = 'openai-compatible' | 'openai' | 'anthropic' | 'google' | 'ollama'

/** All five. */
export const protocols: readonly Protocol[] = [
  'openai-compatible',
  'openai',
  'anthropic',
  'google',
  'ollama',
]

/** A call of a tool. */
interface ScriptedCall {
  tool: string
  args: Record<string, unknown>
}

/** Why an answer ends: said, cut at the limit of tokens, or cut by a filter. */
type EndReason = 'stop' | 'length' | 'filter'

/** What the model says in one turn, and how the server fails to. */
export interface ScriptedAnswer {
  text?: string[]
  calls?: ScriptedCall[]
  /** `stop` by default. */
  ends?: EndReason
  /** One of `serverFaults`. */
  fault?: string
  /** What is done to the bytes of the answer before they are sent. */
  mangle?: (bytes: Buffer) => Buffer
}

/** A request as it came in. */
export interface SeenRequest {
  protocol: Protocol
  path: string
  headers: Record<string, string | string[] | undefined>
  /** The body, parsed; `text` is the same as it was sent. */
  body: Record<string, unknown>
  text: string
}

/** One turn of a script. */
export type Turn =
  | ScriptedAnswer
  | ((request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** A script in which the model says these texts, one after the other. */
export function sayings(...texts: string[]): Turn[] {
  return texts.map((text) => ({ text: [text] }))
}

interface Dialect {
  path: RegExp
  base: string
  contentType: string
  start(): string[]
  text: (piece: string) => string
  call: (call: ScriptedCall, index: number) => string[]
  /** Behind the last call, with the vendor's word for the reason. */
  end(called: number, reason: EndReason): string[]
  error(message: string): string
  /** What keeps the connection alive and says nothing. */
  comment: string
}

const sse = (data: unknown, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

function inPieces(text: string, count: number): string[] {
  const length = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length))
}

const chatChunk = (delta: object, finish: string | null = null) =>
  sse({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

const cutWords = { length: 'length', filter: 'content_filter' }

const chat: Dialect = {
  path: /\/chat\/completions$/,
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  start: () => [chatChunk({ role: 'assistant', content: '' })],
  text: (piece) => chatChunk({ content: piece }),
  call: ({ tool, args }, index) => {
    const named = { name: tool, arguments: '' }
    const begin = { index, id: `call_${index}`, type: 'function', function: named }
    const rest = inPieces(JSON.stringify(args), 3).map((piece) =>
      chatChunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    )
    return [chatChunk({ tool_calls: [begin] }), ...rest]
  },
  end: (called, reason) => [
    chatChunk({}, { stop: called > 0 ? 'tool_calls' : 'stop', ...cutWords }[reason]),
    sse({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    }),
    'data: [DONE]\n\n',
  ],
  error: (message) => sse({ error: { message, type: 'server_error', code: 503 } }),
  comment: ': keep-alive\n\n',
}

const typed = (type: string, data: object) => sse({ type, sequence_number: 1, ...data }, type)

const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }

const responses: Dialect = {
  path: /\/responses$/,
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  start: () => [
    typed('response.created', { response: { id: 'resp_1', created_at: 1, model: 'm' } }),
    typed('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
  ],
  text: (delta) =>
    typed('response.output_text.delta', {
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
  call: ({ tool, args }, index) => {
    const [output_index, id] = [index + 1, `fc_${index}`]
    const item = { type: 'function_call', id, call_id: `call_${index}`, name: tool }
    const pieces = inPieces(JSON.stringify(args), 3).map((delta) =>
      typed('response.function_call_arguments.delta', { item_id: id, output_index, delta }),
    )
    const done = { ...item, arguments: JSON.stringify(args), status: 'completed' }
    return [
      typed('response.output_item.added', { output_index, item: { ...item, arguments: '' } }),
      ...pieces,
      typed('response.output_item.done', { output_index, item: done }),
    ]
  },
  end: (_called, reason) => {
    const usage = { input_tokens: 9, output_tokens: 2 }
    const why = { length: 'max_output_tokens', filter: 'content_filter', stop: '' }[reason]
    const incomplete = { response: { usage, incomplete_details: { reason: why } } }
    return [
      typed('response.output_item.done', { output_index: 0, item: { ...message, content: [] } }),
      reason === 'stop'
        ? typed('response.completed', { response: { usage } })
        : typed('response.incomplete', incomplete),
    ]
  },
  error: (text) => typed('error', { code: 'server_error', message: text, param: null }),
  comment: ': keep-alive\n\n',
}

const named = (type: string, data: object = {}) => sse({ type, ...data }, type)
const block = (index: number, content_block: object) =>
  named('content_block_start', { index, content_block })
const piece = (index: number, delta: object) => named('content_block_delta', { index, delta })

function stopReason(called: number, reason: EndReason): string {
  const said = called > 0 ? 'tool_use' : 'end_turn'
  return { stop: said, length: 'max_tokens', filter: 'refusal' }[reason]
}

const messages: Dialect = {
  path: /\/messages$/,
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  start: () => [
    named('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    }),
    block(0, { type: 'text', text: '' }),
  ],
  text: (text) => piece(0, { type: 'text_delta', text }),
  call: ({ tool, args }, index) => [
    named('content_block_stop', { index }),
    block(index + 1, { type: 'tool_use', id: `toolu_${index}`, name: tool, input: {} }),
    ...inPieces(JSON.stringify(args), 3).map((partial_json) =>
      piece(index + 1, { type: 'input_json_delta', partial_json }),
    ),
  ],
  end: (called, reason) => [
    named('content_block_stop', { index: called }),
    named('message_delta', {
      delta: { stop_reason: stopReason(called, reason), stop_sequence: null },
      usage: { output_tokens: 2 },
    }),
    named('message_stop'),
  ],
  error: (text) => named('error', { error: { type: 'overloaded_error', message: text } }),
  comment: 'event: ping\ndata: {"type":"ping"}\n\n',
}

const candidate = (parts: object[], finishReason?: string) =>
  sse({
    candidates: [
      { content: { parts, role: 'model' }, index: 0, ...(finishReason && { finishReason }) },
    ],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
    modelVersion: 'm',
  })

const generate: Dialect = {
  path: /:streamGenerateContent$/,
  base: '/v1beta',
  contentType: 'text/event-stream',
  start: () => [],
  text: (text) => candidate([{ text }]),
  call: ({ tool, args }) => [candidate([{ functionCall: { name: tool, args } }])],
  end: (_called, reason) => [
    candidate([], { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' }[reason]),
  ],
  error: (text) => sse({ error: { code: 503, message: text, status: 'UNAVAILABLE' } }),
  comment: ': keep-alive\n\n',
}

const line = (data: object) =>
  `${JSON.stringify({ model: 'm', created_at: '2026-11-21T09:05:00Z', ...data })}\n`
const assistant = (content: string, more: object = {}) => ({
  message: { role: 'assistant', content, ...more },
  done: false,
})

const lines: Dialect = {
  path: /\/api\/chat$/,
  base: '/api',
  contentType: 'application/x-ndjson',
  start: () => [],
  text: (content) => line(assistant(content)),
  call: ({ tool, args }) => [
    line(assistant('', { tool_calls: [{ function: { name: tool, arguments: args } }] })),
  ],
  end: (_called, reason) => [
    line({
      ...assistant(''),
      done: true,
      done_reason: { stop: 'stop', ...cutWords }[reason],
      prompt_eval_count: 9,
      eval_count: 2,
    }),
  ],
  error: (text) => `${JSON.stringify({ error: text })}\n`,
  comment: '\n',
}

const dialects: Record<Protocol, Dialect> = {
  'openai-compatible': chat,
  openai: responses,
  anthropic: messages,
  google: generate,
  ollama: lines,
}

function framesOf(dialect: Dialect, answer: ScriptedAnswer): string[] {
  const { text = [], calls = [], ends = 'stop' } = answer
  return [
    ...dialect.start(),
    ...text.map(dialect.text),
    ...calls.flatMap(dialect.call),
    ...dialect.end(calls.length, ends),
  ]
}

interface Moment {
  request: SeenRequest
  response: ServerResponse
  dialect: Dialect
  frames: string[]
  /** The whole header in which the key came. */
  key: string
  elsewhere: string
}

type Misbehave = (moment: Moment) => void

function begin({ response, dialect }: Moment, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': dialect.contentType, ...headers })
  response.flushHeaders()
}

const refuse =
  (status: number, headers: Record<string, string> = {}): Misbehave =>
  ({ response, key, dialect }) => {
    const text = `No: ${key} at https://x/?key=${encodeURIComponent(key)}`
    const body = dialect === lines ? { error: text } : { error: { message: text, type: 'x' } }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }

function forEver({ response }: Moment, next: () => string): void {
  const more = () => {
    if (response.destroyed) return
    if (response.write(next())) setImmediate(more)
    else response.once('drain', more)
  }
  more()
}

function everySoOften({ response }: Moment, next: () => string): void {
  const timer = setInterval(() => response.write(next()), 5)
  response.once('close', () => clearInterval(timer))
}

function half(frames: readonly string[]): string[] {
  return frames.slice(0, Math.ceil(frames.length / 2))
}

const wholeFaults: Record<string, Misbehave> = {
  'hangs before the headers': () => {},
  'hangs after the headers': (moment) => begin(moment),
  'hangs in an error': ({ response }) => {
    response.writeHead(500, { 'content-type': 'application/json' })
    response.write('{"error":')
  },
  'refuses the key': refuse(401),
  'is asked too often, seconds': refuse(429, { 'retry-after': '7' }),
  'is asked too often, date': refuse(429, {
    'retry-after': new Date(Date.now() + 3_600_000).toUTCString(),
  }),
  'is in trouble': refuse(500),
  'is overloaded': refuse(529),
  'redirects elsewhere': ({ response, elsewhere }) => {
    response.writeHead(307, { location: elsewhere }).end()
  },
  'is a web page': ({ response, key }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${key}</h1>`)
  },
  'answers without a body': ({ response }) => {
    response.writeHead(204).end()
  },
  'answers with no event at all': (moment) => {
    begin(moment)
    moment.response.end()
  },
  'answers nothing': (moment) => {
    begin(moment)
    moment.response.end([...moment.dialect.start(), ...moment.dialect.end(0, 'stop')].join(''))
  },
  'speaks no HTTP': ({ response }) => {
    response.socket?.write('SSH-2.0-OpenSSH_9.2\r\n', () => response.destroy())
  },
  'has headers without end': ({ response }) => {
    response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end()
  },
  'cuts the connection at once': ({ response }) => {
    response.destroy()
  },
}

const filler = 'na '.repeat(1_000)

const streamFaults: Record<string, Misbehave> = {
  'hangs in the stream': (moment) => {
    begin(moment)
    moment.response.write(half(moment.frames).join(''))
  },
  'ends in the middle': (moment) => {
    begin(moment)
    moment.response.end(half(moment.frames).join(''))
  },
  'ends inside a frame': (moment) => {
    begin(moment)
    moment.response.end(half(moment.frames).join('').slice(0, -9))
  },
  'cuts the connection in a chunk': (moment) => {
    begin(moment)
    const { socket } = moment.response
    const cut = () => socket?.write('ffff\r\ndata: {"cho', () => socket.destroy())
    moment.response.write(half(moment.frames).join(''), () => cut())
  },
  'sends garbage': (moment) => {
    begin(moment)
    const broken = moment.dialect === lines ? '{"message": \n' : 'data: {"message": \n\n'
    moment.response.end(half(moment.frames).join('') + broken)
  },
  'sends bytes': (moment) => {
    begin(moment)
    moment.response.end(Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 7) % 256)))
  },
  'says error first': (moment) => {
    begin(moment)
    moment.response.end(moment.dialect.error(`Overloaded ${moment.key}`))
  },
  'says error in the stream': (moment) => {
    begin(moment)
    const { dialect, frames, key } = moment
    moment.response.end([...half(frames), dialect.error(`Failed ${key}`)].join(''))
  },
}

const endlessFaults: Record<string, Misbehave> = {
  'sends comments for ever': (moment) => {
    begin(moment)
    everySoOften(moment, () => moment.dialect.comment)
  },
  'sends a word and then comments for ever': (moment) => {
    begin(moment)
    moment.response.write([...moment.dialect.start(), moment.dialect.text('Well')].join(''))
    everySoOften(moment, () => moment.dialect.comment)
  },
  'sends empty pieces for ever': (moment) => {
    begin(moment)
    moment.response.write(moment.dialect.start().join(''))
    everySoOften(moment, () => moment.dialect.text(''))
  },
  'drips for ever': (moment) => {
    begin(moment)
    moment.response.write(moment.dialect.start().join(''))
    everySoOften(moment, () => moment.dialect.text(' '))
  },
  'speaks for ever': (moment) => {
    begin(moment)
    moment.response.write(moment.dialect.start().join(''))
    forEver(moment, () => moment.dialect.text(filler))
  },
  'sends one line for ever': (moment) => {
    begin(moment)
    forEver(moment, () => filler)
  },
  'sends comments as fast as it can': (moment) => {
    begin(moment)
    forEver(moment, () => moment.dialect.comment.repeat(10_000))
  },
  'is a bomb': (moment) => {
    begin(moment, { 'content-encoding': 'gzip' })
    moment.response.end(gzipSync(Buffer.alloc(60_000_000, moment.dialect.comment)))
  },
}

const oddities: Record<string, Misbehave> = {
  'sends one byte at a time': (moment) => {
    begin(moment)
    for (const byte of Buffer.from(moment.frames.join(''))) {
      moment.response.write(Uint8Array.of(byte))
    }
    moment.response.end()
  },
  'quotes the key': (moment) => {
    begin(moment)
    const { dialect, key } = moment
    const text = ['Your key is ', key.slice(0, 5), key.slice(5), '.']
    const calls = [{ tool: 'agenda', args: { span: key, explanation: key } }]
    moment.response.end(framesOf(dialect, { text, calls }).join(''))
  },
}

const faults: Record<string, Misbehave> = {
  ...wholeFaults,
  ...streamFaults,
  ...endlessFaults,
  ...oddities,
}

/** All of them. */
export const serverFaults: readonly string[] = Object.keys(faults)

/** A server with a script. */
export interface ModelServer {
  /** The base address for a provider of this protocol. */
  baseUrl(protocol: Protocol): string
  /** What has been asked, in order. */
  requests: SeenRequest[]
  /** Adds turns to the script. */
  script(...turns: Turn[]): void
  /** What is said when the script has ended, instead of “Nothing more.” */
  afterwards(turn: Turn): void
  /** Bytes sent on all connections. */
  bytesSent(): number
  /** How many requests came to the place where redirections lead. */
  strayed(): number
  /** Resolves when a request has come in. */
  asked(count: number): Promise<void>
  /** Resolves when no connection is open. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Starts a server on loopback. */
export async function startModelServer(...script: Turn[]): Promise<ModelServer> {
  const requests: SeenRequest[] = []
  const turns = [...script]
  let otherwise: Turn = { text: ['Nothing more.'] }
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  let strayed = 0
  let sent = 0
  const elsewhere = await listening(
    createServer((_q, response) => {
      strayed++
      response.end()
    }),
  )
  const server = createServer((incoming, response) => {
    response.setHeader('connection', 'close')
    void read(incoming).then((request) => {
      requests.push(request)
      void answer(request, turns.shift() ?? otherwise, response, addressOf(elsewhere))
      wake()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sent += socket.bytesWritten
      sockets.delete(socket)
      wake()
    })
  })
  await listening(server)
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!holds()) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  const open = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  return {
    baseUrl: (protocol) => addressOf(server) + dialects[protocol].base,
    requests,
    script: (...more) => void turns.push(...more),
    afterwards(turn) {
      otherwise = turn
    },
    bytesSent: () => sent + open(),
    strayed: () => strayed,
    asked: (count) => until(() => requests.length >= count),
    idle: () => until(() => sockets.size === 0),
    close: () => closeAll(server, elsewhere),
  }
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closeAll(...servers: Server[]): Promise<void> {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function read(incoming: IncomingMessage): Promise<SeenRequest> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString()
  const { pathname: path } = new URL(incoming.url ?? '/', 'http://x')
  const protocol = protocols.find((name) => dialects[name].path.test(path))
  if (protocol === undefined) throw new Error(`No protocol has the path ${path}`)
  return { protocol, path, headers: incoming.headers, body: JSON.parse(text), text }
}

async function answer(
  request: SeenRequest,
  turn: Turn,
  response: ServerResponse,
  elsewhere: string,
): Promise<void> {
  const said = typeof turn === 'function' ? await turn(request) : turn
  const dialect = dialects[request.protocol]
  const frames = framesOf(dialect, said)
  const { authorization, 'x-api-key': own, 'x-goog-api-key': goog } = request.headers
  const key = String(authorization ?? own ?? goog ?? '').replace('Bearer ', '')
  const moment = { request, response, dialect, frames, key, elsewhere }
  if (said.fault !== undefined) faults[said.fault]!(moment)
  else if (said.mangle !== undefined) {
    begin(moment)
    response.end(said.mangle(Buffer.from(frames.join(''))))
  } else {
    begin(moment)
    for (const frame of frames) response.write(frame)
    response.end()
  }
}
