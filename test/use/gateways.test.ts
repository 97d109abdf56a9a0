import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoop, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '../../packages/commands/src/definitions/programs.ts'
import { runProgram } from '../../packages/commands/src/line/program.ts'
import { handClock } from '../../packages/core/test/base/hand-clock.ts'
import { readDaemonConfig, startDaemon } from '../../packages/daemon/src/lifecycle/daemon.ts'
import { openVault } from '../../packages/gates/src/secrets/vault.ts'
import {
  ledgerPath,
  openLedger,
  summary,
} from '../../packages/gateways/src/chat/delivery-ledger.ts'
import type {
  Delivery,
  Gateway,
  GatewaySettings,
  Incoming,
} from '../../packages/gateways/src/chat/gateway.ts'
import { allow, deny, newCode, people } from '../../packages/gateways/src/chat/pairing.ts'
import { createSignal } from '../../packages/gateways/src/chat/signal.ts'
import { createTelegram, whoIs } from '../../packages/gateways/src/chat/telegram.ts'
import { startSignalServer } from '../servers/signal-server.ts'
import { startTelegramServer, type TelegramServer } from '../servers/telegram-server.ts'

function temporary(name: string): string {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

/** Resolves when it holds; for what no server can see. */
function eventually(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => (holds() ? resolve() : setImmediate(look))
    look()
  })
}

interface Bench {
  gateway: Gateway
  /** Somebody writes. */
  write(text: string, more?: object): void
  /** The texts that arrived on the other side. */
  arrived(): string[]
  /** The next message that is sent meets this. */
  fail(fault: string): void
  until(holds: () => boolean): Promise<void>
  /** Everything that was brought is confirmed; null where the network does not ask. */
  isConfirmed: (() => boolean) | null
  /** A chat in which one may write. */
  chat: string
}

const settings: GatewaySettings = {
  name: 'telegram',
  tokenVault: 'telegram-bot',
  api: '',
  webhook: null,
  takesGroups: false,
  listen: { host: '127.0.0.1', port: 0 },
  account: '+4930000000',
  server: '',
}

async function telegramBench(): Promise<Bench> {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const gateway = createTelegram({ ...settings, api: server.url }, server.token, handClock())
  return {
    gateway,
    write: (text, more) => void server.write(7, text, more),
    arrived: () => server.messages.map(({ text }) => text),
    fail: (fault) => server.fail('sendMessage', fault),
    until: (holds) => server.until(holds),
    isConfirmed: () => server.waiting() === 0,
    chat: '7',
  }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function webhookBench(): Promise<Bench> {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const listen = { host: '127.0.0.1', port: await freePort() }
  const more = { api: server.url, webhook: 'https://agent.example.org/hook', listen }
  const gateway = createTelegram({ ...settings, ...more }, server.token, handClock())
  const url = `http://127.0.0.1:${listen.port}/hook`
  const bring = async () => {
    await server.until(() => server.webhook() !== null)
    const status = await server.deliver(url, server.webhook()!.secret)
    if (status !== 200) throw new Error(`It said ${status}`)
  }
  return {
    gateway,
    write(text, more) {
      server.write(7, text, more)
      void bring().catch(() => {})
    },
    arrived: () => server.messages.map(({ text }) => text),
    fail: (fault) => server.fail('sendMessage', fault),
    until: (holds) => server.until(holds),
    isConfirmed: null,
    chat: '7',
  }
}

async function signalBench(path?: string): Promise<Bench> {
  const server = await startSignalServer(path)
  onTestFinished(() => server.close())
  const more = { name: 'signal', server: server.address } as const
  const gateway = createSignal({ ...settings, ...more }, handClock())
  return {
    gateway,
    write: (text, more) => void server.write('+4930901820', text, more),
    arrived: () => server.messages.map(({ text }) => text),
    fail: (fault) => server.fail('send', fault),
    until: (holds) => server.until(holds),
    isConfirmed: null,
    chat: '+4930901820',
  }
}

const telegramEnds = {
  'asks to wait': 'later',
  'was blocked': 'refused',
  'is in trouble': 'unknown',
  'cuts the request off': 'unknown',
  'cuts the answer off': 'unknown',
  'sends half an answer': 'unknown',
  'answers with a web page': 'unknown',
} as const

const signalEnds = {
  'is asked too often': 'later',
  'does not know the person': 'refused',
  'does not trust the keys': 'refused',
  'reports a failed recipient': 'refused',
  'has no network': 'unknown',
  'cuts the request off': 'unknown',
  'cuts the answer off': 'unknown',
  'sends half an answer': 'unknown',
} as const

const benches: readonly [string, () => Promise<Bench>, Record<string, Delivery['kind']>][] = [
  ['Telegram', telegramBench, telegramEnds],
  ['Telegram with a webhook', webhookBench, telegramEnds],
  ['Signal', () => signalBench(), signalEnds],
  ['Signal on a socket', () => signalBench(join(temporary('sock'), 's')), signalEnds],
]

/** Starts a gateway; what it takes is in the list, and `next` waits for so many. */
function started({ gateway }: Bench, refuse = 0) {
  const taken: Incoming[] = []
  const watchers = new Set<() => void>()
  let refusals = refuse
  const listening = new Promise<void>((resolve) => {
    const changed = () => gateway.state().state === 'listening' && resolve()
    gateway.start((incoming) => {
      if (refusals-- > 0) throw new Error('the disk is full')
      taken.push(...incoming)
      for (const watcher of watchers) watcher()
    }, changed)
  })
  onTestFinished(() => gateway.stop())
  const next = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => taken.length >= count && resolve()
      watchers.add(look)
      look()
    })
  return { taken, next, listening }
}

