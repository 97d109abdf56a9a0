import { type ChildProcess, spawn } from 'node:child_process'
import { homedir } from 'node:os'
import type {
  Client,
  JSONRPCMessage,
  StreamableHTTPClientTransportOptions,
  Tool,
  Transport,
} from '@modelcontextprotocol/client'
import type { McpServerConfig } from './config.ts'

const bufferBytesMax = 4_000_000

type Library = typeof import('@modelcontextprotocol/client')

/** A transport to a program that is started with exactly this environment. */
export function programTransport(
  library: Library,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Transport {
  const buffer = new library.ReadBuffer({ maxBufferSize: bufferBytesMax })
  let child: ChildProcess | null = null
  const transport: Transport = {
    async start() {
      const begun = spawn(program, args, {
        cwd: homedir(),
        env: { ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
      })
      child = begun
      begun.stdin.on('error', (error) => transport.onerror?.(error))
      begun.stdout.on('data', (chunk: Buffer) => {
        try {
          buffer.append(chunk)
        } catch {
          endGroup(begun)
        }
        for (const message of messagesIn(buffer)) transport.onmessage?.(message)
      })
      begun.once('close', () => transport.onclose?.())
      await new Promise<void>((resolve, reject) => {
        begun.once('spawn', resolve).once('error', reject)
      })
    },
    async send(message: JSONRPCMessage) {
      const isTaken = child?.stdin?.writable === true
      if (!isTaken) throw new Error('The program has ended')
      child?.stdin?.write(library.serializeMessage(message))
    },
    async close() {
      child?.stdin?.end()
      if (child !== null) endGroup(child)
    },
  }
  return transport
}

/** The whole messages; a line that is none is passed over. */
function* messagesIn(buffer: InstanceType<Library['ReadBuffer']>): Generator<JSONRPCMessage> {
  for (;;) {
    try {
      const message = buffer.readMessage()
      if (message === null) return
      yield message
    } catch {
      // It was JSON, and no message.
    }
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

async function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  let size = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > bufferBytesMax) controller.error(new Error('The answer is too long'))
      else controller.enqueue(chunk)
    },
  })
  const { headers, status, statusText } = response
  return new Response(response.body.pipeThrough(limit), { headers, status, statusText })
}

/** What a transport to this server's address is told. */
function addressOptions({ key }: McpServerConfig): StreamableHTTPClientTransportOptions {
  const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` }
  return { requestInit: { headers }, fetch: limitedFetch }
}

function transportTo(library: Library, server: McpServerConfig): Transport {
  const { command, env, url } = server
  if (url === null) return programTransport(library, command ?? [], env)
  return new library.StreamableHTTPClientTransport(new URL(url), addressOptions(server))
}

/** A connection with limits. */
export interface McpConnection {
  /** All tools, as the server has them now. Rejects when it does not say in time. */
  list(abort: AbortSignal): Promise<Tool[]>
  /** Calls a tool by the name that the server has for it. */
  call(
    tool: Tool,
    args: Record<string, unknown>,
    abort: AbortSignal,
  ): ReturnType<Client['callTool']>
  /** Whether nothing has ended it yet. */
  isOpen(): boolean
  close(): Promise<void>
}

const messagesMax = 5_000
const pagesMax = 10

/** Connects. Rejects when the server does not answer as one, or not in its time. */
export async function connectToServer(server: McpServerConfig): Promise<McpConnection> {
  const library = await import('@modelcontextprotocol/client')
  const client = new library.Client(
    { name: 'passepartout', version: '0.1.0' },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      listMaxPages: pagesMax,
      jsonSchemaValidator: {
        getValidator: () => (input) => ({
          valid: true,
          data: input as never,
          errorMessage: undefined,
        }),
      },
    },
  )
  const transport = transportTo(library, server)
  const state = { isOpen: true, heard: 0 }
  client.onclose = () => {
    state.isOpen = false
  }
  client.onerror = () => {}
  const timeout = server.timeoutMs
  try {
    await client.connect(transport, { timeout })
  } catch (error) {
    await transport.close().catch(() => {})
    throw error
  }
  limitNoise(transport, state)
  const begin = (abort: AbortSignal) => {
    state.heard = 0
    return { signal: abort, timeout, maxTotalTimeout: timeout }
  }
  return {
    async list(abort) {
      const { tools } = await client.listTools(undefined, { ...begin(abort), cacheMode: 'bypass' })
      return tools
    },
    call(tool, args, abort) {
      const params = { name: tool.name, arguments: args }
      return client.callTool(params, { ...begin(abort), toolDefinition: tool })
    },
    isOpen: () => state.isOpen,
    async close() {
      state.isOpen = false
      await client.close()
    },
  }
}

function limitNoise(transport: Transport, state: { heard: number; isOpen: boolean }): void {
  const inner = transport.onmessage
  transport.onmessage = (...heard) => {
    state.heard++
    if (state.heard <= messagesMax) inner?.apply(transport, heard)
    else if (state.isOpen) {
      state.isOpen = false
      void transport.close()
    }
  }
}
