import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Server, type Signal, startServer } from '@passepartout/core'
import { type Client, connect, encodeFrame, proofOf } from '@passepartout/core/protocol'
import fc from 'fast-check'

const token = 'a'.repeat(64)

const atoms = ['(', ')', '"', '\\', ':TYPE', ':EVENT', ':PAYLOAD', 'NIL', '#.', '|', "'", ' ', '7']

const wrongMessage = fc.oneof(
  fc.array(fc.constantFrom(...atoms), { maxLength: 30 }).map((parts) => parts.join(' ')),
  fc.string({ unit: 'binary', maxLength: 50 }).map((text) => text.toWellFormed()),
  fc.nat(200).map((depth) => '('.repeat(depth) + ')'.repeat(depth)),
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '(:TYPE :EVENT :PAYLOAD 7)',
    '(:TYPE :RUMOUR :PAYLOAD (:SENSOR :USER-INPUT))',
    '(:TYPE :REQUEST :PAYLOAD (:ACTION :AUTHENTICATE :PROOF "again"))',
    '(:TYPE :EVENT :META (:SESSION-ID "honest") :PAYLOAD (:SENSOR :USER-INPUT :TEXT "mine"))',
    '(:TYPE :EVENT :META (:SOURCE :HONEST) :PAYLOAD (:SENSOR :INTERRUPT))',
    '(:TYPE :REQUEST :PAYLOAD (:ACTION :PING))',
    `(:TYPE :EVENT :PAYLOAD (:TEXT "${'x'.repeat(5_000)}"))`,
    '',
  ),
)

const brokenFrame = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    ...[
      'GET / HTTP/1.1\r\n\r\n',
      'DELETE /',
      'FFFFFF',
      '00002c()',
      '-00001x',
      '100001',
      '00000',
    ].map((text) => Buffer.from(text)),
    Buffer.from('000001\xff', 'latin1'),
    Buffer.from('000001\xed\xa0\x80', 'latin1'),
    Buffer.from('000009(:TYPE', 'latin1'),
  ),
)

/** What a stranger says first: never the proof. */
const wrongProof = fc.oneof(
  brokenFrame,
  wrongMessage.map((text) => encodeFrame(text)),
  fc
    .record({ proof: fc.string({ maxLength: 64 }), nonce: fc.string({ maxLength: 40 }) })
    .map(({ proof, nonce }) =>
      encodeFrame(
        `(:TYPE :REQUEST :PAYLOAD (:ACTION :AUTHENTICATE :PROOF ${JSON.stringify(proof)} :NONCE ${JSON.stringify(nonce)} :SEALED T))`,
      ),
    ),
)

interface Visit {
  isClient: boolean
  first: Buffer
  messages: Buffer[]
  last: Buffer | null
  piece: number
  reads: boolean
}

interface Stock {
  messages: Buffer[]
  broken: Buffer[]
  proofs: Buffer[]
}

function stockOf(seed: number): Stock {
  const drawn = (arbitrary: fc.Arbitrary<Buffer>, numRuns: number) =>
    fc.sample(arbitrary, { seed, numRuns })
  const framed = wrongMessage.map((text) => encodeFrame(text))
  return {
    messages: drawn(framed, 10_007),
    broken: drawn(brokenFrame, 503),
    proofs: drawn(wrongProof, 1_009),
  }
}

function visitOf({ messages, broken, proofs }: Stock, number: number): Visit {
  const from = (number * 7_919) % messages.length
  return {
    isClient: number % 10 !== 0,
    first: proofs[number % proofs.length]!,
    messages: messages.slice(from, from + (number % 500)),
    last: number % 3 === 0 ? broken[number % broken.length]! : null,
    piece: [1, 7, 100, 65_536][number % 4]!,
    reads: number % 21 !== 0,
  }
}

