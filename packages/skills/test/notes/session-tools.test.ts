import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex, openSessionFiles, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { sessionTools } from '../../src/notes/session-tools.ts'
import { readCommand } from '../../src/planner/grammar.ts'

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'session-tools-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  let now = new Date(2026, 9, 12, 9)
  const runtime = createRuntime({
    config: { home, memexDir: home, stateDir: home },
    memex: openMemex(home),
    clock: { now: () => now },
    transcripts: openSessionFiles(join(home, 'sessions')),
    connections: {
      has: () => true,
      of: () => [],
      rightOf: (id) => (id.startsWith('telegram') ? 'once' : 'always'),
    },
  })
  const { sessions } = runtime
  const say = (id: string, text: string, origin: 'owner' | 'message' = 'owner') =>
    sessions.add(sessions.of(id), text, { kind: 'words', origin, text })
  const ask = async (args: Record<string, unknown>, meta: Partial<Signal['meta']> = {}) => {
    const all = { source: 'tui', sessionId: 's', ...meta }
    const signal: Signal = { type: 'event', meta: all, payload: {}, depth: 0 }
    const abort = new AbortController().signal
    return sessionTools.tools![0]!.run(args, { runtime, signal, abort })
  }
  const pass = (date: Date) => {
    now = date
  }
  return { say, ask, pass }
}

test('what was said is found, when and where', async () => {
  const { say, ask, pass } = setting()
  say('a', 'The plumber comes on Friday')
  pass(new Date(2026, 10, 23, 9))
  say('b', 'The plumber was cheap')
  const found = await ask({ query: 'plumber', span: 'in october' })
  expect(found).toEqual({
    status: 'success',
    content: '2026-10-12, in “The plumber comes on Friday”:\n› The plumber comes on Friday',
  })
  expect(await ask({ query: 'plumber' })).toMatchObject({ content: expect.stringMatching(/cheap/) })
  expect(await ask({ query: 'tulips', span: 'yesterday' })).toMatchObject({
    content: 'Nothing was said about tulips from 2026-11-22 to 2026-11-22.',
  })
  expect(await ask({ query: 'x', span: 'blue' })).toMatchObject({ status: 'error' })
})

test('a chat finds its own conversation, and its words stay a stranger’s', async () => {
  const { say, ask } = setting()
  say('a', 'The plumber has the key')
  say('telegram.7', 'Which plumber?', 'message')
  const chat = { source: 'telegram', sessionId: 'telegram.7' }
  for (const meta of [chat, { isUnproven: true as const, sessionId: 'telegram.7' }]) {
    const found = await ask({ query: 'plumber' }, meta)
    expect(found).toMatchObject({ content: expect.stringMatching(/Which/), origin: 'message' })
    expect(found).toMatchObject({ content: expect.not.stringMatching(/key/) })
  }
})

test.each([
  [
    'what did we say about the plumber in october',
    { query: 'the plumber', span: '2026-10-01..2026-10-31' },
  ],
  ['what did I say about beans', { query: 'beans' }],
  [
    'what did we decide on the roof last week?',
    { query: 'the roof', span: '2026-11-16..2026-11-22' },
  ],
  ['search sessions for tap', { query: 'tap' }],
])('“%s” needs no model', (sentence, args) => {
  const now = new Date(2026, 10, 23)
  expect(readCommand(sentence, now)).toMatchObject({ tool: 'search-sessions', args })
})
