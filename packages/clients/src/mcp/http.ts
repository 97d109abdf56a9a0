import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  type McpServerFactory,
  originValidationResponse,
} from '@modelcontextprotocol/server'

/** Where to listen, and for whom. */
interface McpHttpOptions {
  /** 0 for any free port. */
  port: number
  /** What each request must carry; null for nothing, in tests. */
  token: string | null
  onError?: (error: Error) => void
}

/** A server that listens. */
interface McpHttp {
  port: number
  close(): Promise<void>
}

/** Serves what the factory makes, at `/mcp` on loopback. Rejects when the port is taken. */
export async function serveMcpHttp(
  factory: McpServerFactory,
  { onError = () => {}, port, token }: McpHttpOptions,
): Promise<McpHttp> {
  const handler = createMcpHandler(factory, { onerror: onError })
  const server = createServer((incoming, outgoing) => {
    answer(handler, token, incoming, outgoing).catch((error: unknown) => {
      onError(error instanceof Error ? error : new Error(String(error)))
      outgoing.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(
  handler: McpHttpHandler,
  token: string | null,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const request = webRequest(incoming, gone.signal)
  const response = refusal(request, token) ?? (await handler.fetch(request))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  if (response.body === null) outgoing.end()
  else {
    const body = Readable.fromWeb(response.body as NodeStream)
    body.on('error', () => outgoing.destroy())
    body.pipe(outgoing)
  }
}

function refusal(request: Request, token: string | null): Response | null {
  const isElsewhere =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  if (isElsewhere !== undefined) return isElsewhere
  if (new URL(request.url).pathname !== '/mcp') return new Response(null, { status: 404 })
  if (token === null || isToken(request.headers.get('authorization'), token)) return null
  return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } })
}

function isToken(header: string | null, token: string): boolean {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? []
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(token))
}

function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { headers: given, method = 'GET', url = '/' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null
  const path = url.startsWith('/') ? url : '/'
  return new Request(`http://127.0.0.1${path}`, { method, headers, body, signal, duplex: 'half' })
}