const saying = (chat: string, text: string) => ({
  chat,
  text,
  spans: [],
  buttons: [],
  replaces: null,
})

test.each(benches)('%s brings what is written', async (_, make) => {
  const bench = await make()
  const { listening, next, taken } = started(bench)
  bench.write('hello')
  bench.write('<b>*two*</b>')
  await next(2)
  await listening
  expect(taken.map(({ text }) => text).toSorted()).toEqual(['<b>*two*</b>', 'hello'])
  expect(new Set(taken.map(({ key }) => key)).size).toBe(2)
  for (const { chat, isGroup, sender } of taken)
    expect([chat, sender, isGroup]).toEqual([bench.chat, bench.chat, false])
  expect(bench.gateway.state()).toMatchObject({ problem: null, self: expect.any(String) })
})

test.each(benches)('%s sends, and says so', async (_, make) => {
  const bench = await make()
  const { listening, next } = started(bench)
  bench.write('hello')
  await next(1)
  await listening
  const spans = [{ kind: 'bold' as const, offset: 1, length: 2 }]
  const first = await bench.gateway.send({ ...saying(bench.chat, '_*[x](y)`<&> 👩‍👧'), spans })
  const second = await bench.gateway.send(saying(bench.chat, 'two'))
  expect([first.kind, second.kind]).toEqual(['sent', 'sent'])
  expect(first).not.toEqual(second)
  expect(bench.arrived()).toEqual(['_*[x](y)`<&> 👩‍👧', 'two'])
})

const ends = benches.flatMap(([name, make, faults]) =>
  Object.entries(faults).map(([fault, end]) => [name, fault, end, make] as const),
)

test.each(ends)('%s: a server that %s leaves it %s', async (_, fault, end, make) => {
  const bench = await make()
  const { listening, next } = started(bench)
  bench.write('hello')
  await next(1)
  await listening
  bench.fail(fault)
  const delivery = await bench.gateway.send(saying(bench.chat, 'x'))
  expect(delivery.kind).toBe(end)
  if (bench.arrived().length > 0) expect(delivery.kind).toBe('unknown')
  if (fault === 'asks to wait') expect(delivery).toMatchObject({ retryAfterMs: 3_000 })
})

