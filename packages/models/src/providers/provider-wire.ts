import type { IncomingMessage } from 'node:http'
import { type Fault, networkFault, statusFault } from './provider-faults.ts'

/** What a server must answer with, and what is done to each line of it. */
export interface WireOptions {
  /** The content types that are an answer; one without a type is taken for one, too. */
  contentType: RegExp
  /** Rewrites a line of the body, or finds the fault in it. Without it the bytes are not touched. */
  line?: (line: string) => string | Fault
}

/** One request and what became of it. */
export interface Wire {
  /** For the place of `fetch`. Rejects after noting a fault; its bodies end and never break. */
  fetch: typeof globalThis.fetch
  /** The first thing that went wrong, or null. */
  fault(): Fault | null
  /** Notes the fault, unless there is one already, and ends the connection. */
  fail: (fault: Fault) => void
  /** Ends the connection, if it is still there. */
  close(): void
}

/** A wire for one request. */
export function openWire(options: WireOptions): Wire {
  const controller = new AbortController()
  let noted: Fault | null = null
  const fail = (fault: Fault) => {
    noted ??= fault
    controller.abort()
  }
  const request: typeof globalThis.fetch = async (input, init = {}) => {
    try {
      const incoming = await send(
        new URL(input instanceof Request ? input.url : input),
        init,
        controller.signal,
      )
      const fault = await faultIn(incoming, options)
      if (fault === null) {
        const type = incoming.headers['content-type']
        const headers = type === undefined ? {} : { headers: { 'content-type': type } }
        return new Response(guarded(incoming, fail, options.line), headers)
      }
      fail(fault)
    } catch (error) {
      fail(networkFault(error))
    }
    throw new Error(noted!.message)
  }
  return { fetch: request, fault: () => noted, fail, close: () => controller.abort() }
}

function send(url: URL, init: RequestInit, signal: AbortSignal): Promise<IncomingMessage> {
  const protocol = url.protocol === 'https:' ? 'node:https' : 'node:http'
  const { request } = process.getBuiltinModule(protocol) as typeof import('node:http')
  const given = Object.fromEntries(new Headers(init.headers))
  const headers = { ...given, 'accept-encoding': 'identity', connection: 'close' }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: init.method ?? 'GET', headers, agent: false, signal })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => resolve(incoming.on('error', () => {})))
    outgoing.end(init.body ?? undefined)
  })
}

async function faultIn(incoming: IncomingMessage, options: WireOptions): Promise<Fault | null> {
  const { statusCode: status = 0, headers } = incoming
  if (status >= 300 && status < 400) {
    const where = hostOf(headers.location)
    return { kind: 'refused', status, message: `it wants to be asked elsewhere${where}` }
  }
  const protocolFault = (what: string): Fault => {
    return { kind: 'protocol', status, message: `it answered ${what}` }
  }
  if (status < 200 || status > 299) {
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)])
    const given = new Headers(Object.fromEntries(flat))
    return statusFault(status, given, await beginning(incoming), Date.now())
  }
  if (status === 204) return protocolFault('without a body')
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') return protocolFault('compressed, which it was not asked for')
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  const isStream = type === '' || options.contentType.test(type)
  return isStream ? null : protocolFault(`with ${type}, which is no stream`)
}

function hostOf(location: string | undefined): string {
  if (location === undefined || !URL.canParse(location)) return ''
  return `, at ${new URL(location).host}`
}

const errorBytesMax = 65_536

async function beginning(incoming: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    bytes += chunk.length
    if (bytes >= errorBytesMax) break
  }
  return text
}

/** The most bytes of one answer. */
export const bytesMax = 32_000_000

const lineBytesMax = 4_000_000

function guarded(
  incoming: IncomingMessage,
  fail: (fault: Fault) => void,
  line: WireOptions['line'],
): ReadableStream<Uint8Array> {
  const chunks = (incoming as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const rewrite = line === undefined ? null : lineRewriter(line)
  let total = 0
  let open = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      for (;;) {
        const { done, value } = await chunks.next()
        const bytes: Uint8Array | undefined = done ? undefined : value
        const last = bytes?.lastIndexOf(10) ?? -1
        total += bytes?.length ?? 0
        open = last === -1 ? open + (bytes?.length ?? 0) : bytes!.length - last - 1
        if (total > bytesMax || open > lineBytesMax) {
          throw { kind: 'too-long', message: 'its answer does not end' } satisfies Fault
        }
        const piece = rewrite === null ? bytes : rewrite(bytes)
        if (piece !== undefined && piece.length > 0) controller.enqueue(piece)
        if (done) controller.close()
        if (done || piece?.length) return
      }
    } catch (error) {
      fail(isFault(error) ? error : networkFault(error))
      controller.close()
    }
  }
  const cancel = () => void incoming.destroy()
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}

function isFault(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && 'kind' in error && 'message' in error
}

type LineCheck = NonNullable<WireOptions['line']>

function lineRewriter(check: LineCheck): (bytes: Uint8Array | undefined) => Uint8Array {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const parts: string[] = []
  const checked = (line: string) => {
    if (line.trim() === '') return ''
    const result = check(line)
    if (typeof result !== 'string') throw result
    return `${result}\n`
  }
  return (bytes) => {
    const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    const lines = text.split('\n')
    if (bytes === undefined) return encoder.encode(checked(parts.splice(0).join('') + text))
    if (lines.length === 1) {
      parts.push(text)
      return new Uint8Array(0)
    }
    lines[0] = parts.splice(0).join('') + lines[0]!
    parts.push(lines.pop()!)
    return encoder.encode(lines.map(checked).join(''))
  }
}
