import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { decisionIn, type OpenQuestion, sendQuestion } from '../../src/chat/approvals.ts'
import {
  beginSending,
  ledgerPath,
  nextDue,
  openLedger,
  settleSending,
} from '../../src/chat/delivery-ledger.ts'
import type { Incoming } from '../../src/chat/gateway.ts'

const question: OpenQuestion = { id: 'a1', token: 'kfhtmw', digest: 'd1', expires: 5_000 }

function setting(hasButtons = true) {
  const dir = mkdtempSync(join(tmpdir(), 'approvals-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const clock = { ms: 0, now: () => new Date(clock.ms) }
  const ledger = openLedger(ledgerPath(dir), clock)
  const message = { chat: '7', text: 'Really?', spans: [], buttons: [], replaces: null }
  sendQuestion(ledger, 'telegram', message, { question, hasButtons })
  const due = nextDue(ledger, 'telegram')
  if (due === null || !('id' in due)) throw new Error('nothing is due')
  beginSending(ledger, due.id)
  settleSending(ledger, due.id, { kind: 'sent', id: '101' })
  const [yes = '', no = ''] = due.message.buttons.map(({ data }) => data)
  const decide = (more: Partial<Incoming>, open = [question], mayDecide = true) =>
    decisionIn(ledger, 'telegram', { ...said, ...more }, { open, mayDecide })
  return { clock, ledger, yes, no, decide, text: due.message.text }
}

const said: Incoming = {
  key: '1',
  number: '1',
  chat: '7',
  isGroup: false,
  sender: '7',
  senderName: 'Ann',
  text: '',
  isForwarded: false,
  isEdited: false,
  replyTo: null,
  press: null,
  files: [],
}
const press = (data: string, message = '101') => ({ press: { id: 'q', data, message } })

test('a button is good once', () => {
  const { decide, no, yes } = setting()
  expect(decide(press(yes))).toMatchObject({
    kind: 'decided',
    words: 'approve kfhtmw',
    isYes: true,
    message: { chat: '7', replaces: '101', text: 'Really?\n\nYou approved this.', buttons: [] },
  })
  expect(decide(press(yes)).kind).toBe('refused')
  expect(decide(press(no)).kind).toBe('refused')
  expect(setting().decide(press(yes)).kind).toBe('refused')
})

test('a press that does not count uses nothing up', () => {
  const { clock, decide, ledger, yes } = setting()
  const other = { ...question, digest: 'd2' }
  const tries = [
    decide({ ...press(yes), isForwarded: true }),
    decide({ ...press(yes), isEdited: true }),
    decide({ ...press(yes), chat: '8' }),
    decide(press(yes, '102')),
    decide({ press: { id: 'q', data: yes, message: null } }),
    decide(press(`y:${'A'.repeat(22)}`)),
    decide(press('y:../../x')),
    decide(press('approve kfhtmw')),
    decide(press(yes), [question], false),
    decide(press(yes), [other]),
    decide(press(yes), []),
    decisionIn(ledger, 'signal', { ...said, ...press(yes) }, { open: [question], mayDecide: true }),
  ]
  expect(tries.map(({ kind }) => kind)).toEqual(tries.map(() => 'refused'))
  clock.ms = 5_000
  expect(decide(press(yes)).kind).toBe('refused')
  clock.ms = 4_999
  expect(decide(press(yes)).kind).toBe('decided')
})

test('a reply answers the question that it quotes', () => {
  const { decide, text } = setting(false)
  expect(text).toContain('Reply “yes” or “no”')
  const reply = (text: string, more: Partial<Incoming> = {}) =>
    decide({ text, replyTo: '101', ...more })
  expect(reply('yes, but not that one')).toEqual({ kind: 'none' })
  for (const thumb of ['👍', '👍🏽', ' 👎 ', '✅', '❤️'])
    expect(reply(thumb)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/picture/),
    })
  expect(reply('👍', { replyTo: '102' })).toEqual({ kind: 'none' })
  expect(reply('yes', { replyTo: '102' })).toEqual({ kind: 'none' })
  expect(reply('yes', { replyTo: null })).toEqual({ kind: 'none' })
  expect(reply('yes', { chat: '8' })).toEqual({ kind: 'none' })
  const file = { id: 'f', name: 'a.png', type: 'image/png', size: 1 }
  expect(reply('ok', { files: [file] })).toEqual({ kind: 'none' })
  expect(reply('yes', { isForwarded: true }).kind).toBe('refused')
  expect(reply(' No. ')).toMatchObject({ kind: 'decided', words: 'deny kfhtmw', message: null })
  expect(reply('yes').kind).toBe('refused')
})