test('Telegram keeps what we could not', async () => {
  const clock = handClock()
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const gateway = createTelegram({ ...settings, api: server.url }, server.token, clock)
  const bench = { ...(await telegramBench()), gateway }
  server.write(7, 'hello')
  const { next, taken } = started(bench, 1)
  const polls = () => server.requests.filter(({ method }) => method === 'getUpdates')
  await server.until(() => polls().length === 1)
  await eventually(() => clock.pending() > 0)
  expect([taken.length, server.confirmed(), server.waiting()]).toEqual([0, 0, 1])
  clock.pass(1_000)
  await next(1)
  await server.until(() => server.confirmed() === 9_002)
  expect([taken.map(({ text }) => text), server.waiting()]).toEqual([['hello'], 0])
})

test('what only the owner can mend is told', async () => {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const at = { ...settings, api: server.url }
  await expect(whoIs(at, '1:wrong')).rejects.toThrow('the token is not known there')
  expect(await whoIs(at, server.token)).toBe('@passepartout_bot')
  const gateway = createTelegram(at, server.token, handClock())
  server.fail('getUpdates', 'has another reader')
  const problem = await new Promise<string>((resolve) => {
    gateway.start(
      () => {},
      () => gateway.state().problem !== null && resolve(gateway.state().problem!),
    )
  })
  await gateway.stop()
  expect(problem).toContain('another program reads this bot')
})

test('a webhook takes nothing from whoever does not know the secret', async () => {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const listen = { host: '127.0.0.1', port: await freePort() }
  const more = { api: server.url, webhook: 'https://agent.example.org/hook', listen }
  const gateway = createTelegram({ ...settings, ...more }, server.token, handClock())
  const { taken } = started({ ...(await telegramBench()), gateway }, 1)
  await server.until(() => server.webhook() !== null)
  const url = `http://127.0.0.1:${listen.port}/hook`
  server.write(7, 'hello')
  const { secret } = server.webhook()!
  expect(await server.deliver(url, 'wrong', { update_id: 1 })).toBe(404)
  expect((await fetch(url)).status).toBe(404)
  const long = { update_id: 1, filler: 'x'.repeat(2_000_000) }
  expect(await server.deliver(url, secret, long).catch(() => 400)).toBe(400)
  expect(taken).toEqual([])
  server.write(7, 'hello')
  expect(await server.deliver(url, secret)).toBe(500)
  expect(taken).toEqual([])
  expect(await server.deliver(url, secret)).toBe(200)
  expect(taken.map(({ text }) => text)).toEqual(['hello'])
})

const asking = ['cuts the request off', 'asks to wait', 'has another reader', 'is in trouble']
const answering = ['cuts the answer off', 'sends half an answer', 'answers with a web page']

test.each([...asking, ...answering])('a server that %s when asked loses nothing', async (fault) => {
  const clock = handClock()
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const gateway = createTelegram({ ...settings, api: server.url }, server.token, clock)
  server.fail('getUpdates', fault, 2)
  server.write(7, 'hello')
  const { next, taken } = started({ ...(await telegramBench()), gateway })
  for (let index = 0; index < 2; index++) {
    await eventually(() => clock.pending() > 0)
    expect(gateway.state().state).toBe('failing')
    clock.pass(60_000)
  }
  await next(1)
  await server.until(() => server.confirmed() === 9_002)
  expect(taken.map(({ text }) => text)).toEqual(['hello'])
  expect(gateway.state()).toMatchObject({ state: 'listening', problem: null })
})

test('Signal is connected again', async () => {
  const clock = handClock()
  const server = await startSignalServer()
  onTestFinished(() => server.close())
  const more = { name: 'signal', server: server.address } as const
  const gateway = createSignal({ ...settings, ...more }, clock)
  const { listening, next, taken } = started({ ...(await signalBench()), gateway })
  await listening
  await server.until(() => server.connected() === 1)
  server.say('{"jsonrpc":"2.0"')
  server.say('null')
  server.say('{"method":"receive","params":{"envelope":{"dataMessage":7}}}')
  server.hangUp()
  await eventually(() => clock.pending() > 0)
  expect(gateway.state().problem).toContain('signal-cli does not answer')
  server.write('+4930901820', 'hello')
  clock.pass(60_000)
  await next(1)
  expect(taken.map(({ text }) => text)).toEqual(['hello'])
})

