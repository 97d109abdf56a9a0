import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex, openSessionFiles, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { followSessions, sessionDesk } from '../../src/lifecycle/session-desk.ts'

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'desk-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const told: Signal[] = []
  const clock = { now: () => new Date(2026, 10, 21, 9, 30) }
  const runtime = createRuntime({
    config: { home, memexDir: home, stateDir: home },
    memex: openMemex(home),
    clock,
    reply: (signal) => void told.push(signal),
    transcripts: openSessionFiles(join(home, 'sessions')),
    connections: {
      has: () => true,
      of: () => [],
      rightOf: (id) => (id.startsWith('telegram') ? 'once' : 'always'),
    },
  })
  const { sessions } = runtime
  const say = (connection: string, text: string) =>
    sessions.add(sessions.of(connection), 't', { kind: 'words', origin: 'owner', text }, connection)
  const ask = async (
    sensor: string,
    more: Partial<Signal['payload']>,
    meta: Partial<Signal['meta']> = {},
  ) => {
    const all = { source: 'tui', sessionId: 'new', origin: 'owner' as const, ...meta }
    const signal: Signal = { type: 'event', meta: all, payload: { sensor, ...more }, depth: 0 }
    expect(await sessionDesk.sensors![sensor]!(signal, runtime)).toBeNull()
    return told.pop()?.payload
  }
  return { runtime, told, say, ask }
}

test('a client goes on where another one was', async () => {
  const { runtime, say, ask } = setting()
  expect(await ask('session-continue', {})).toMatchObject({
    text: expect.stringMatching(/no session/),
  })
  say('old', 'Beans')
  say('telegram.7', 'Hello from the tram')
  expect(await ask('session-continue', {})).toMatchObject({ session: 'old', title: 'Beans' })
  say('new', 'And peas?')
  const texts = runtime.sessions.of('old').entries.map((entry) => 'text' in entry && entry.text)
  expect(texts).toEqual(['Beans', 'And peas?'])
  expect(await ask('session-continue', { session: 'tulips' })).toMatchObject({
    text: expect.stringMatching(/“tulips”/),
  })
  const begun = await ask('session-continue', { session: 'tulips', begin: true })
  expect(begun).toMatchObject({ title: 'tulips' })
  say('new', 'When are they planted?')
  expect(
    await ask('session-continue', { session: 'Tulips' }, { sessionId: 'third' }),
  ).toMatchObject({
    session: begun?.session,
  })
  expect(await ask('session-list', {})).toMatchObject({
    session: begun?.session,
    sessions: expect.arrayContaining([expect.objectContaining({ id: 'old', title: 'Beans' })]),
  })
})

test('renaming and removing is for one that is meant', async () => {
  const { runtime, say, ask } = setting()
  say('a', 'Beans and peas')
  say('b', 'Beans and corn')
  expect(await ask('session-remove', { session: 'beans' })).toMatchObject({
    text: expect.stringMatching(/^Which one\?/),
  })
  expect(await ask('session-remove', {})).toMatchObject({
    text: expect.stringMatching(/no session/),
  })
  expect(await ask('session-rename', { session: 'a', title: ' Legumes ' })).toMatchObject({
    session: 'a',
  })
  expect(await ask('session-remove', { session: 'beans and' })).toMatchObject({ session: 'b' })
  expect(runtime.sessions.list().map(({ title }) => title)).toEqual(['Legumes'])
})

test.each([{ isUnproven: true as const }, { sessionId: 'telegram.7', source: 'telegram' }])(
  'who is not the owner’s client gets nothing: %j',
  async (meta) => {
    const { runtime, say, ask } = setting()
    say('old', 'Beans')
    const more = { session: 'old', title: 'x' }
    for (const sensor of Object.keys(sessionDesk.sensors!)) {
      expect(await ask(sensor, more, meta)).toBeUndefined()
    }
    expect(runtime.sessions.list()).toMatchObject([{ id: 'old', title: 'Beans' }])
    expect(runtime.sessions.idOf(meta.sessionId ?? 'new')).not.toBe('old')
  },
)

test('two connections in one session see what is said over either', async () => {
  const { runtime, told, say, ask } = setting()
  say('old', 'Beans')
  await ask('session-continue', { session: 'old' })
  const leave = followSessions(runtime, (connection) => ['old', 'new'].includes(connection))
  say('new', 'From the editor')
  say('old', 'From the terminal')
  const calls = [{ id: 'a', tool: 'find', args: {} }]
  const { sessions } = runtime
  sessions.add(sessions.of('new'), 't', { kind: 'answer', text: '', provider: 'm', calls }, 'new')
  leave()
  say('new', 'Unheard')
  expect(told.map(({ meta, payload }) => [meta.sessionId, payload.said])).toEqual([
    ['old', [expect.objectContaining({ speaker: 'owner', text: 'From the editor' })]],
    ['new', [expect.objectContaining({ text: 'From the terminal' })]],
  ])
})
