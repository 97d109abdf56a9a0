import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

const dimension = 32

/** The vector of a text: a count of its words, each in its direction. */
function wordVector(text: string): number[] {
  const vector = Array.from({ length: dimension }, () => 0)
  for (const word of text.toLowerCase().match(/[a-zé]+/g) ?? []) {
    let hash = 7
    for (let at = 0; at < word.length; at++) hash = (hash * 31 + word.charCodeAt(at)) >>> 0
    vector[hash % dimension]! += 3
  }
  return vector
}

/** A request as it came in. */
interface EmbeddingRequest {
  protocol: 'local' | 'openai'
  model: string
  texts: string[]
  authorization: string
  /** All of the request: its path, its headers and its body. */
  whole: string
}

function answerTo({ protocol, model, texts }: EmbeddingRequest, vectors: number[][]): object {
  if (protocol === 'local') {
    const durations = { total_duration: 14_143_917, load_duration: 1_019_500 }
    return { model, embeddings: vectors, ...durations, prompt_eval_count: texts.length }
  }
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const usage = { prompt_tokens: texts.length, total_tokens: texts.length }
  return { object: 'list', data: data.reverse(), model, usage }
}

function errorOf({ protocol }: EmbeddingRequest, message: string): object {
  if (protocol === 'local') return { error: message }
  return { error: { message, type: 'invalid_request_error', param: null, code: null } }
}

type Misbehave = (request: EmbeddingRequest, response: ServerResponse) => void

function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const refuse =
  (status: number, headers: Record<string, string> = {}): Misbehave =>
  (request, response) =>
    send(response, status, errorOf(request, `No: ${request.authorization}`), headers)

const answerWith =
  (change: (vectors: number[][]) => unknown[]): Misbehave =>
  (request, response) => {
    const vectors = change(request.texts.map(wordVector)) as number[][]
    send(response, 200, answerTo(request, vectors))
  }

const faults: Record<string, Misbehave> = {
  'hangs before the headers': () => {},
  'hangs in the answer': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"embeddings":[[0.1,')
  },
  'does not know the model': refuse(404),
  'refuses the key': refuse(401),
  'is asked too often': refuse(429, { 'retry-after': '90' }),
  'is in trouble': refuse(503),
  'cuts the connection': (_request, response) => void response.destroy(),
  'cuts the connection in the answer': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"embeddings":[[0.1,', () => response.destroy())
  },
  'redirects elsewhere': (_request, response) =>
    void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'is a web page': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
  'sends garbage': (_request, response) => send(response, 200, '{"embeddings":[[0.1,0.2'),
  'sends something else': (_request, response) => send(response, 200, { ok: true }),
  'sends one vector too few': answerWith((vectors) => vectors.slice(1)),
  'sends vectors of two lengths': answerWith((vectors) => [[1, 2], ...vectors.slice(1)]),
  'sends empty vectors': answerWith((vectors) => vectors.map(() => [])),
  'sends null for a number': answerWith((vectors) => vectors.map((each) => [null, ...each])),
  'sends numbers too large': answerWith((vectors) => vectors.map((each) => [1e300, ...each])),
  'sends text without end': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      if (response.destroyed) return
      if (response.write('0.1234567,'.repeat(10_000))) setImmediate(more)
      else response.once('drain', more)
    }
    more()
  },
}

/** All of them. */
export const embeddingFaults: readonly string[] = Object.keys(faults)

/** A server that answers, or fails the next time. */
interface EmbeddingServer {
  baseUrl(protocol: EmbeddingRequest['protocol']): string
  requests: EmbeddingRequest[]
  /** What the next requests meet, in order. */
  faults: string[]
  /** The most requests that were open at a time. */
  openMax(): number
  close(): Promise<void>
}

/** Starts a server on loopback. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = []
  const toCome: string[] = []
  const sockets = new Set<Socket>()
  let [open, openMax] = [0, 0]
  const server = createServer((incoming, response) => {
    openMax = Math.max(openMax, ++open)
    response.on('close', () => open--)
    void read(incoming).then((request) => {
      requests.push(request)
      const fault = toCome.shift()
      if (fault !== undefined) faults[fault]!(request, response)
      else if (request.texts.some((text) => text.includes('poison'))) {
        refuse(400)(request, response)
      } else answerWith((vectors) => vectors)(request, response)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    baseUrl: (protocol) => root + (protocol === 'local' ? '/api' : '/v1'),
    requests,
    faults: toCome,
    openMax: () => openMax,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function read(incoming: IncomingMessage): Promise<EmbeddingRequest> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString()
  const body = JSON.parse(text) as { model: string; input: string[] }
  const protocol = incoming.url === '/api/embed' ? 'local' : 'openai'
  if (protocol === 'openai' && incoming.url !== '/v1/embeddings') {
    throw new Error(`No protocol has the path ${incoming.url}`)
  }
  const authorization = incoming.headers.authorization ?? ''
  const whole = `${incoming.url}\n${incoming.rawHeaders.join('\n')}\n${text}`
  return { protocol, model: body.model, texts: body.input, authorization, whole }
}