const ann = 4711

async function house(server: TelegramServer, more = '', isPaired = true) {
  const home = temporary('home')
  const memex = join(home, 'notes')
  mkdirSync(join(home, 'passepartout'), { recursive: true, mode: 0o700 })
  mkdirSync(memex)
  writeFileSync(join(memex, 'garden.org'), '* TODO Water the ferns\n')
  const bot = `* Bot\n:PROPERTIES:\n:GATEWAY: telegram\n:API: ${server.url}\n${more}:END:\n`
  const phone = `* Phone\n:PROPERTIES:\n:APPROVER: telegram:${ann}\n:END:\n`
  writeFileSync(join(home, 'passepartout/config.org'), bot + phone)
  const env = { HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, MEMEX_DIR: memex }
  const stateDir = join(home, 'passepartout')
  const vault = await openVault({ dir: stateDir })
  await vault.set('telegram-bot', server.token)
  const ledger = openLedger(ledgerPath(stateDir), { now: () => new Date() })
  if (isPaired) allow(ledger, 'telegram', String(ann), 'Ann')
  const start = async () => {
    const config = readDaemonConfig(env, (name) => vault.get(name))
    const read = () => readDaemonConfig(env, (name) => vault.get(name))
    return startDaemon(config, '0.0.0', { vault, read, say: () => {} })
  }
  const daemon = await start()
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await daemon.stop()
    isStopped = true
  }
  onTestFinished(async () => {
    await stop()
    ledger.db.close()
  })
  return { daemon, home, ledger, memex, start, stateDir, stop }
}

async function telegram() {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const said = (part: string) => server.messages.find(({ text }) => text.includes(part))
  const says = async (part: string) => {
    await server.until(() => said(part) !== undefined)
    return said(part)!
  }
  return { server, says, said }
}

test('who was let in is answered, and a stranger costs nothing', async () => {
  const { says, server } = await telegram()
  const { daemon, ledger } = await house(server)
  const turns: string[] = []
  daemon.runtime.trace.listen(({ record }) => record.kind === 'input' && turns.push('turn'))
  for (const text of ['find ferns', '/start', 'AAAA-AAAA', 'approve abcdef', 'stop'])
    server.write(666, text, { name: 'Eve' })
  server.write(666, '', { file: { name: 'x.org', type: 'text/org', bytes: Buffer.from('* x') } })
  server.write(ann, 'find ferns')
  await says('Water the ferns')
  expect(server.messages.map(({ chat }) => chat)).toEqual([ann])
  expect(server.requests.filter(({ method }) => method === 'getFile')).toEqual([])
  expect(turns).toHaveLength(2)
  const rows = ledger.db.prepare('SELECT body FROM incoming').all()
  expect(rows).toHaveLength(1)
})

test('a message out of all bounds breaks nothing', async () => {
  const { says, server } = await telegram()
  const { daemon, ledger } = await house(server)
  server.write(ann, 'x'.repeat(200_000))
  server.write(ann, 'find ferns')
  await says('Water the ferns')
  expect(ledger.db.prepare('SELECT count(*) AS n FROM incoming').get()?.n).toBe(1)
  expect(daemon.runtime.recentLog.join()).not.toContain('cannot be')
})

test('a code lets one in', async () => {
  const { says, server } = await telegram()
  const { ledger } = await house(server, '', false)
  const code = newCode(ledger, 'telegram')
  server.write(8, `/start ${code}`, { name: 'Bob' })
  expect((await says('You are paired')).chat).toBe(8)
  server.write(9, code)
  server.write(8, 'find ferns')
  await says('Water the ferns')
  expect(people(ledger).map(({ number }) => number)).toEqual(['8'])
  expect(server.messages.every(({ chat }) => chat === 8)).toBe(true)
})

