import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSessionFiles } from '../../src/transcript/session-file.ts'
import { searchOf } from '../../src/transcript/session-search.ts'
import { Sessions } from '../../src/transcript/sessions.ts'
import type { EntryBody } from '../../src/transcript/transcript.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'session-search-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  let now = new Date(2026, 9, 12)
  let closings = 0
  const sessions = new Sessions({
    clock: { now: () => now },
    store: openSessionFiles(dir),
    closings: () => closings,
  })
  const search = searchOf(sessions)
  const say = (id: string, turn: string, ...bodies: EntryBody[]) => {
    for (const body of bodies) sessions.add(sessions.of(id), turn, body)
  }
  const exchange = (question: string, text: string): EntryBody[] => [
    { kind: 'words', origin: 'owner', text: question },
    { kind: 'answer', text, provider: 'm', calls: [] },
  ]
  const close = async () => {
    closings++
    sessions.of(undefined)
    await sessions.forgotten()
  }
  const pass = (date: Date) => {
    now = date
  }
  return { sessions, search, say, exchange, close, pass }
}

test('what was said is found, in its session and its month', async () => {
  const { search, say, exchange, pass } = setting()
  say('a', 't1', ...exchange('When does the plumber come?', '* On Friday, for the tap.'))
  say('a', 't2', ...exchange('And the beans?', 'In bed two.'))
  pass(new Date(2026, 10, 3))
  say('b', 't3', ...exchange('What did the plumber cost?', '80 euros.'))
  expect(search.find({ words: 'plumber' })).toHaveLength(2)
  const october = { from: new Date(2026, 9, 1).getTime(), until: new Date(2026, 10, 1).getTime() }
  expect(search.find({ words: 'plumber', ...october })).toEqual([
    {
      session: 'a',
      title: 'When does the plumber come?',
      at: new Date(2026, 9, 12).getTime(),
      text: '› When does the plumber come?\n* On Friday, for the tap.',
      outside: null,
    },
  ])
  expect(search.find({ words: 'beans' })).toMatchObject([{ session: 'a' }])
  expect(search.find({ words: 'tulips' })).toEqual([])
  expect(search.find({ words: 'plumber', only: 'b' })).toMatchObject([{ session: 'b' }])
  const page = { call: 'c', tool: 'web', state: 'done', text: 'x', origin: 'web' } as const
  say('c', 't4', { kind: 'result', ...page }, ...exchange('Roses?', 'A page says yes.'))
  expect(search.find({ words: 'roses' })).toMatchObject([{ outside: 'web' }])
})

test('what was read is not searched, and what is forgotten is not found', async () => {
  const { sessions, search, say, exchange, close } = setting()
  say(
    'a',
    't',
    { kind: 'material', text: 'The knee hurts.' },
    ...exchange('And?', 'The clinic is open.'),
  )
  const result = { call: 'c', tool: 'find', state: 'done', text: 'knee', origin: 'tool' } as const
  say('a', 't', { kind: 'result', ...result })
  expect([search.find({ words: 'knee' }), search.find({ words: 'clinic' }).length]).toEqual([[], 1])
  await close()
  expect(search.find({ words: 'clinic' })).toEqual([])
  say('a', 't2', ...exchange('Tulips?', 'In autumn.'))
  expect(search.find({ words: 'tulips' })).toHaveLength(1)
  sessions.remove('a')
  expect(search.find({ words: 'tulips' })).toEqual([])
})
