import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  amendIncoming,
  beginSending,
  type Ledger,
  ledgerPath,
  nextDue,
  nextIncoming,
  openLedger,
  recordIncoming,
  recordOutgoing,
  recover,
  settleIncoming,
  settleSending,
  summary,
} from '../../src/chat/delivery-ledger.ts'
import type { Delivery, Incoming, Outgoing } from '../../src/chat/gateway.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'ledger-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const clock = { ms: 1_000_000, now: () => new Date(clock.ms) }
  return { clock, path: ledgerPath(dir), open: () => openLedger(ledgerPath(dir), clock) }
}

const saying = (text: string, chat = '1'): Outgoing => ({
  chat,
  text,
  spans: [],
  buttons: [],
  replaces: null,
})

const interrupted = (what: string, turn: string) => `${what} in ${turn}`

const heard = (key: string, text = 'x', chat = '1'): Incoming => ({
  key,
  number: key,
  chat,
  text,
  isGroup: false,
  sender: chat,
  senderName: 'Ann',
  isForwarded: false,
  isEdited: false,
  replyTo: null,
  press: null,
  files: [],
})

test('what was being sent is sent again, and says so', () => {
  const { open, path } = setting()
  const before = open()
  const ids = [
    recordOutgoing(before, 'telegram', saying('a')),
    recordOutgoing(before, 'telegram', saying('b', '2')),
    recordOutgoing(before, 'telegram', { ...saying('c', '3'), replaces: '7' }),
  ]
  beginSending(before, ids[0]!)
  beginSending(before, ids[2]!)
  before.db.close()
  const after = open()
  expect(recover(after, interrupted)).toEqual({ doubled: 2, broken: 0 })
  const seen: unknown[] = []
  for (let due = nextDue(after, 'telegram'); due && 'id' in due; due = nextDue(after, 'telegram')) {
    seen.push([due.message.text, due.isDoubled])
    settleSending(after, due.id, { kind: 'sent', id: '1' })
  }
  expect(seen.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
  ])
  expect(nextDue(after, 'signal')).toBeNull()
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

function tryOnce(ledger: Ledger, delivery: Delivery): number {
  const due = nextDue(ledger, 'telegram')
  if (due === null || !('id' in due)) throw new Error('nothing is due')
  beginSending(ledger, due.id)
  settleSending(ledger, due.id, delivery)
  const next = nextDue(ledger, 'telegram')
  return next !== null && 'dueMs' in next ? next.dueMs : 0
}

test('a message waits longer each time', () => {
  const { clock, open } = setting()
  const ledger = open()
  recordOutgoing(ledger, 'telegram', saying('a'))
  const later: Delivery = { kind: 'later', reason: 'no', retryAfterMs: null }
  const waits = Array.from({ length: 11 }, () => {
    const ms = tryOnce(ledger, later)
    clock.ms += ms
    return ms / 1_000
  })
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  recordOutgoing(ledger, 'telegram', saying('b', '2'))
  expect(tryOnce(ledger, { ...later, retryAfterMs: 7_000 })).toBe(7_000)
  clock.ms += 7_000
  expect(tryOnce(ledger, { ...later, retryAfterMs: 1e12 })).toBe(3_600_000)
  expect(summary(ledger, 'telegram')).toMatchObject({ waiting: 2, sent: 0, reason: 'no' })
})

test('a chat is a queue, and what nobody knows is marked', () => {
  const { clock, open } = setting()
  const ledger = open()
  for (const [text, chat] of [
    ['a', '1'],
    ['b', '1'],
    ['c', '2'],
  ] as const)
    recordOutgoing(ledger, 'telegram', saying(text, chat))
  tryOnce(ledger, { kind: 'unknown', reason: 'cut' })
  tryOnce(ledger, { kind: 'refused', reason: 'blocked' })
  clock.ms += 1_000
  expect(nextDue(ledger, 'telegram')).toMatchObject({ message: { text: 'a' }, isDoubled: true })
  tryOnce(ledger, { kind: 'sent', id: '5' })
  expect(nextDue(ledger, 'telegram')).toMatchObject({ message: { text: 'b' }, isDoubled: false })
  expect(summary(ledger, 'telegram')).toEqual({
    waiting: 1,
    sent: 1,
    refused: 1,
    reason: 'blocked',
  })
})

test('what came in is worked on once, or told', () => {
  const { open } = setting()
  const ledger = open()
  const took = ['1', '2', '2', '3'].map((key) =>
    recordIncoming(ledger, 'telegram', heard(key, `say ${key}`, key === '3' ? '9' : '1')),
  )
  expect(took).toEqual([true, true, false, true])
  const [one, three] = [nextIncoming(ledger, 'telegram'), nextIncoming(ledger, 'telegram')]
  expect([one?.message.key, three?.message.key]).toEqual(['1', '3'])
  expect(nextIncoming(ledger, 'telegram')).toBeNull()
  settleIncoming(ledger, three!.id)
  ledger.db.close()
  const after = open()
  expect(recover(after, interrupted)).toEqual({ doubled: 0, broken: 1 })
  expect(recover(after, interrupted)).toEqual({ doubled: 0, broken: 0 })
  expect(nextDue(after, 'telegram')).toMatchObject({
    message: { chat: '1', text: '“say 1” in incoming-1' },
  })
  expect(nextIncoming(after, 'telegram')?.message.key).toBe('2')
  expect(recordIncoming(after, 'telegram', heard('1'))).toBe(false)
})

test('a change is taken as long as nobody has read the message', () => {
  const ledger = setting().open()
  for (const key of ['1', '2', '3']) recordIncoming(ledger, 'telegram', heard(key, `say ${key}`))
  const first = nextIncoming(ledger, 'telegram')!
  const amend = (number: string, text: string, sender = '1') =>
    amendIncoming(ledger, 'telegram', { ...heard('9', text), number, sender })
  expect(amend('1', 'say one')).toBe('late')
  expect([amend('2', 'say two'), amend('2', 'say two')]).toEqual(['taken', 'same'])
  expect([amend('3', 'mine', '7'), amend('4', 'x')]).toEqual(['same', 'same'])
  settleIncoming(ledger, first.id)
  expect(nextIncoming(ledger, 'telegram')?.message).toMatchObject({
    text: 'say two',
    isEdited: true,
  })
})

const step = fc.constantFrom('record', 'sent', 'later', 'unknown', 'refused', 'crash')

test('none is lost, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const clock = { ms: 0, now: () => new Date(clock.ms) }
      const ledger = openLedgerInMemory(clock)
      let recorded = 0
      for (const what of steps) {
        clock.ms += 3_600_000
        if (what === 'record') recordOutgoing(ledger, 'signal', saying(String(recorded++)))
        const due = nextDue(ledger, 'signal')
        if (what === 'record' || due === null || !('id' in due)) continue
        beginSending(ledger, due.id)
        if (what === 'crash') recover(ledger, interrupted)
        else if (what === 'sent') settleSending(ledger, due.id, { kind: what, id: '1' })
        else settleSending(ledger, due.id, { kind: what, reason: 'r', retryAfterMs: null })
      }
      const { waiting, sent, refused } = summary(ledger, 'signal')
      expect(waiting + sent + refused).toBe(recorded)
    }),
    { numRuns: 40 },
  )
})

function openLedgerInMemory(clock: { now(): Date }): Ledger {
  const dir = mkdtempSync(join(tmpdir(), 'ledger-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return openLedger(ledgerPath(dir), clock)
}
