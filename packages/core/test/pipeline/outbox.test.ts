import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { Mail, Outbox } from '../../src/pipeline/outbox.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'outbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function setting(here: string[] = [], dir = folder(), rowsMax = 100) {
  const sent: string[] = []
  const clock = { ms: Date.parse('2026-11-22T08:00'), now: () => new Date(clock.ms) }
  const sessions = {
    has: (id: string) => here.includes(id),
    of: (source: string) => here.filter((id) => id.startsWith(source)),
  }
  const mail = new Mail({ path: join(dir, 'outbox.db'), clock, told: () => {}, rowsMax })
  const send = ({ meta, payload }: Signal) =>
    void sent.push(`${meta.sessionId} ${payload.action === 'turn-end' ? 'end' : payload.text}`)
  const outbox = new Outbox(send, sessions, mail)
  onTestFinished(() => outbox.close())
  const come = (id: string) => {
    here.push(id)
    outbox.connected(id, id.split('-')[0]!)
  }
  return { clock, come, dir, here, outbox, sent }
}

function answer(text: string, sessionId?: string): Signal {
  const payload = { action: 'message', text }
  return { type: 'response', meta: { source: 'cli', sessionId }, payload, depth: 0 }
}

test('an answer follows the owner', () => {
  const { come, here, sent, outbox } = setting(['cli-1', 'cli-2', 'phone-1'])
  outbox.send(answer('a', 'cli-1'))
  here.shift()
  outbox.send(answer('late', 'cli-1'))
  outbox.follow('cli-1', 'phone-1')
  outbox.send(answer('b', 'cli-1'))
  here.pop()
  outbox.send(answer('c', 'cli-1'))
  here.pop()
  outbox.send(answer('d', 'cli-1'))
  outbox.send({ ...answer('stream', 'cli-1'), type: 'stream-chunk' })
  outbox.connected('cli-0', 'cli')
  for (const id of ['phone-2', 'cli-3', 'cli-4']) come(id)
  expect(sent).toEqual(['cli-1 a', 'phone-1 b', 'cli-2 c', 'cli-3 d'])
})

test('an answer waits for a session whose connection was lost', () => {
  const { come, sent, outbox } = setting()
  const end: Signal = { ...answer('', 'cli-1'), type: 'status', payload: { action: 'turn-end' } }
  outbox.send({ ...answer('piece', 'cli-1'), type: 'stream-chunk' })
  outbox.send(answer('whole', 'cli-1'))
  outbox.send(end)
  for (const id of ['cli-2', 'cli-1', 'cli-1']) come(id)
  expect(sent).toEqual(['cli-1 whole', 'cli-1 end'])
})

test('what waits for lost connections is bounded', () => {
  const { come, sent, outbox } = setting()
  for (let at = 0; at < 6; at++) outbox.send(answer(String(at).repeat(1_000_000), 'cli-1'))
  for (let at = 0; at < 300; at++) outbox.send(answer(`${at}`, `cli-${at}`))
  come('cli-1')
  come('cli-299')
  expect(sent).toEqual(['cli-299 299'])
})

test('mail outlives the daemon, and any terminal gets it once', () => {
  const first = setting()
  expect(readdirSync(first.dir)).toEqual([])
  first.outbox.send(answer('It is time: Ferns'))
  first.outbox.close()
  const second = setting([], first.dir)
  second.clock.ms += 3_600_000
  for (const id of ['editor-1', 'tui-1', 'cli-1']) second.come(id)
  expect(second.sent).toEqual(['tui-1 It is time: Ferns\n(2026-11-22 08:00)'])
})

test('much mail is summed up, and nothing is lost', () => {
  const { come, outbox, sent } = setting()
  for (let at = 0; at < 30; at++) outbox.send(answer(`It is time: ${at}.`))
  for (let at = 0; at < 30; at++) outbox.send(answer('It is time: again.'))
  const asked = answer('This needs your approval')
  outbox.send({ ...asked, payload: { ...asked.payload, question: { token: 'abcdef' } } })
  come('cli-1')
  come('cli-2')
  expect(sent).toHaveLength(2)
  expect(sent[0]).toContain('31 messages have waited for you.')
  for (let at = 0; at < 30; at++) expect(sent[0]).toContain(`It is time: ${at}.`)
  expect(sent[0]).toContain('It is time: again.\n(2026-11-22 08:00, 30 times)')
  expect(sent[1]).toBe('cli-1 This needs your approval')
})

test('above the bound the oldest is counted', () => {
  const { come, outbox, sent } = setting()
  for (let at = 0; at < 105; at++) outbox.send(answer(`${at}.`))
  come('cli-1')
  expect(sent[0]).toContain('There was more than could be kept here')
  expect(sent[0]).toMatch(/\n\n104\.$/)
})

test('mail that cannot be written is kept in memory', () => {
  const dir = folder()
  const { come, outbox, sent } = setting([], join(dir, 'no such folder', 'x'))
  outbox.send(answer('a'))
  come('cli-1')
  come('cli-2')
  expect(sent).toEqual(['cli-1 a'])
})
