import { type AddressInfo, createServer, type Socket } from 'node:net'

type Json = Record<string, unknown>

/** What was sent. */
interface SignalMessage {
  timestamp: number
  to: string
  text: string
  styles: string[]
}

/** How somebody writes. */
interface SignalWriting {
  name?: string
  quotes?: number
  group?: string
  isEdited?: boolean
  file?: { name: string; type: string; bytes: Uint8Array }
  timestamp?: number
}

interface State {
  account: string
  messages: SignalMessage[]
  requests: Json[]
  faults: { method: string; fault: string }[]
  files: Map<string, Uint8Array>
  sockets: Set<Socket>
  /** What came while nobody was connected; it is fetched with the next connection. */
  kept: string[]
  now: number
  watchers: Set<() => void>
}

const errors: Record<string, { code: number; message: string }> = {
  'is asked too often': { code: -5, message: 'Failed to send message due to rate limiting' },
  'has no network': { code: -3, message: 'Failed to send message: connection closed' },
  'does not know the person': { code: -1, message: 'Unregistered user' },
  'does not trust the keys': { code: -4, message: 'Untrusted Identity' },
}

const silences: Record<string, (socket: Socket, answer: string) => void> = {
  'cuts the answer off': (socket) => socket.destroy(),
  'sends half an answer': (socket, answer) =>
    void socket.write(answer.slice(0, answer.length / 2), () => socket.destroy()),
}

function send(state: State, params: Json): Json {
  const { groupId, message, recipient, textStyle } = params
  const to = groupId === undefined ? (recipient as string[])[0]! : `group.${groupId as string}`
  const text = (message as string | undefined) ?? ''
  if (text === '') throw new Error('No message given')
  const styles = (textStyle ?? []) as string[]
  for (const style of styles) {
    const [, begin, length] = /^(\d+):(\d+):[A-Z]+$/.exec(style) ?? []
    if (begin === undefined || Number(begin) + Number(length) > text.length)
      throw new Error('Invalid textStyle')
  }
  const timestamp = ++state.now
  state.messages.push({ timestamp, to, text, styles })
  return { timestamp, results: [{ recipientAddress: { number: to }, type: 'SUCCESS' }] }
}

const methods: Record<string, (state: State, params: Json) => Json> = {
  send,
  version: () => ({ version: '0.13.99' }),
  getAttachment({ files }, { id }) {
    const bytes = files.get(String(id))
    if (bytes === undefined) throw new Error('Could not find attachment with ID')
    return { data: Buffer.from(bytes).toString('base64') }
  },
}

function answer(state: State, socket: Socket, line: string): void {
  const { id, method = '', params = {} } = JSON.parse(line) as Json & { method?: string }
  state.requests.push({ method, params })
  const at = state.faults.findIndex((each) => each.method === method)
  const fault = at < 0 ? '' : state.faults.splice(at, 1)[0]!.fault
  const reply = (body: Json) => `${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`
  if (fault === 'cuts the request off') socket.destroy()
  else if (fault === 'reports a failed recipient') {
    const results = [{ recipientAddress: {}, type: 'UNREGISTERED_FAILURE' }]
    socket.write(reply({ result: { timestamp: ++state.now, results } }))
  } else if (errors[fault] !== undefined) socket.write(reply({ error: errors[fault] }))
  else {
    let said: string
    try {
      const run = methods[method]
      if (run === undefined) throw new Error('Method not implemented')
      said = reply({ result: run(state, params as Json) })
    } catch (error) {
      said = reply({ error: { code: -1, message: (error as Error).message } })
    }
    const silence = silences[fault]
    if (silence === undefined) socket.write(said)
    else silence(socket, said)
  }
  for (const watcher of state.watchers) watcher()
}

function notify(state: State, envelope: Json): void {
  const params = { envelope, account: state.account }
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'receive', params })}\n`
  const [socket] = state.sockets
  if (socket === undefined) state.kept.push(line)
  else socket.write(line)
}

function written(state: State, from: string, text: string, more: SignalWriting): number {
  const { file, group, isEdited, name = 'Ann', quotes, timestamp = ++state.now } = more
  const id = `A${state.files.size}.bin`
  if (file !== undefined) state.files.set(id, file.bytes)
  const data = {
    timestamp,
    message: text === '' ? null : text,
    expiresInSeconds: 0,
    ...(quotes && { quote: { id: quotes, author: state.account, text: '' } }),
    ...(group && { groupInfo: { groupId: group, type: 'DELIVER' } }),
    ...(file && {
      attachments: [{ contentType: file.type, filename: file.name, id, size: file.bytes.length }],
    }),
  }
  const who = { source: from, sourceNumber: from, sourceUuid: `uuid-${from}`, sourceName: name }
  const rest = isEdited
    ? { editMessage: { targetSentTimestamp: 1, dataMessage: data } }
    : { dataMessage: data }
  notify(state, { ...who, sourceDevice: 1, timestamp, ...rest })
  return timestamp
}

/** A signal-cli on loopback. */
interface SignalServer {
  /** For the configuration: `host:port`, or a path. */
  address: string
  account: string
  messages: SignalMessage[]
  requests: Json[]
  /** How many are connected. */
  connected(): number
  /** Somebody writes; the time of the message. */
  write(from: string, text: string, more?: SignalWriting): number
  fail(method: string, fault: string, times?: number): void
  /** Sends a line as it is. */
  say(line: string): void
  /** Ends all connections. */
  hangUp(): void
  until(holds: () => boolean): Promise<void>
  close(): Promise<void>
}

/** Starts one, on a port or on this path. */
export async function startSignalServer(path?: string): Promise<SignalServer> {
  const state: State = {
    account: '+4930000000',
    messages: [],
    requests: [],
    faults: [],
    files: new Map(),
    sockets: new Set(),
    kept: [],
    now: 1_795_000_000_000,
    watchers: new Set(),
  }
  const server = createServer((socket) => {
    state.sockets.add(socket.on('error', () => {}))
    let rest = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) answer(state, socket, line)
    })
    socket.on('close', () => state.sockets.delete(socket))
    for (const line of state.kept.splice(0)) socket.write(line)
    for (const watcher of state.watchers) watcher()
  })
  const place = path === undefined ? { port: 0, host: '127.0.0.1' } : { path }
  await new Promise<void>((resolve) => server.listen(place, resolve))
  const address = path ?? `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { ...seen(state), address, close: () => closed(server, state) }
}

async function closed(server: ReturnType<typeof createServer>, { sockets }: State): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
}

function seen(state: State): Omit<SignalServer, 'address' | 'close'> {
  return {
    account: state.account,
    messages: state.messages,
    requests: state.requests,
    connected: () => state.sockets.size,
    write: (from, text, more = {}) => written(state, from, text, more),
    fail(method, fault, times = 1) {
      for (let index = 0; index < times; index++) state.faults.push({ method, fault })
    },
    say(line) {
      for (const socket of state.sockets) socket.write(`${line}\n`)
    },
    hangUp() {
      for (const socket of state.sockets) socket.destroy()
    },
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
