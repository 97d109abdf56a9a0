import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openVault } from '../../packages/gates/src/secrets/vault.ts'
import { ledgerPath, openLedger } from '../../packages/gateways/src/chat/delivery-ledger.ts'
import { allow } from '../../packages/gateways/src/chat/pairing.ts'
import { startTelegramServer, type TelegramServer } from '../servers/telegram-server.ts'

const writers = [4711, 4712, 4713, 4714]

interface House {
  dir: string
  server: TelegramServer
  env: Record<string, string | undefined>
}

async function build(): Promise<House> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-crash-'))
  const server = await startTelegramServer(() => [Math.random() * 25, Math.random() * 25])
  const folder = join(dir, 'passepartout')
  mkdirSync(folder, { mode: 0o700 })
  mkdirSync(join(dir, 'notes'))
  writeFileSync(join(dir, 'notes/garden.org'), '* TODO Water the ferns\n')
  const config = `* Bot\n:PROPERTIES:\n:GATEWAY: telegram\n:API: ${server.url}\n:END:\n`
  writeFileSync(join(folder, 'config.org'), config)
  await (await openVault({ dir: folder })).set('telegram-bot', server.token)
  const ledger = openLedger(ledgerPath(folder), { now: () => new Date() })
  for (const number of writers) allow(ledger, 'telegram', String(number))
  ledger.db.close()
  const { PATH, NODE_COMPILE_CACHE = join(dir, 'cache') } = process.env
  const places = { HOME: dir, XDG_STATE_HOME: dir, XDG_CONFIG_HOME: dir }
  return {
    dir,
    server,
    env: { PATH, NODE_COMPILE_CACHE, ...places, MEMEX_DIR: join(dir, 'notes') },
  }
}

interface Counts {
  written: number
  /** What waits to be worked on or sent, as far as is known. */
  open: number
  /** What was found in the book after all deaths: begun, being sent, waiting to be sent. */
  begun: number
  sending: number
  waiting: number
}

const program = join(import.meta.dirname, '../../packages/daemon/src/lifecycle/daemon.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const backlogMax = 30

function write(house: House, counts: Counts): void {
  if (counts.open >= backlogMax) return
  counts.open++
  const number = ++counts.written
  house.server.write(writers[number % writers.length]!, `find item${number}x`)
}

async function live(house: House, counts: Counts, isShort: boolean): Promise<void> {
  counts.open = openRows(house)
  for (let index = 0; index < 3; index++) write(house, counts)
  const { requests } = house.server
  const before = requests.length
  const isAsking = () => requests.slice(before).some(({ method }) => method === 'getUpdates')
  const child = spawn(process.execPath, [...flags, program], { env: house.env, stdio: 'ignore' })
  const gone = once(child, 'close')
  if (isShort) await wait(Math.random() * 700)
  else {
    await Promise.race([house.server.until(isAsking), gone])
    const lifetime = Math.random() * 800
    const writing = Array.from({ length: 4 }, async () => {
      await wait(Math.random() * lifetime)
      write(house, counts)
    })
    await Promise.all([wait(lifetime), ...writing])
  }
  child.kill('SIGKILL')
  await gone
}

function look({ dir }: House, counts: Counts): void {
  const { db } = openLedger(ledgerPath(join(dir, 'passepartout')), { now: () => new Date() })
  const count = (table: string, state: string) =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${table} WHERE state = ?`).get(state)?.n)
  counts.begun += count('incoming', 'begun')
  counts.sending += count('outgoing', 'sending')
  counts.waiting += count('outgoing', 'waiting')
  db.close()
}

/** How much the book still has to do. */
function openRows({ dir }: House): number {
  const { db } = openLedger(ledgerPath(join(dir, 'passepartout')), { now: () => new Date() })
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM incoming WHERE state <> 'done') +
        (SELECT count(*) FROM outgoing WHERE state IN ('waiting', 'sending')) AS n`,
    )
    .get()
  db.close()
  return Number(row?.n)
}

const patienceMs = 60_000

async function finish(house: House): Promise<number> {
  const child = spawn(process.execPath, [...flags, program], {
    env: house.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), gone])
  const left = () => house.server.waiting() + openRows(house)
  let [seen, since] = [left(), performance.now()]
  while (seen > 0 && performance.now() - since < patienceMs) {
    await wait(100)
    const now = left()
    if (now !== seen) since = performance.now()
    seen = now
  }
  child.kill('SIGTERM')
  await gone
  return openRows(house)
}

const again = '(Sent again after an interruption; you may have this already.)\n'
const interrupted = /^I was stopped while I worked on “find item\d+x”/

interface Outcome {
  faults: string[]
  answered: number
  interrupted: number
  marked: number
  /** Marked, and nothing before it had arrived. */
  needless: number
}

function judge({ server }: House, { written }: Counts, left: number): Outcome {
  const faults = left === 0 ? [] : [`the book has ${left} things to do`]
  const outcome: Outcome = { faults, answered: 0, interrupted: 0, marked: 0, needless: 0 }
  const said = new Map<string, { plain: number; marked: number }>()
  for (const { text } of server.messages) {
    const isMarked = text.startsWith(again)
    const words = isMarked ? text.slice(again.length) : text
    const number = /item(\d+)x/.exec(words)?.[1]
    const key = `${interrupted.test(words) ? 'interrupted' : 'answered'} ${number}`
    const count = said.get(key) ?? { plain: 0, marked: 0 }
    said.set(key, count)
    count[isMarked ? 'marked' : 'plain']++
  }
  for (const [key, { marked, plain }] of said) {
    if (plain > 1) faults.push(`${key}: said ${plain} times without a word about it`)
    if (marked > 0 && plain === 0) outcome.needless++
    outcome.marked += marked
  }
  for (let number = 1; number <= written; number++) {
    const [answer, word] = ['answered', 'interrupted'].map((kind) => said.has(`${kind} ${number}`))
    if (answer) outcome.answered++
    if (word) outcome.interrupted++
    if (!answer && !word) faults.push(`${number} was lost`)
  }
  return outcome
}

/** Kills a daemon so many times; what was found, with no faults in the best case. */
export async function crash(
  rounds: number,
  progress: (round: number) => void = () => {},
): Promise<Outcome & Counts> {
  const house = await build()
  const counts: Counts = { written: 0, open: 0, begun: 0, sending: 0, waiting: 0 }
  try {
    for (let round = 0; round < rounds; round++) {
      await live(house, counts, round % 4 === 3)
      look(house, counts)
      progress(round)
    }
    return { ...counts, ...judge(house, counts, await finish(house)) }
  } finally {
    await house.server.close()
    rmSync(house.dir, { recursive: true })
  }
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? '200')
  const found = await crash(rounds, (round) => {
    if (round % 25 === 24) console.log(`${round + 1} kills`)
  })
  const { begun, faults, sending, waiting, written } = found
  console.log(`${rounds} kills, ${written} messages written, ${faults.length} faults`)
  console.log(`under way when killed: ${begun} begun, ${sending} being sent, ${waiting} waiting`)
  const { answered, marked, needless } = found
  console.log(`${answered} answered, ${found.interrupted} told that they were interrupted`)
  console.log(`${marked} marked as sent again, ${needless} of them the first to arrive`)
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
