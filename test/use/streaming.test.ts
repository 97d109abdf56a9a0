import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, readToken } from '@passepartout/core/protocol'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { ask, capabilities, interrupt } from '../../packages/clients/src/session/client-session.ts'
import { conversationOf } from '../servers/model-conversation.ts'
import { startModelServer, type Turn } from '../servers/model-server.ts'

const words = Array.from({ length: 120 }, (_, index) => `word ${index} `)
const story = words.join('').trim()
const word = 'open-sesame'

async function setting(...script: Turn[]) {
  const server = await startModelServer(...script)
  const state = mkdtempSync(join(tmpdir(), 'streaming-'))
  const memex = join(state, 'memex')
  mkdirSync(memex)
  const config = readDaemonConfig({
    HOME: state,
    XDG_STATE_HOME: state,
    MEMEX_DIR: memex,
    PASSEPARTOUT_PROVIDER_URL: server.baseUrl('openai-compatible'),
    PASSEPARTOUT_PROVIDER_MODEL: 'scripted',
  })
  const daemon = await startDaemon(config, '0.0.0')
  onTestFinished(async () => {
    await daemon.stop()
    await server.close()
    rmSync(state, { recursive: true })
  })
  daemon.runtime.gates.push({
    name: 'no-magic',
    priority: 1,
    check: ({ payload }) =>
      payload.text?.includes(word) === true
        ? { kind: 'reject', reason: 'that word stays here' }
        : { kind: 'pass' },
  })
  const { port } = daemon
  const token = readToken(config.stateDir)
  const client = async (...capable: string[]) => {
    const connected = await connect({ host: '127.0.0.1', port, token, capabilities: capable })
    onTestFinished(() => connected.close())
    return connected
  }
  return { client, server }
}

function screen(onPiece: () => void = () => {}) {
  const seen: [string, string][] = []
  const listener = {
    answer: (text: string) => void seen.push(['answer', text]),
    piece: (text: string) => {
      seen.push(['piece', text])
      onPiece()
    },
    ended: () => void seen.push(['ended', '']),
    notice: (text: string) => void seen.push(['notice', text]),
  }
  const pieces = () => seen.flatMap(([kind, text]) => (kind === 'piece' ? [text] : []))
  const rest = () => seen.filter(([kind]) => kind !== 'piece' && kind !== 'ended')
  return { listener, pieces, rest, seen }
}

test('an answer comes in pieces to those who take them, and never twice', async () => {
  const { client } = await setting({ text: words }, { text: words })
  const modern = screen()
  await ask(await client(...capabilities), 'tell me something about words', modern.listener)
  expect(modern.pieces().join('')).toBe(story)
  expect(modern.pieces().length).toBeGreaterThan(3)
  expect([modern.seen.at(-1)?.[0], modern.rest()]).toEqual(['ended', []])
  const plain = screen()
  await ask(await client(), 'tell me something about words', plain.listener)
  expect(plain.seen).toEqual([['answer', story]])
})

test('what a gate objects to is not shown, not even its first letters', async () => {
  const parts = [...words, word.slice(0, 4), word.slice(4, 8), word.slice(8), ' and so on']
  const { client, server } = await setting({ text: parts }, { text: ['Never mind.'] })
  const reader = screen()
  await ask(await client(...capabilities), 'tell me the magic word', reader.listener)
  const shown = reader.pieces().join('')
  expect(story.startsWith(shown.trim())).toBe(true)
  expect(shown.length).toBeGreaterThan(200)
  expect(reader.rest()).toEqual([
    ['notice', expect.stringContaining('withdrawn')],
    ['answer', 'Never mind.'],
  ])
  expect(JSON.stringify(server.requests[1]!.body)).toContain('no-magic: that word stays here')
})

test('a model may talk before it calls a tool', async () => {
  const call = { tool: 'next-actions', args: { explanation: 'You asked about the list.' } }
  const { client } = await setting(
    { text: ['I will ', 'look at ', 'the list.'], calls: [call] },
    { text: ['It is ', 'empty.'] },
  )
  const reader = screen()
  await ask(await client(...capabilities), 'look at the list for me', reader.listener)
  expect(reader.pieces().join('')).toBe('I will look at the list.It is empty.')
  expect(reader.rest()).toEqual([])
})

test('an interrupt ends the request and leaves a conversation that is true', async () => {
  const { client, server } = await setting(
    { text: words, fault: 'hangs in the stream' },
    { text: ['Fine.'] },
  )
  const connected = await client(...capabilities)
  const reader = screen(() => interrupt(connected))
  await ask(connected, 'tell me something about words', reader.listener)
  const shown = reader.pieces().join('')
  expect(reader.rest()).toEqual([['answer', 'Stopped.']])
  await server.idle()
  const again = screen()
  await ask(connected, 'and how are you', again.listener)
  expect(again.pieces().join('')).toBe('Fine.')
  const said = conversationOf(server.requests.at(-1)!).find(({ role }) => role === 'assistant')
  expect(said?.text.slice(0, 100)).toBe(shown.slice(0, 100))
  expect(said?.text).toMatch(/\[interrupted\]$/)
})
