import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@passepartout/core/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { conversationOf } from '../servers/model-conversation.ts'
import {
  type ModelServer,
  type Protocol,
  protocols,
  startModelServer,
} from '../servers/model-server.ts'

const key = 'sk-the-key-of-the-owner'

const drawer = (...lines: string[]) => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`

function model(name: string, protocol: Protocol, server: ModelServer, ...more: string[]): string {
  const address = `:BASE_URL: ${server.baseUrl(protocol)}`
  const lines = [`:PROVIDER: ${protocol}`, ':MODEL: m', ':KEY_ENV: MODEL_KEY', address]
  return `** ${name}\n${drawer(...lines, ...more)}`
}

function configure(home: string, ...configured: string[]): void {
  const folder = join(home, 'config/passepartout')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.org'), `* Models\n${configured.join('')}`)
  const rule = drawer(':PERMISSION: ask', ':TOOL: capture-task')
  writeFileSync(join(folder, 'permissions.org'), `* Ask before a task\n${rule}`)
}

const daemonPath = fileURLToPath(import.meta.resolve('@passepartout/daemon'))

interface Started {
  child: ChildProcess
  port: number
  log: () => string
}

async function startDaemon(home: string): Promise<Started> {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const child = spawn(process.execPath, [...flags, daemonPath], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      MEMEX_DIR: join(home, 'memex'),
      MODEL_KEY: key,
    },
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const ready = /^ready (\d+)$/m.exec(text)
      if (ready !== null) resolve(Number(ready[1]))
    })
    child.once('exit', () => reject(new Error(`The daemon ended: ${log}`)))
  })
  return { child, port, log: () => log }
}

type Client = Awaited<ReturnType<typeof connect>>

async function say(client: Client, text: string): Promise<string> {
  const heard: string[] = []
  client.send({
    type: 'event',
    meta: { source: 'cli' },
    payload: { sensor: 'user-input', text },
    depth: 0,
  })
  for await (const signal of client) {
    if (signal.type === 'response') heard.push(String(signal.payload.text))
    if (signal.payload.action === 'turn-end') break
  }
  return heard.join('\n')
}

const args = { title: 'Buy oat milk' }
const explanation = 'You asked me to remember it.'
const script = [
  { calls: [{ tool: 'capture-task', args }] },
  {
    text: ['I will ', 'say why.'],
    calls: [{ tool: 'capture-task', args: { ...args, explanation } }],
  },
  { text: ['It is in ', 'your inbox.'] },
  { text: ['Oat milk, ', 'as you said.'] },
]

test.each(protocols)('%s: propose, reject, correct, approve, act, answer', async (protocol) => {
  const server = await startModelServer(...script)
  const home = mkdtempSync(join(tmpdir(), 'mind-'))
  onTestFinished(async () => {
    await server.close()
    rmSync(home, { recursive: true })
  })
  const inbox = join(home, 'memex/inbox.org')
  mkdirSync(join(home, 'memex'))
  writeFileSync(inbox, '* TODO Water the beans\n')
  configure(home, model('The model', protocol, server))
  const { child, port, log } = await startDaemon(home)
  let word = ''
  try {
    const token = readFileSync(join(home, 'state/passepartout/token'), 'utf8').trim()
    const client = await connect({ host: '127.0.0.1', port, token })
    const asked = await say(client, 'Please remember to buy oat milk.')
    word = /approve ([a-z]{6})/.exec(asked)?.[1] ?? ''
    expect(word, asked).not.toBe('')
    expect(readFileSync(inbox, 'utf8')).toBe('* TODO Water the beans\n')
    expect(await say(client, `approve ${word}`)).toContain('It is in your inbox.')
    expect(readFileSync(inbox, 'utf8')).toBe('* TODO Water the beans\n* TODO Buy oat milk\n')
    expect(await say(client, 'What was it again?')).toContain('Oat milk, as you said.')
    client.close()
    checkRequests(server, protocol, word)
  } finally {
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  }
  expect(log()).not.toContain(key)
  checkTrace(join(home, 'state/passepartout'), word)
})

function checkRequests({ requests }: ModelServer, protocol: Protocol, word: string): void {
  expect(requests.map((request) => request.protocol)).toEqual(Array(4).fill(protocol))
  const conversations = requests.map(conversationOf)
  const results = conversations.map((messages) => messages.flatMap(({ results }) => results))
  expect(results.map(({ length }) => length)).toEqual([0, 1, 2, 2])
  expect(results[1]?.[0]?.text).toContain('policy: Add an :explanation')
  expect(results[2]?.[1]?.text).toContain('Buy oat milk')
  const said = conversations[3]?.flatMap(({ role, text }) => (role === 'system' ? [] : [text]))
  expect(said?.join('\n')).toMatch(
    /remember to buy oat milk.*I will say why.*It is in your inbox.*again\?/s,
  )
  for (const { text, headers } of requests) {
    expect(text).not.toContain(word)
    expect(text).not.toContain(key)
    expect(JSON.stringify(headers)).toContain(key)
  }
}

const story = [
  'Please remember to buy oat milk.',
  ':PROVIDER: The model',
  ':RESULT: reject',
  '| policy | reject | policy.explanation |',
  'I will say why.',
  ':STAGE: reason\n:RESULT: approval',
  '| permissions | approval | permissions.rule |',
  ':STATE: asked',
  ':STATE: given',
  ':STAGE: act',
  '** dispatch\n:PROPERTIES:\n:TARGET: tool',
  ':STATUS: success',
  ':TOOL: capture-task',
  ':ORIGIN: tool',
  'It is in your inbox.',
  'What was it again?',
  'Oat milk, as you said.',
  '** done',
]

function checkTrace(state: string, word: string): void {
  const folder = join(state, 'trace')
  const files = readdirSync(folder).filter((file) => file.endsWith('.org'))
  const text = files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('')
  let at = 0
  for (const line of story) {
    const found = text.indexOf(line, at)
    expect(found, `${line} behind ${text.slice(0, at)}`).toBeGreaterThanOrEqual(0)
    at = found + line.length
  }
  expect(text).not.toContain(key)
  expect(text).not.toContain(word)
}

const broken = [
  'is in trouble',
  'is a web page',
  'speaks no HTTP',
  'says error first',
  'sends bytes',
]
test('whatever five models do, the sixth answers, and then the rules', async () => {
  const bad = await startModelServer()
  bad.afterwards(({ protocol }) => ({ fault: broken[protocols.indexOf(protocol)]! }))
  const good = await startModelServer(
    { text: ['They are ', 'in the garden.'] },
    { text: ['Still ', 'there.'] },
  )
  good.afterwards({ fault: 'is in trouble' })
  const home = mkdtempSync(join(tmpdir(), 'mind-'))
  onTestFinished(async () => {
    await Promise.all([bad.close(), good.close()])
    rmSync(home, { recursive: true })
  })
  mkdirSync(join(home, 'memex'))
  writeFileSync(join(home, 'memex/garden.org'), '* Beans\nSown in March.\n')
  const quick = [':PRIORITY: 5', ':FIRST_TIMEOUT: 1s']
  const five = protocols.map((protocol) => model(`Bad ${protocol}`, protocol, bad, ...quick))
  configure(home, ...five, model('Good', 'openai-compatible', good))
  const { child, port, log } = await startDaemon(home)
  try {
    const token = readFileSync(join(home, 'state/passepartout/token'), 'utf8').trim()
    const client = await connect({ host: '127.0.0.1', port, token })
    expect(await say(client, 'And what about the beans?')).toContain('They are in the garden.')
    expect(new Set(bad.requests.map(({ protocol }) => protocol)), log()).toEqual(new Set(protocols))
    bad.afterwards({ fault: 'hangs before the headers' })
    expect(await say(client, 'Are you sure of it?')).toContain('Still there.')
    expect(good.requests).toHaveLength(2)
    bad.afterwards({ fault: 'is overloaded' })
    expect(await say(client, 'And what about the beans now?')).toMatch(/planner|rules/)
    client.close()
    await Promise.all([bad.idle(), good.idle()])
  } finally {
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  }
  expect(log()).toContain('it answered with text/html')
  expect(log()).not.toContain(key)
})
