import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ledgerPath, openLedger } from '../../src/chat/delivery-ledger.ts'
import type { Incoming } from '../../src/chat/gateway.ts'
import {
  allow,
  codeIn,
  codeLifetimeMs,
  createDoorkeeper,
  deny,
  isPaired,
  newCode,
  people,
  triesMax,
} from '../../src/chat/pairing.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'pairing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const clock = { ms: 0, now: () => new Date(clock.ms) }
  const ledger = openLedger(ledgerPath(dir), clock)
  const told: string[] = []
  const door = createDoorkeeper(ledger, 'telegram', (text) => told.push(text))
  return { clock, ledger, told, door }
}

const from = (sender: string, text: string, more: Partial<Incoming> = {}): Incoming => ({
  key: '1',
  number: '1',
  chat: sender,
  text,
  isGroup: false,
  sender,
  senderName: 'Ann',
  isForwarded: false,
  isEdited: false,
  replyTo: null,
  press: null,
  files: [],
  ...more,
})

test('a code is good once, for ten minutes', () => {
  const { clock, door, ledger } = setting()
  const first = newCode(ledger, 'telegram')
  expect(first).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
  const code = newCode(ledger, 'telegram')
  expect(door(from('1', first))).toBe('stranger')
  expect(door(from('2', `/start ${code.toLowerCase()}`))).toBe('paired')
  expect(door(from('3', code))).toBe('stranger')
  expect(door(from('2', 'hello'))).toBe('known')
  const late = newCode(ledger, 'telegram')
  clock.ms += codeLifetimeMs
  expect(door(from('3', late))).toBe('stranger')
  expect(people(ledger)).toMatchObject([{ gateway: 'telegram', number: '2', name: 'Ann' }])
})

test.each([
  ['in a group', { isGroup: true }],
  ['forwarded', { isForwarded: true }],
  ['edited', { isEdited: true }],
  ['on a button', { press: { id: '1', data: 'x', message: null } }],
])('a code %s lets nobody in, and is not spent', (_, more) => {
  const { door, ledger } = setting()
  const code = newCode(ledger, 'telegram')
  expect(door(from('1', code, more))).toBe('stranger')
  expect(door(from('1', `pair ${code}`))).toBe('paired')
})

test('who guesses is not heard any more', () => {
  const { clock, door, ledger, told } = setting()
  const code = newCode(ledger, 'telegram')
  for (let index = 0; index < triesMax.person; index++) door(from('1', 'AAAA-AAAA'))
  expect(told).toEqual([])
  for (let index = 0; index < 3; index++) expect(door(from('1', code))).toBe('stranger')
  expect(told).toEqual([expect.stringContaining('telegram:1 has said 5 wrong codes')])
  for (let index = 0; index < 20_000; index++) door(from(`x${index}`, 'AAAA-AAAA'))
  expect(door(from('2', code))).toBe('stranger')
  const rows = ['people', 'incoming', 'outgoing', 'chats'].map(
    (table) => ledger.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n,
  )
  expect(rows).toEqual([0, 0, 0, 0])
  expect(told.slice(1)).toEqual([expect.stringContaining('100 wrong codes')])
  clock.ms += codeLifetimeMs
  expect(door(from('2', newCode(ledger, 'telegram')))).toBe('paired')
})

test('the list is the owner’s', () => {
  const { door, ledger } = setting()
  allow(ledger, 'signal', '1')
  expect(door(from('1', 'hello'))).toBe('stranger')
  allow(ledger, 'telegram', '1', 'Eve\u202e\n')
  expect(door(from('1', 'hello'))).toBe('known')
  expect(people(ledger).map(({ name }) => name)).toEqual(['', 'Eve'])
  expect(deny(ledger, 'telegram', '1')).toBe(true)
  expect([deny(ledger, 'telegram', '1'), isPaired(ledger, 'telegram', '1')]).toEqual([false, false])
  expect(door(from('1', 'hello'))).toBe('stranger')
})

test.each([
  'hello',
  'pair',
  '/start',
  'ABCD-EFG',
  'ABCDEFGHJ',
  'IIII-OOOO',
  `${' '.repeat(50)}ABCD-EFGH`,
])('%s is no code', (text) => expect(codeIn(text)).toBeNull())