async function pour(socket: Socket, bytes: Buffer, piece: number): Promise<void> {
  const slowly = piece < 65_536 ? Math.min(bytes.length, 200) : 0
  for (let at = 0; at < slowly && socket.writable; at += piece) {
    socket.write(bytes.subarray(at, Math.min(at + piece, slowly)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (socket.writable) socket.end(bytes.subarray(slowly))
}

/** Makes one visit; resolves when the connection is over, to the number of frames that were sent. */
async function pay(
  port: number,
  { isClient, first, messages, last, piece, reads }: Visit,
): Promise<number> {
  const socket = connectSocket(port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  const [hello] = (await Promise.race([once(socket, 'data'), closed])) ?? []
  const nonce = /:NONCE "([0-9a-f]+)"/.exec(String(hello))?.[1] ?? ''
  const proof = `(:TYPE :REQUEST :META (:SOURCE :NOISE) :PAYLOAD (:ACTION :AUTHENTICATE :PROOF "${proofOf(token, nonce)}"))`
  const frames = isClient ? [encodeFrame(proof), ...messages] : [first]
  if (last !== null) frames.push(last)
  if (reads) socket.resume()
  await pour(socket, Buffer.concat(frames), piece)
  if (!reads) socket.destroySoon()
  await closed
  return frames.length
}

async function talk(client: Client, isOver: () => boolean): Promise<number> {
  const ping = (number: number): void =>
    client.send({
      type: 'request',
      meta: { source: 'honest' },
      payload: { action: 'ping', number },
      depth: 0,
    })
  let number = 0
  ping(number)
  for await (const { payload } of client) {
    if (payload.action !== 'pong' || payload.number !== number) {
      throw new Error(`Expected the pong ${number}, got ${JSON.stringify(payload)}`)
    }
    if (isOver()) return number
    ping(++number)
  }
  throw new Error('The honest client was thrown out')
}

/** What is left of a fuzz: frames sent, pings answered meanwhile, and what was wrong, if anything. */
interface WireFuzz {
  frames: number
  pings: number
  faults: string[]
  /** How much the heap has grown between the first tenth and the end, in bytes. */
  grown: number
}

/** Sends at least `count` frames of nonsense to a server of its own. */
export async function fuzzWire(count: number, seed: number): Promise<WireFuzz> {
  const faults: string[] = []
  let honest = ''
  const hear = ({ meta }: Signal): void => {
    if (!server.has(meta.sessionId ?? '')) faults.push(`heard ${meta.sessionId}, who is not there`)
    if (meta.sessionId === honest) faults.push('somebody spoke for the honest client')
  }
  const options = { host: '127.0.0.1', port: 0, token, version: '1', onSignal: hear }
  const server: Server = await startServer(options)
  const client = await connect({ host: '127.0.0.1', port: server.port, token, source: 'honest' })
  honest = client.sessionId
  let frames = 0
  let before = 0
  const stock = stockOf(seed)
  const talking = talk(client, () => frames >= count)
  const noise = async (part: number): Promise<void> => {
    for (let number = part; frames < count; number += 16) {
      frames += await pay(server.port, visitOf(stock, number))
      if (before === 0 && frames > count / 10) before = heapAfterCollection()
    }
  }
  await Promise.all(Array.from({ length: 16 }, (_, part) => noise(part)))
  const pings = await talking
  const left = await stillThere(() => server.of('noise').length)
  if (left > 0) faults.push(`${left} sessions were left`)
  const grown = heapAfterCollection() - before
  client.close()
  await server.close()
  return { frames, pings, faults, grown }
}

const patienceMs = 60_000

async function stillThere(count: () => number): Promise<number> {
  const until = performance.now() + patienceMs
  while (count() > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return count()
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const grownMaxBytes = 16_000_000

if (import.meta.main) {
  const [count = '100000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2)
  const { frames, pings, faults, grown } = await fuzzWire(Number(count), Number(seed))
  for (const fault of new Set(faults)) console.log(fault)
  const megabytes = (grown / 1e6).toFixed(1)
  console.log(
    `${frames} frames of nonsense (seed ${seed}), ${pings} honest pings answered meanwhile, ${faults.length} faults, heap grown by ${megabytes} MB`,
  )
  process.exitCode = faults.length > 0 || grown > grownMaxBytes ? 1 : 0
}
