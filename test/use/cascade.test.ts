import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect, readToken, type Signal } from '@passepartout/core/protocol'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { conversationOf } from '../servers/model-conversation.ts'
import { startModelServer, type Turn } from '../servers/model-server.ts'

const key = 'sk-the-key-of-a-bad-day'
const trouble = { fault: 'is in trouble' }

function model(name: string, protocol: string, url: string, priority: number): string {
  const lines = [`:PROVIDER: ${protocol}`, ':MODEL: m', `:BASE_URL: ${url}`, ':KEY_ENV: A_KEY']
  return `* ${name}\n:PROPERTIES:\n${lines.join('\n')}\n:PRIORITY: ${priority}\n:END:\n`
}

async function setting(first: Turn[], second: Turn[]) {
  const state = mkdtempSync(join(tmpdir(), 'cascade-'))
  for (const folder of ['memex', '.config/passepartout']) {
    mkdirSync(join(state, folder), { recursive: true })
  }
  const one = await startModelServer(...first)
  const two = await startModelServer(...second)
  const models = [
    model('One', 'anthropic', one.baseUrl('anthropic'), 2),
    model('Two', 'ollama', two.baseUrl('ollama'), 1),
  ]
  writeFileSync(join(state, '.config/passepartout/config.org'), models.join(''))
  const env = { HOME: state, XDG_STATE_HOME: state, MEMEX_DIR: join(state, 'memex'), A_KEY: key }
  const config = readDaemonConfig(env)
  expect(config.problems).toEqual([])
  const daemon = await startDaemon(config, '0.0.0')
  const token = readToken(config.stateDir)
  const client = await connect({ host: '127.0.0.1', port: daemon.port, token })
  onTestFinished(async () => {
    client.close()
    await daemon.stop()
    await Promise.all([one.close(), two.close()])
    rmSync(state, { recursive: true })
  })
  return { client, one, two }
}

async function turn(client: Client, text: string, more: object = {}): Promise<string[]> {
  const payload = { sensor: 'user-input', text, ...more }
  client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
  const said: string[] = []
  for await (const { type, payload } of client as AsyncIterable<Signal>) {
    if (payload.action === 'turn-end') return said
    said.push(`${type}: ${payload.text}`)
  }
  throw new Error('The daemon went away')
}

test('whoever fails, the owner is answered', async () => {
  const { client, one, two } = await setting(
    [{ fault: 'is asked too often, date' }],
    [
      { text: ['From two.'] },
      { text: ['Two again.'] },
      ...Array.from({ length: 3 }, () => trouble),
    ],
  )
  const morning = await turn(client, 'how do I like my bread')
  expect(morning.at(-1)).toBe('response: From two.')
  expect(morning[0]).toMatch(/^status: .*asked too often/)
  expect(morning.join()).not.toContain(key)
  expect(await turn(client, 'and my tea')).toEqual(['response: Two again.'])
  expect([one.requests.length, two.requests.length]).toEqual([1, 2])
  const evening = await turn(client, 'help')
  expect(evening[0]).toBe('log: Neural Cascade Failure: All providers exhausted.')
  expect(evening.at(-1)).toMatch(
    /^response: No model could answer, so the planner did, which works by rules\.\n\n/,
  )
  expect([one.requests.length, two.requests.length]).toEqual([1, 5])
})

test('trouble that passes is waited for, and nobody hears of it', async () => {
  const busy = { status: 429, message: 'slow down', headers: { 'retry-after': '1' } }
  const { client, one, two } = await setting([trouble, { refuses: busy }, { text: ['Here.'] }], [])
  expect(await turn(client, 'how do I like my bread')).toEqual(['response: Here.'])
  expect([one.requests.length, two.requests.length]).toEqual([3, 0])
  expect(one.requests[2]?.text).toBe(one.requests[0]?.text)
})

test('both are asked when the owner wants it', async () => {
  const find = (query: string) => {
    return { tool: 'search-notes', args: { query, explanation: 'You asked about it.' } }
  }
  const { client, one, two } = await setting(
    [{ calls: [find('bread')] }, { text: ['With salt.'] }, { text: ['Alone.'] }],
    [{ calls: [find('butter'), find('bread')] }, { text: ['With jam.'] }],
  )
  const both = await turn(client, 'how do I like my bread', { consensus: true })
  expect(both.at(-1)).toBe('response: With salt.')
  const results = [one, two].map(({ requests }) => conversationOf(requests[1]!))
  for (const messages of results) {
    expect(messages.flatMap(({ calls }) => calls)).toMatchObject([{ args: { query: 'bread' } }])
  }
  expect(await turn(client, 'and my tea')).toEqual(['response: Alone.'])
  expect([one.requests.length, two.requests.length]).toEqual([3, 2])
})

test('a model that refuses the key is left alone at once', async () => {
  const { client, one } = await setting(
    [{ fault: 'refuses the key' }],
    [{ text: ['From two.'] }, { text: ['Two again.'] }],
  )
  expect((await turn(client, 'how do I like my bread')).at(-1)).toBe('response: From two.')
  expect(await turn(client, 'and my tea')).toEqual(['response: Two again.'])
  expect(one.requests).toHaveLength(1)
})

test('the agenda costs nothing', async () => {
  const { client, one, two } = await setting([], [])
  expect(await turn(client, 'agenda')).toEqual([expect.stringMatching(/^response: /)])
  expect([one.requests, two.requests]).toEqual([[], []])
})