test('a press approves one plan, once', async () => {
  const { said, says, server } = await telegram()
  const { ledger, memex } = await house(server)
  allow(ledger, 'telegram', '8', 'Bob')
  server.write(ann, 'run touch made-by-hand')
  const question = await says('needs your approval')
  expect(question.buttons.map(({ text }) => text)).toEqual(['Approve', 'Deny'])
  const data = question.buttons[0]!.callback_data
  const presses = [
    server.press(8, question, 'Approve'),
    server.press(ann, { ...question, id: 1 }, 'Approve'),
    server.press(ann, { ...question, chat: 8 }, 'Approve'),
    server.press(ann, { ...question, buttons: [] }, `y:${'A'.repeat(22)}`),
  ]
  await server.until(() => server.answers.length === presses.length)
  expect(said('made-by-hand')).toBe(question)
  const press = server.press(ann, question, 'Approve')
  await server.until(() => question.texts.length === 2)
  expect(question).toMatchObject({
    text: expect.stringContaining('You approved this.'),
    buttons: [],
  })
  server.press(ann, { ...question, buttons: [{ text: 'Approve', callback_data: data }] }, 'Approve')
  await server.until(() => server.answers.length === presses.length + 2)
  const words = Object.fromEntries(server.answers.map(({ id, text }) => [id, text]))
  expect(presses.map((id) => words[id])).toEqual([
    'You may not answer questions here.',
    ...Array(2).fill('This button is not where I put it.'),
    'This button is not one of mine.',
  ])
  expect(words[press]).toBe('Approved.')
  expect(server.answers.at(-1)!.text).toBe('This question is not open any more.')
  const plans = () => readFileSync(join(memex, 'flight-plans.org'), 'utf8')
  expect(plans().match(/^\* [A-Z]+/gm)).toHaveLength(1)
})

test('a reply approves, and a forwarded one does not', async () => {
  const { says, server } = await telegram()
  const { daemon, ledger } = await house(server)
  allow(ledger, 'telegram', '8', 'Bob')
  server.write(ann, 'run touch x')
  const question = await says('needs your approval')
  const [{ token } = { token: '' }] = daemon.runtime.approvals.open()
  server.write(ann, `approve ${token}`, { isForwarded: true })
  server.write(ann, `approve ${token}`, { isEdited: true })
  server.write(ann, 'yes', { replyTo: question.id, isForwarded: true })
  await says('This was forwarded or changed')
  server.write(8, `approve ${token}`)
  await says('Questions are answered in a client of the owner')
  expect(daemon.runtime.approvals.open()).toHaveLength(1)
  server.write(ann, 'no', { replyTo: question.id })
  await says('Denied. Nothing was done.')
  expect(daemon.runtime.approvals.open()).toHaveLength(0)
})

test.each([
  ['', 0],
  [':GROUPS: yes\n', 1],
])('with %j a group is answered %i times', async (more, count) => {
  const { says, server } = await telegram()
  await house(server, more)
  server.write(ann, 'find ferns', { chat: -100 })
  server.write(666, 'find ferns', { chat: -100 })
  server.write(ann, 'find garden')
  await server.until(() => server.messages.some(({ chat }) => chat === ann))
  if (count > 0) await says('Water the ferns')
  await server.until(() => server.messages.filter(({ chat }) => chat < 0).length === count)
  expect(server.messages.filter(({ chat }) => chat < 0)).toHaveLength(count)
})

