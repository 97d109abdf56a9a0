import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@passepartout/core'
import { type Client, connect } from '@passepartout/core/protocol'
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'

const token = 'a'.repeat(64)
const text =
  'The quick brown fox jumps over the lazy dog and then does it again, a hundred letters in all, so.'

interface State {
  /** Resident, in bytes. */
  resident: number
  /** In use on the heap and in buffers, in bytes. */
  used: number
  /** Processor time since its start, in microseconds. */
  busy: number
}

async function serve(kind: string, path: string): Promise<void> {
  let port = 0
  if (kind === 'ours') {
    const options = { host: '127.0.0.1', port: 0, socketPath: path, token, version: '1' }
    ;({ port } = await startServer({ ...options, onSignal: () => {} }))
  } else {
    const server = createServer((socket) => {
      const connection = rpcOver(socket)
      connection.onRequest('ping', (params: unknown) => params)
      connection.listen()
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
  }
  process.on('message', () => {
    globalThis.gc?.()
    const { rss: resident, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    process.send?.({ resident, used: heapUsed + external, busy: user + system })
  })
  process.send?.({ port })
}

function rpcOver(socket: Socket) {
  socket.setNoDelay(true)
  return createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket))
}

async function started(kind: string, path: string): Promise<{ child: ChildProcess; port: number }> {
  const execArgv = [...process.execArgv, '--expose-gc']
  const child = fork(import.meta.filename, ['--serve', kind, path], { execArgv })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

async function stateOf(child: ChildProcess): Promise<State> {
  child.send('state')
  const [state] = (await once(child, 'message')) as [State]
  return state
}

/** Sends a ping; resolves when its answer is there. */
interface Echo {
  ping(): Promise<unknown>
  close(): void
}

function echoOf(client: Client): Echo {
  const waiting: (() => void)[] = []
  let sent = 0
  let heard = 0
  void (async () => {
    for await (const { payload } of client) {
      if (payload.number !== heard++) throw new Error(`Expected the pong ${heard - 1}`)
      waiting[payload.number % window]!()
    }
  })()
  const meta = { source: 'bench' }
  return {
    ping() {
      const number = sent++
      client.send({ type: 'request', meta, payload: { action: 'ping', number, text }, depth: 0 })
      return new Promise<void>((resolve) => {
        waiting[number % window] = resolve
      })
    },
    close: () => client.close(),
  }
}

async function rpcEcho(path: string): Promise<Echo> {
  const socket = connectSocket(path)
  await once(socket, 'connect')
  const connection = rpcOver(socket)
  connection.listen()
  let number = 0
  return {
    ping: () => connection.sendRequest('ping', { number: number++, text }),
    close: () => socket.destroy(),
  }
}

async function redisEcho(path: string): Promise<Echo> {
  const socket = connectSocket(path)
  await once(socket, 'connect')
  const question = `*2\r\n$4\r\nPING\r\n$${text.length}\r\n${text}\r\n`
  const answerLength = `$${text.length}\r\n${text}\r\n`.length
  const waiting: (() => void)[] = []
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    for (; bytes >= answerLength; bytes -= answerLength) waiting.shift()?.()
  })
  return {
    ping() {
      socket.write(question)
      return new Promise<void>((resolve) => waiting.push(resolve))
    },
    close: () => socket.destroy(),
  }
}

const window = 500

async function roundTrips(echo: Echo, count: number): Promise<{ median: number; slow: number }> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const begun = performance.now()
    await echo.ping()
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  return { median: times[count >> 1]!, slow: times[Math.floor(count * 0.99)]! }
}

/** Sends so many with `window` of them under way; resolves to how many a second that was. */
async function rate(echo: Echo, count: number): Promise<number> {
  const begun = performance.now()
  let left = count
  const lane = async () => {
    while (left-- > 0) await echo.ping()
  }
  await Promise.all(Array.from({ length: window }, lane))
  return (count / (performance.now() - begun)) * 1_000
}

async function silentClients(port: number, count: number): Promise<Client[]> {
  const clients: Client[] = []
  while (clients.length < count) {
    const some = Math.min(30, count - clients.length)
    const options = { host: '127.0.0.1', port, token, source: 'silent' }
    clients.push(...(await Promise.all(Array.from({ length: some }, () => connect(options)))))
  }
  return clients
}

