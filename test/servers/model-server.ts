import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { objectionTo } from './model-conversation.ts'
import {
  type Dialect,
  dialects,
  framesOf,
  type Protocol,
  protocols,
  type ScriptedAnswer,
  type SeenRequest,
} from './model-dialects.ts'

export { type Protocol, protocols, type ScriptedAnswer, type SeenRequest }

/** One turn of a script. */
export type Turn =
  | ScriptedAnswer
  | ((request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** A script in which the model says these texts, one after the other. */
export function sayings(...texts: string[]): Turn[] {
  return texts.map((text) => ({ text: [text] }))
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
    const body =
      dialect === dialects.ollama ? { error: text } : { error: { message: text, type: 'x' } }
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

const opening = ({ dialect }: Moment) => dialect.start({ input: 9, output: 2 })

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
    moment.response.end(framesOf(moment.dialect, {}).join(''))
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
    const isLines = moment.dialect === dialects.ollama
    const broken = isLines ? '{"message": \n' : 'data: {"message": \n\n'
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
    moment.response.write([...opening(moment), moment.dialect.text('Well')].join(''))
    everySoOften(moment, () => moment.dialect.comment)
  },
  'sends empty pieces for ever': (moment) => {
    begin(moment)
    moment.response.write(opening(moment).join(''))
    everySoOften(moment, () => moment.dialect.text(''))
  },
  'drips for ever': (moment) => {
    begin(moment)
    moment.response.write(opening(moment).join(''))
    everySoOften(moment, () => moment.dialect.text(' '))
  },
  'speaks for ever': (moment) => {
    begin(moment)
    moment.response.write(opening(moment).join(''))
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
      const objection = objectionTo(request)
      const turn = objection === null ? (turns.shift() ?? otherwise) : refusal(objection)
      const place = { count: requests.length, elsewhere: addressOf(elsewhere) }
      void answer(request, turn, response, place)
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

const refusal = (message: string): ScriptedAnswer => ({ refuses: { status: 400, message } })

async function answer(
  request: SeenRequest,
  turn: Turn,
  response: ServerResponse,
  { count, elsewhere }: { count: number; elsewhere: string },
): Promise<void> {
  const said = typeof turn === 'function' ? await turn(request) : turn
  const dialect = dialects[request.protocol]
  const frames = framesOf(dialect, said, `call_${count}`)
  const { authorization, 'x-api-key': own, 'x-goog-api-key': goog } = request.headers
  const key = String(authorization ?? own ?? goog ?? '').replace('Bearer ', '')
  const moment = { request, response, dialect, frames, key, elsewhere }
  if (said.refuses !== undefined) {
    const { headers, message, status } = said.refuses
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
  } else if (said.fault !== undefined) faults[said.fault]!(moment)
  else if (said.mangle !== undefined) {
    begin(moment)
    response.end(said.mangle(Buffer.from(frames.join(''))))
  } else {
    begin(moment)
    for (const frame of frames) response.write(frame)
    response.end()
  }
}
