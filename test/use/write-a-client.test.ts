import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ProviderEvent, socketPathOf } from '@passepartout/core'
import { encodeFrame, FrameDecoder, plistToObject, readPlist } from '@passepartout/core/protocol'
import { type Daemon, readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import {
  clientEnvelope,
  clientMessages,
  clientQuestions,
  daemonEnvelope,
  daemonMessages,
  printed,
} from '../wire/client-messages.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

async function daemonAt(home: string): Promise<Daemon> {
  const config = readDaemonConfig({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  const daemon = await startDaemon(config, '0.1.0', { say: () => {} })
  onTestFinished(async () => {
    await daemon.stop()
    rmSync(home, { recursive: true })
  })
  return daemon
}

function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'client-'))
}

async function python(home: string, ...words: string[]) {
  const program = join(import.meta.dirname, '../write-a-client.py')
  const env = { PATH: process.env.PATH, XDG_STATE_HOME: home, PYTHONIOENCODING: 'utf-8' }
  const child = spawn('python3', [program, ...words], { env })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, err }
}

test.skipIf(!hasPython)(
  'the client of the manual works at both doors (skipped without python3)',
  async () => {
    const home = temporary()
    const { runtime } = await daemonAt(home)
    const captured = await python(home, 'capture Brühe "🍲" kochen', 'find Brühe')
    expect(captured.err).toBe('')
    expect(captured.out).toMatch(/Brühe "🍲" kochen[\s\S]*inbox\.org:\d/)
    expect(readFileSync(join(home, 'inbox.org'), 'utf8')).toContain('* TODO Brühe "🍲" kochen\n')
    const asked = await python(home, '--port', 'run git push')
    const word = /“deny ([a-z]{6})”/.exec(asked.out)![1]!
    expect((await python(home, '--port', `deny ${word}`)).out).toContain('Denied')
    expect(runtime.approvals.open()).toEqual([])
  },
)

const isNull = (value: unknown) => value === null

/** Without fields that are NIL, at any depth. */
function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).filter(([, part]) => !isNull(part))
  return Object.fromEntries(fields.map(([key, part]) => [key, present(part)]))
}

function plainClient(path: string) {
  const heard: { meta: { turn?: string }; payload: { action: string } }[] = []
  const watchers = new Set<() => void>()
  const decoder = new FrameDecoder()
  const socket = connect(path)
  onTestFinished(() => void socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    for (const message of decoder.push(chunk))
      heard.push(present(plistToObject(readPlist(message))) as never)
    for (const watcher of watchers) watcher()
  })
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => holds() && resolve()
      watchers.add(look)
      look()
    })
  const send = (plist: string) => void socket.write(encodeFrame(plist))
  const ended = (turn: string) =>
    until(() =>
      heard.some(({ meta, payload }) => payload.action === 'turn-end' && meta.turn === turn),
    )
  return { ended, heard, send, until }
}

async function* model(said: string): AsyncGenerator<ProviderEvent> {
  if (said === 'fail') throw new Error('no model today')
  const call = {
    action: 'call',
    tool: 'capture-task',
    args: { title: 'Tea' },
    explanation: 'You asked for tea.',
  }
  const action = JSON.stringify({ type: 'request', target: 'tool', payload: call })
  if (said === 'act') yield { type: 'text', text: action }
  else
    for (const word of 'A long answer that comes in pieces, '.repeat(40).split(' '))
      yield { type: 'text', text: `${word} ` }
}

test('the daemon says what the manual says, and all of it', async () => {
  const home = temporary()
  const { runtime } = await daemonAt(home)
  runtime.providers.unshift({
    name: 'model',
    propose: ({ signal }) => model(signal.payload.text ?? ''),
  })
  const { ended, heard, send, until } = plainClient(socketPathOf(join(home, 'passepartout'))!)
  send(
    '(:type :request :meta (:source :book) :payload (:action :authenticate :capabilities ("stream-chunk" "deeds")))',
  )
  const say = async (turn: string, payload: string) => {
    send(`(:type :event :meta (:source :book :turn "${turn}") :payload ${payload})`)
    await ended(turn)
  }
  for (const words of ['hello', 'act', 'fail', 'run git push'])
    await say(words, `(:sensor :user-input :text "${words}")`)
  for (const sensor of [
    'session-mode',
    'session-plan',
    'session-talk',
    'session-list',
    'tool-output',
  ])
    await say(sensor, `(:sensor :${sensor})`)
  const other = plainClient(socketPathOf(join(home, 'passepartout'))!)
  other.send('(:type :request :meta (:source :book) :payload (:action :authenticate))')
  other.send('(:type :event :meta (:turn "o") :payload (:sensor :session-continue))')
  await other.ended('o')
  other.send('(:type :event :meta (:turn "p") :payload (:sensor :user-input :text "hello"))')
  await other.ended('p')
  for (const sensor of ['session-continue', 'session-rename', 'session-remove'])
    await say(sensor, `(:sensor :${sensor} :session "nothing")`)
  send('(:type :rumour :meta (:turn "wrong") :payload ())')
  await ended('wrong')
  for (const action of ['ping', 'health-check', 'approvals'])
    send(`(:type :request :meta (:turn "${action}") :payload (:action :${action}))`)
  await until(() => heard.some(({ payload }) => payload.action === 'approvals'))
  const known = new Map(daemonMessages.map(({ name, payload }) => [name, payload]))
  for (const message of heard) {
    daemonEnvelope.parse(message)
    const schema = known.get(message.payload.action)
    expect(schema, message.payload.action).toBeDefined()
    schema!.parse(message.payload)
  }
  const said = new Set(heard.map(({ payload }) => payload.action))
  expect([...known.keys()].filter((name) => !said.has(name))).toEqual([])
})

test('what a client may send is told apart by its name', () => {
  const all = [...clientMessages, ...clientQuestions]
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  for (const { name, payload } of all) {
    const { action, sensor } = payload.shape
    const field = (action ?? sensor) as unknown as { value: string }
    expect(field.value).toBe(name)
    expect(clientEnvelope.safeParse({ type: 'event', payload: { sensor: name } }).success).toBe(
      true,
    )
  }
})

test('the tables of the page are printed from the schemas', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../org/manual/write-a-client.org'),
    'utf8',
  )
  expect(printed(page), 'run: npm run client-messages').toBe(page)
  expect(() => printed('#+begin: wire-messages :of nothing\n#+end:\n')).toThrow('no part “nothing”')
})