test('a file is kept in the inbox', async () => {
  const { says, server } = await telegram()
  const { daemon, memex } = await house(server)
  const file = { name: 'plans.org', type: 'text/org', bytes: Buffer.from('* TODO Forged\n') }
  server.write(ann, '* a letter', { file })
  await says('Kept “plans.org.txt”')
  const inbox = readFileSync(join(memex, 'inbox.org'), 'utf8')
  expect(inbox).toMatch(/^\* plans\.org\.txt :ATTACH:\n:PROPERTIES:\n:ID: /)
  expect(inbox).toContain(`:FROM: telegram:${ann}\n`)
  expect(inbox).toContain(': \u200b* a letter\n')
  expect(readdirSync(join(memex, 'data'))).toHaveLength(1)
  const { store } = daemon.runtime
  const [note] = store.query({ type: 'headline' }).filter(({ file }) => file === 'inbox.org')
  expect(note!.authorship).toMatchObject({ by: 'agent', outside: true })
  expect(store.query({ type: 'headline' }).map(({ title }) => title)).not.toContain('Forged')
})

test('a rule can be for one network', async () => {
  const { says, server } = await telegram()
  const { daemon, home, memex } = await house(server)
  const rule = ':PROPERTIES:\n:PERMISSION: deny\n:TOOL: capture-task\n:SOURCE: telegram\n:END:\n'
  writeFileSync(join(home, 'passepartout/permissions.org'), `* No tasks\n${rule}`)
  server.write(ann, 'capture call the dentist')
  await says('denied')
  expect(existsSync(join(memex, 'inbox.org'))).toBe(false)
  const meta = { source: 'cli', sessionId: 's' }
  const payload = { sensor: 'user-input', text: 'capture call the dentist' }
  await createLoop(daemon.runtime).process({ type: 'event', meta, payload, depth: 0 })
  expect(existsSync(join(memex, 'inbox.org'))).toBe(true)
})

test('an answer that may have arrived says so', async () => {
  const { says, server } = await telegram()
  const { ledger } = await house(server)
  server.fail('sendMessage', 'cuts the answer off')
  server.write(ann, 'find ferns')
  const again = await says('Sent again after an interruption')
  expect(again.text).toContain('Water the ferns')
  expect(server.messages.map(({ text }) => text.includes('Sent again'))).toEqual([false, true])
  await eventually(() => summary(ledger, 'telegram').waiting === 0)
  expect(summary(ledger, 'telegram')).toMatchObject({ sent: 1, refused: 0 })
})

test('what was not sent yet is sent by the next daemon', async () => {
  const { says, server } = await telegram()
  const { start, stop } = await house(server)
  server.fail('sendMessage', 'cuts the request off')
  server.write(ann, 'find ferns')
  await server.until(() => server.requests.some(({ method }) => method === 'sendMessage'))
  await stop()
  expect(server.messages).toEqual([])
  const next = await start()
  onTestFinished(() => next.stop())
  await says('Water the ferns')
  expect(server.messages).toHaveLength(1)
})

test('what a network brings twice is heard once', async () => {
  const { says, server } = await telegram()
  const { daemon, ledger } = await house(server, '', false)
  server.write(ann, newCode(ledger, 'telegram'))
  await says('You are paired')
  server.write(ann, 'stop')
  server.write(ann, 'find ferns')
  await says('Water the ferns')
  const heard: string[] = []
  daemon.runtime.trace.listen(({ record }) => heard.push(record.kind))
  server.repeat()
  await server.until(() => server.waiting() === 0)
  server.write(ann, 'find garden')
  await server.until(() => server.messages.length === 3)
  await eventually(() => heard.includes('done'))
  expect(heard.filter((kind) => kind === 'interrupt')).toEqual([])
  expect(server.messages.map(({ text }) => text.includes('paired'))).toEqual([true, false, false])
})

test('a change is taken, or told to be too late', async () => {
  const { said, says, server } = await telegram()
  const { daemon } = await house(server)
  const gate = Promise.withResolvers<void>()
  daemon.runtime.sensors.set('chat-attachment', async () => {
    await gate.promise
    return null
  })
  const file = { name: 'x.txt', type: 'text/plain', bytes: Buffer.from('x') }
  server.write(ann, '', { file })
  const waiting = server.write(ann, 'find nothing of the kind')
  server.write(ann, 'find ferns', { edits: waiting })
  await server.until(() => server.waiting() === 0)
  gate.resolve()
  await says('Water the ferns')
  server.write(ann, 'find ferns', { edits: waiting })
  server.write(ann, 'find garden', { edits: waiting })
  await says('You changed a message that I had read already')
  expect(said('nothing of the kind')).toBeUndefined()
  expect(server.messages).toHaveLength(2)
})

