import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type EventState, openEventState } from '../../src/events/event-state.ts'

const day = 86_400_000

function two(): { path: string; one: EventState; other: EventState } {
  const dir = mkdtempSync(join(tmpdir(), 'events-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'state/events.db')
  const [one, other] = [openEventState(path), openEventState(path)]
  onTestFinished(() => one.close())
  onTestFinished(() => other.close())
  return { path, one, other }
}

test('what was spent outlives whoever has spent it', () => {
  const { one, other, path } = two()
  expect(other.spent('a', 0)).toEqual({ count: 0, last: null })
  for (const at of [1, 2, 3]) one.fire('a', 'reflex', at * day)
  one.fire('b', 'cognition', 3 * day)
  expect(other.spent('a', day)).toEqual({ count: 2, last: 3 * day })
  expect([other.spentBy('reflex', 0), other.spentBy('cognition', 0)]).toEqual([3, 1])
  one.fire('b', 'cognition', 9 * day)
  expect(other.spent('a', 0)).toEqual({ count: 2, last: 3 * day })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a letter is kept until it is dropped', () => {
  const { one, other } = two()
  const letter = { id: 'f1', hook: 'a', word: '{}', reason: 'no', at: day }
  one.bury(letter)
  one.bury({ ...letter, id: 'f2', at: 2 * day })
  expect(other.letters().map(({ id }) => id)).toEqual(['f1', 'f2'])
  expect([other.retry('f1'), other.retry('f1'), other.retry('none')]).toEqual([1, 0, 0])
  expect([one.takeRetries().length, one.takeRetries().length]).toEqual([1, 0])
  one.bury({ ...letter, reason: 'no again', at: 3 * day })
  expect(other.letters().at(-1)).toMatchObject({ id: 'f1', reason: 'no again', tries: 2 })
  expect([other.drop('f2'), one.letters().length, other.drop('all')]).toEqual([1, 1, 1])
  for (let at = 0; at < 210; at++) one.bury({ ...letter, id: `x${at}`, at })
  expect([one.letters().length, one.letters()[0]?.id]).toEqual([200, 'x10'])
})

test('hooks rest when what was known of them is gone', () => {
  const { one, path } = two()
  const said: string[] = []
  const open = (file: string, isExpected: boolean) => {
    const state = openEventState(file, (sentence) => void said.push(sentence), isExpected)
    onTestFinished(() => state.close())
    return state.isPaused('a')
  }
  one.fire('a', 'reflex', day)
  expect([open(path, true), open(`${path}-first`, false)]).toEqual([false, false])
  writeFileSync(`${path}-emptied`, '')
  expect([open(`${path}-deleted`, true), open(`${path}-emptied`, true)]).toEqual([true, true])
  expect(said).toHaveLength(2)
  expect(said[0]).toMatch(/is gone \(.+\), and all hooks rest until you say: .+ events resume all/)
})

test('hooks rest when a pause could not be read', () => {
  const path = `${two().path}-own`
  const one = openEventState(path)
  const letter = { hook: 'b', word: 'w'.repeat(900), reason: '' }
  for (let at = 0; at < 60; at++) one.bury({ ...letter, id: `x${at}`, at })
  one.pause('a', true)
  one.close()
  const said: string[] = []
  const state = openEventState(path, (sentence) => void said.push(sentence))
  onTestFinished(() => state.close())
  const file = openSync(path, 'r+')
  for (let page = 1; page < statSync(path).size / 4_096; page++)
    writeSync(file, Buffer.alloc(4_096), 0, 4_096, page * 4_096)
  closeSync(file)
  expect([state.isPaused('a'), state.isPaused('c')]).toEqual([true, true])
  expect(said).toEqual([expect.stringContaining('and all hooks rest until you say')])
})

test('a word of the owner’s counts at once', () => {
  const { one, other } = two()
  other.pause('a', true)
  expect([one.isPaused('a'), one.isPaused('b')]).toEqual([true, false])
  other.pause('all', true)
  other.pause('a', false)
  expect([one.isPaused('a'), one.isPaused('b')]).toEqual([true, true])
  other.pause('all', false)
  expect(one.isPaused('a')).toBe(false)
  other.allow('a')
  other.suspect('words')
  expect([one.isAllowed('a'), one.isAllowed('b')]).toEqual([true, false])
  expect([one.isSuspect('words'), one.isSuspect('other')]).toEqual([true, false])
  expect([one.wasAsked('a', day), one.wasAsked('a', day), one.askedSince(0)]).toEqual([
    false,
    true,
    1,
  ])
  const hook = {
    key: 'a',
    event: 'day',
    tier: 'reflex',
    place: 'a.org:1',
    text: 't',
    state: 'ready',
  }
  one.list([{ ...hook, budget: 1, windowMs: day }])
  expect(other.listed()).toEqual([{ ...hook, budget: 1, windowMs: day }])
})