async function soak(echo: Echo, child: ChildProcess, count: number): Promise<number> {
  const used: number[] = []
  for (let part = 0; part < 10; part++) {
    await rate(echo, count / 10)
    used.push((await stateOf(child)).used)
    process.stderr.write(
      `  ${(((part + 1) * count) / 10).toFixed(0)}: ${megabytes(used[part]!)} MB\n`,
    )
  }
  return used.at(-1)! - used[1]!
}

interface Row {
  what: string
  value: number
  unit: string
  holds?: boolean
  goal?: string
}

function most(what: string, value: number, unit: string, goal: number): Row {
  return { what, value, unit, holds: value <= goal, goal: `≤ ${goal} ${unit}` }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ what, value, unit, holds, goal = '' }) => {
    const figure = value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2)
    return [what, `${figure} ${unit}`, holds === undefined ? '' : holds ? 'holds' : 'missed', goal]
  })
  const all = [['', 'measured', '', 'goal'], ...cells]
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((line) => line[at]!.length)))
  const lines = all.map(
    (line) => `| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`,
  )
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

const rateCount = 100_000

async function compared(
  name: string,
  echo: Echo,
  goals: boolean,
  server?: ChildProcess,
): Promise<Row[]> {
  await rate(echo, 20_000)
  const { median, slow } = await roundTrips(echo, 10_000)
  const before = server && (await stateOf(server))
  const perSecond = await rate(echo, rateCount)
  const after = server && (await stateOf(server))
  const goal = { holds: perSecond >= 20_000, goal: '≥ 20,000 /s' }
  const told: Row[] = [
    { what: `${name}: round trip, median`, value: median * 1_000, unit: 'µs' },
    goals
      ? most(`${name}: round trip, 99th percentile`, slow, 'ms', 1)
      : { what: `${name}: round trip, 99th percentile`, value: slow, unit: 'ms' },
    { what: `${name}: over one connection`, value: perSecond, unit: '/s', ...(goals ? goal : {}) },
  ]
  if (before && after) {
    const value = (after.busy - before.busy) / rateCount
    told.push({ what: `${name}: processor time of the server for one`, value, unit: 'µs' })
  }
  process.stderr.write(`${name}: ${slow.toFixed(3)} ms, ${perSecond.toFixed(0)} /s\n`)
  return told
}

async function measureOurs(dir: string, count: number): Promise<Row[]> {
  const path = join(dir, 'ours.sock')
  const { child, port } = await started('ours', path)
  const at = { host: '127.0.0.1', port, token, source: 'bench' }
  const rows: Row[] = []
  const before = await stateOf(child)
  const clients = await silentClients(port, 1_000)
  const after = await stateOf(child)
  const more = (after.resident - before.resident) / 1e6
  rows.push(most('1,000 silent clients', more, 'MB', 100))
  for (const client of clients) client.close()
  const byPort = echoOf(await connect(at))
  rows.push(...(await compared('port', byPort, true, child)))
  byPort.close()
  const bySocket = echoOf(await connect({ ...at, socketPath: path }))
  rows.push(...(await compared('Unix socket', bySocket, true, child)))
  const sealed = echoOf(await connect({ ...at, sealed: true }))
  rows.push(...(await compared('port, every message sealed', sealed, false, child)))
  sealed.close()
  const grown = (await soak(bySocket, child, count)) / 1e6
  rows.push(
    most(`${count.toLocaleString('en')} messages, memory grown`, Math.max(0, grown), 'MB', 2),
  )
  child.kill()
  return rows
}

async function measurePeers(dir: string): Promise<Row[]> {
  const path = join(dir, 'rpc.sock')
  const { child } = await started('rpc', path)
  const rows = await compared('vscode-jsonrpc, Unix socket', await rpcEcho(path), false, child)
  child.kill()
  if (spawnSync('redis-server', ['--version']).status !== 0) return rows
  const socket = join(dir, 'redis.sock')
  const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', dir]
  const redis = spawn('redis-server', options, { stdio: 'ignore' })
  while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 20))
  rows.push(...(await compared('redis-server, Unix socket', await redisEcho(socket), false)))
  redis.kill()
  return rows
}

if (process.argv[2] === '--serve') await serve(process.argv[3]!, process.argv[4]!)
else {
  const dir = mkdtempSync(join(tmpdir(), 'wire-'))
  try {
    const rows = await measureOurs(dir, Number(process.argv[2] ?? 1_000_000))
    console.log(`\n${table([...rows, ...(await measurePeers(dir))])}`)
    process.exitCode = rows.some(({ holds }) => holds === false) ? 1 : 0
  } finally {
    rmSync(dir, { recursive: true })
  }
  process.exit()
}