test('who may not approve is not shown how', async () => {
  const { says, server } = await telegram()
  const { daemon, ledger } = await house(server)
  allow(ledger, 'telegram', '8', 'Bob')
  server.write(8, 'run touch x')
  const bobs = await says('Only the owner can answer that')
  const [{ token } = { token: '-' }] = daemon.runtime.approvals.open()
  expect(bobs.buttons).toEqual([])
  expect(bobs.text).not.toMatch(new RegExp(`${token}|approve .*always|flight-plans`))
  server.write(ann, 'run touch y')
  const anns = await says('touch y')
  expect(anns.buttons).toHaveLength(2)
  expect(anns.text).toMatch(/“approve [a-z]{6}” or “deny [a-z]{6}” within a day\.$/)
})

test('who is denied has no right left, at once', async () => {
  const { says, server } = await telegram()
  const { daemon, home, memex, stop } = await house(server)
  server.write(ann, 'run touch made')
  const question = await says('needs your approval')
  const begun = Promise.withResolvers<AbortSignal>()
  daemon.runtime.providers.unshift({
    name: 'slow',
    async *propose({ signal: { payload } }: { signal: Signal }, abort: AbortSignal) {
      if (payload.text !== 'think') return
      begun.resolve(abort)
      await new Promise((resolve) => abort.addEventListener('abort', resolve))
      yield { type: 'text' as const, text: 'for a stranger' }
    },
  })
  server.write(ann, 'think')
  const abort = await begun.promise
  const env = { HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home }
  const stateDir = join(home, 'passepartout')
  const announced = readFileSync(join(stateDir, 'daemon.json'))
  rmSync(join(stateDir, 'daemon.json'))
  const denied = await runProgram(gateway, ['deny', 'telegram', String(ann)], { env })
  writeFileSync(join(stateDir, 'daemon.json'), announced)
  expect(denied.out).toContain('may not answer questions any more')
  const sent = server.messages.length
  server.press(ann, question, 'Approve')
  server.write(ann, 'find ferns')
  const { token } = daemon.runtime.approvals.open()[0]!
  const meta = { source: 'telegram', sessionId: `telegram.${ann}` }
  const payload = { sensor: 'chat-message', text: `approve ${token}`, sender: String(ann) }
  await createLoop(daemon.runtime).process({ type: 'event', meta, payload, depth: 0 })
  await daemon.reload()
  expect(abort.aborted).toBe(true)
  await server.until(() => server.waiting() === 0)
  await stop()
  expect(server.messages).toHaveLength(sent)
  expect(existsSync(join(memex, 'made'))).toBe(false)
  expect(readFileSync(join(stateDir, 'config.org'), 'utf8')).not.toContain('APPROVER')
})

test('who is denied has nothing running, even what holds the floor', async () => {
  const { says, server } = await telegram()
  const { daemon, home, memex } = await house(server)
  server.write(ann, 'run touch begun; sleep 60; touch made')
  server.press(ann, await says('needs your approval'), 'Approve')
  await eventually(() => existsSync(join(memex, 'begun')))
  const ledger = openLedger(ledgerPath(join(home, 'passepartout')), handClock())
  deny(ledger, 'telegram', String(ann))
  ledger.db.close()
  await daemon.reload()
  expect(existsSync(join(memex, 'made'))).toBe(false)
})

