import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageAction, parseAction, parseSignal } from '../src/signal.ts'

test('a proposal cannot approve itself', () => {
  const proposal = {
    type: 'request',
    target: 'shell',
    approved: true,
    meta: { source: 'owner' },
    payload: { action: 'execute', cmd: 'ls', approved: true, __proto__: { approved: true } },
  }
  expect(parseAction(proposal)).toEqual({
    ok: true,
    value: { type: 'request', target: 'shell', payload: { action: 'execute', cmd: 'ls' } },
  })
})

test('a reason names the field', () => {
  expect(parseAction({ type: 'request', payload: {} })).toMatchObject({
    ok: false,
    reason: expect.stringContaining('payload.action'),
  })
  expect(parseSignal({ type: 'rumour', meta: {}, payload: {} }).ok).toBe(false)
})

test('anything can be parsed', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(typeof parseAction(value).ok).toBe('boolean')
      expect(typeof parseSignal(value).ok).toBe('boolean')
    }),
  )
})

test('a message is an action like any other', () => {
  expect(parseAction(messageAction('Hello'))).toMatchObject({ ok: true })
})
