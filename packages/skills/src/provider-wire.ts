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
  fail(fault: Fault): void
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
  const request: typeof globalThis.fetch = async (input, init) => {
    try {
      const own = { redirect: 'manual', signal: controller.signal } as const
      const response = await fetch(input, { ...init, ...own })
      const fault = await faultIn(response, options)
      if (fault === null) {
        const body = guarded(response.body!, fail, options.line)
        return new Response(body, { headers: response.headers })
      }
      fail(fault)
    } catch (error) {
      fail(networkFault(error))
    }
    throw new Error(noted!.message)
  }
  return { fetch: request, fault: () => noted, fail, close: () => controller.abort() }
}

async function faultIn(response: Response, { contentType }: WireOptions): Promise<Fault | null> {
  const { status, headers, body } = response
  if (status >= 300 && status < 400) {
    const where = hostOf(headers.get('location'))
    return { kind: 'refused', status, message: `it wants to be asked elsewhere${where}` }
  }
  if (!response.ok) return statusFault(status, headers, await beginning(body), Date.now())
  if (body === null) return { kind: 'protocol', status, message: 'it answered without a body' }
  const type = headers.get('content-type')
  if (type === null || contentType.test(type)) return null
  const [name = ''] = type.split(';')
  return { kind: 'protocol', status, message: `it answered with ${name}, which is no stream` }
}

function hostOf(location: string | null): string {
  if (location === null || !URL.canParse(location)) return ''
  return `, at ${new URL(location).host}`
}

const errorBytesMax = 65_536

async function beginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    bytes += chunk.length
    if (bytes >= errorBytesMax) break
  }
  return text
}

/** The most bytes of one answer, unpacked. */
export const bytesMax = 32_000_000

const lineBytesMax = 4_000_000

function guarded(
  body: ReadableStream<Uint8Array>,
  fail: (fault: Fault) => void,
  line: WireOptions['line'],
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const rewrite = line === undefined ? null : lineRewriter(line)
  let total = 0
  let open = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        const last = value?.lastIndexOf(10) ?? -1
        total += value?.length ?? 0
        open = last === -1 ? open + (value?.length ?? 0) : value!.length - last - 1
        if (total > bytesMax || open > lineBytesMax) {
          throw { kind: 'too-long', message: 'its answer does not end' } satisfies Fault
        }
        const piece = rewrite === null ? value : rewrite(value)
        if (piece !== undefined && piece.length > 0) controller.enqueue(piece)
        if (done) controller.close()
        if (done || piece?.length) return
      }
    } catch (error) {
      fail(isFault(error) ? error : networkFault(error))
      controller.close()
    }
  }
  const cancel = () => reader.cancel().catch(() => {})
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