test('a network that is unlinked has nothing running, even what holds the floor', async () => {
  const { says, server } = await telegram()
  const { daemon, home, memex } = await house(server)
  server.write(ann, 'run touch begun; sleep 60; touch made')
  server.press(ann, await says('needs your approval'), 'Approve')
  await eventually(() => existsSync(join(memex, 'begun')))
  writeFileSync(join(home, 'passepartout/config.org'), '')
  await daemon.reload()
  const sent = server.messages.length
  server.write(ann, 'find ferns')
  await daemon.reload()
  expect([existsSync(join(memex, 'made')), server.messages.length]).toEqual([false, sent])
})

test('a group that is not heard any more has nothing running', async () => {
  const { server } = await telegram()
  const { daemon, home } = await house(server, ':GROUPS: yes\n')
  const begun = Promise.withResolvers<AbortSignal>()
  daemon.runtime.providers.unshift({
    name: 'slow',
    async *propose(_: object, abort: AbortSignal) {
      begun.resolve(abort)
      await new Promise((resolve) => abort.addEventListener('abort', resolve))
      yield { type: 'text' as const, text: 'for a group' }
    },
  })
  server.write(ann, 'think', { chat: -100 })
  const abort = await begun.promise
  const path = join(home, 'passepartout/config.org')
  writeFileSync(path, readFileSync(path, 'utf8').replace(':GROUPS: yes\n', ''))
  await daemon.reload()
  expect(abort.aborted).toBe(true)
})

test('a voice is kept, and a long answer comes in pieces', async () => {
  const { says, server } = await telegram()
  const { daemon } = await house(server)
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at} about the 🌱 of May`)
  const file = { name: 'ignored', type: 'audio/ogg', bytes: Buffer.from('OggS') }
  server.write(ann, '', { file, isVoice: true })
  await says('.ogg” with a headline')
  const meta = { source: 'telegram', sessionId: `telegram.${ann}` }
  const payload = { action: 'message', text: lines.join('\n') }
  daemon.runtime.reply({ type: 'response', meta, payload, depth: 0 })
  await says('line 299 about')
  const pieces = server.messages.slice(1).map(({ text }) => text)
  expect(pieces.length).toBeGreaterThan(2)
  expect(pieces.join('\n')).toBe(lines.join('\n'))
})

test('two readers of one bot are told', async () => {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const made = [0, 1].map(() =>
    createTelegram({ ...settings, api: server.url }, server.token, handClock()),
  )
  const problems: string[] = []
  for (const gateway of made) {
    onTestFinished(() => gateway.stop())
    const { promise, resolve } = Promise.withResolvers<void>()
    gateway.start(
      () => {},
      () => {
        const { problem, state } = gateway.state()
        if (problem !== null) problems.push(problem)
        if (state === 'listening') resolve()
      },
    )
    await promise
  }
  await eventually(() => problems.length > 0)
  expect(problems[0]).toContain('another program reads this bot’s messages')
})

test('a question over Signal is answered by quoting it', async () => {
  const { server } = await telegram()
  const signal = await startSignalServer()
  onTestFinished(() => signal.close())
  const { daemon, home, ledger } = await house(server)
  const number = '+4930901820'
  const config = `* Signal\n:PROPERTIES:\n:GATEWAY: signal\n:ACCOUNT: ${signal.account}\n:SERVER: ${signal.address}\n:END:\n* Phone\n:PROPERTIES:\n:APPROVER: signal:${number}\n:END:\n`
  writeFileSync(join(home, 'passepartout/config.org'), config)
  allow(ledger, 'signal', number)
  await daemon.reload()
  signal.write('+4915100000', 'find ferns')
  signal.write(number, 'run touch x')
  await signal.until(() => signal.messages.length === 1)
  const [question] = signal.messages
  expect(question).toMatchObject({
    to: number,
    text: expect.stringContaining('Reply “yes” or “no”'),
  })
  await eventually(() => summary(ledger, 'signal').sent === 1)
  signal.write(number, 'no', { quotes: question!.timestamp })
  await signal.until(() => signal.messages.some(({ text }) => text.includes('Denied.')))
  expect(daemon.runtime.approvals.open()).toEqual([])
  expect(daemon.runtime.actuators.has('telegram')).toBe(false)
})
