import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  Approvals,
  actionDigest,
  approvalLifetimeMs,
  Refusals,
} from '../../src/approval/approvals.ts'
import { SealedFolder } from '../../src/base/sealed.ts'
import type { Action, Signal } from '../../src/contract/signal.ts'

const action: Action = {
  type: 'request',
  target: 'shell',
  payload: { action: 'execute', cmd: 'ls' },
}
const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's1', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'run ls' },
  depth: 3,
}
function clockAt(start: number) {
  const clock = { ms: start, now: () => new Date(clock.ms) }
  return clock
}
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'approvals-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return join(dir, 'approvals')
}

test('the digest does not depend on the order of fields, and on everything else', () => {
  const other: Action = {
    payload: { cmd: 'ls', action: 'execute' },
    target: 'shell',
    type: 'request',
  }
  expect(actionDigest(other)).toBe(actionDigest(action))
  fc.assert(
    fc.property(fc.string(), (cmd) => {
      const changed = { ...action, payload: { ...action.payload, cmd } }
      expect(actionDigest(changed) === actionDigest(action)).toBe(cmd === 'ls')
    }),
  )
})

test('a token is good once', () => {
  const approvals = new Approvals(clockAt(0))
  const { token, id } = approvals.ask(action, signal, 'really?')
  expect(approvals.take('abc')).toBeNull()
  expect(approvals.take(token.toUpperCase())).toMatchObject({ action, reason: 'really?' })
  expect([approvals.take(token), approvals.take(id)]).toEqual([null, null])
})

test('a token is good for a day', () => {
  const clock = clockAt(0)
  const approvals = new Approvals(clock, new SealedFolder(folder()))
  const [first, second] = [1, 2].map(() => approvals.ask(action, signal, 'really?'))
  clock.ms = approvalLifetimeMs - 1
  expect(approvals.take(first!.token)).not.toBeNull()
  clock.ms++
  expect(approvals.take(second!.token)).toBeNull()
  expect(approvals.expire().map(({ id }) => id)).toEqual([second!.id])
  expect([approvals.expire(), approvals.open()]).toEqual([[], []])
})

test('of too many the oldest goes', () => {
  const approvals = new Approvals(clockAt(0))
  const asked = Array.from({ length: 101 }, () => approvals.ask(action, signal, 'really?'))
  expect(approvals.take(asked[0]!.token)).toBeNull()
  expect(approvals.expire().map(({ id }) => id)).toEqual([asked[0]!.id])
  expect(approvals.take(asked[1]!.token)).not.toBeNull()
})

test('a question outlives the daemon, and its answer too', () => {
  const dir = folder()
  const before = new Approvals(clockAt(0), new SealedFolder(dir))
  const asked = before.ask(action, signal, 'really?', {
    askers: [{ gate: 'dispatcher', rule: 'shell.unknown', reason: 'really?' }],
    preview: '+ a',
  })
  const after = new Approvals(clockAt(1), new SealedFolder(dir))
  expect(after.open()).toEqual([asked])
  expect(after.take(asked.token)).toEqual(asked)
  expect(before.take(asked.token)).toBeNull()
  const later = new Approvals(clockAt(2), new SealedFolder(dir))
  expect([later.take(asked.token), later.spentBefore]).toEqual([null, [asked]])
  expect(new Approvals(clockAt(approvalLifetimeMs), new SealedFolder(dir)).open()).toEqual([])
  expect(readdirSync(dir)).toEqual(['key'])
})

test('a record that was changed on the disk is no question', () => {
  const dir = folder()
  const { id, token } = new Approvals(clockAt(0), new SealedFolder(dir)).ask(action, signal, '')
  const path = join(dir, `${id}.open`)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"ls"', '"rm"'))
  const after = new Approvals(clockAt(0), new SealedFolder(dir))
  expect([after.take(token), after.broken]).toEqual([null, [id]])
})

test('a no is remembered until the owner says something new', () => {
  const refusals = new Refusals()
  const other = { ...signal, meta: { source: 'cli', sessionId: 's2' } }
  refusals.add(new Approvals(clockAt(0)).ask(action, signal, 'really?'))
  expect(refusals.has({ ...action }, signal)).toBe(true)
  expect(refusals.has(action, other)).toBe(false)
  expect(refusals.has({ ...action, target: 'tool' }, signal)).toBe(false)
  refusals.forget('s2')
  expect(refusals.has(action, signal)).toBe(true)
  refusals.forget('s1')
  expect(refusals.has(action, signal)).toBe(false)
})
