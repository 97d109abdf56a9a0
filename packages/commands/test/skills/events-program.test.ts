import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEventState } from '@passepartout/skills/events'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

const now = Date.UTC(2026, 10, 21, 9)

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'events-program-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const run = (...words: string[]) =>
    told(events, words, { env: { XDG_STATE_HOME: dir }, now: new Date(now) })
  const open = () => {
    const state = openEventState(join(dir, 'passepartout/events.db'))
    onTestFinished(() => state.close())
    return state
  }
  return { run, open }
}

const hook = {
  key: '01234567',
  event: 'day',
  tier: 'reflex',
  place: 'a.org:1',
  text: 'day :do agenda',
  state: 'ready',
  budget: 24,
  windowMs: 86_400_000,
}

test('hooks are listed, and stopped', async () => {
  const { run, open } = setting()
  expect(await run()).toMatchObject({ code: 1, text: expect.stringContaining('Start a daemon') })
  const state = open()
  expect((await run('list')).text).toContain('There are no hooks.')
  state.list([hook, { ...hook, key: '89abcdef', state: ':do is missing', tier: '', text: 'day' }])
  state.fire('01234567', 'reflex', now - 60_000)
  expect((await run()).text).toBe(
    '01234567  a.org:1  reflex  1 of 24  last 2026-11-21 08:59  ready\n    day :do agenda\n' +
      '89abcdef  a.org:1  :do is missing\n    day\n',
  )
  expect((await run('pause', '01234567', '--dry-run')).text).toBe(
    'The hook 01234567 would: rests.\n',
  )
  expect(state.isPaused('01234567')).toBe(false)
  expect(await run('pause', 'all')).toEqual({ code: 0, text: 'All hooks rest.\n' })
  expect(JSON.parse((await run('list', '--json')).text)).toMatchObject([
    { spent: 1, state: 'paused' },
    {},
  ])
  await run('resume', 'all')
  expect(state.isPaused('01234567')).toBe(false)
})

test('letters are looked after', async () => {
  const { run, open } = setting()
  const state = open()
  expect((await run('dead')).text).toBe('Nothing came to nothing.\n')
  state.bury({ id: 'f1', hook: '01234567', word: '{}', reason: 'it\nfailed', at: now })
  expect((await run('dead')).text).toBe('  f1  01234567  2026-11-21 09:00  1×  it failed\n')
  expect((await run('retry', 'f1', '--dry-run')).text).toBe('1 would be tried again.\n')
  expect(state.takeRetries()).toEqual([])
  expect(JSON.parse((await run('retry', 'f1', '--json')).text)).toEqual({ retry: ['f1'] })
  expect(state.takeRetries()).toHaveLength(1)
  expect(await run('drop', 'none')).toEqual({ code: 1, text: 'events: There is no letter none.\n' })
  expect((await run('drop', 'all')).text).toBe('1 are forgotten.\n')
  for (const wrong of [['drop'], ['list', 'x'], ['stop'], ['pause', 'all', 'x'], ['--loud']]) {
    expect((await run(...wrong)).code).toBe(2)
  }
  expect((await run('pause', 'everything')).code).toBe(1)
  expect(await run('--help')).toMatchObject({ code: 0, text: expect.stringContaining('Usage:') })
})
