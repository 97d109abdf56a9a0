import type { Action, GateContext } from '@passepartout/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { destinationsOf, effectOf, leavesMachine, stringsIn } from '../../src/actions/effects.ts'
import { annContext, callOf } from '../verdicts/ann.ts'

function contextWith(tools: GateContext['tools'] = new Map()): GateContext {
  return annContext({ tools })
}

test.each([
  ['GmailSendEmail', 'message'],
  ['send_money', 'payment'],
  ['message_search', 'read'],
  ['BankManagerTransferFunds', 'payment'],
  ['delete-file', 'deletion'],
  ['AugustSmartLockGrantGuestAccess', 'share'],
  ['get_webpage', 'read'],
  ['TeladocViewReviews', 'read'],
  ['frobnicate', 'unknown'],
  ['rate_app', 'unknown'],
  ['weather', 'read'],
  ['weather_alert_send', 'message'],
  ['check_order_status', 'read'],
  ['get_email_by_id', 'read'],
  ['search-and-delete', 'deletion'],
])('%s is a %s', (name, effect) => {
  expect(effectOf(name)).toBe(effect)
})

test('destinations are found by mark, name, and shape', () => {
  const texts = (action: Action, context = contextWith()) =>
    destinationsOf(action, context).map(({ text }) => text)
  const parameters = z.object({ where: z.string().meta({ destination: true }), to: z.string() })
  const tools = new Map([['put', { parameters, readOnly: false }]])
  expect(texts(callOf('put', { where: 'x', to: 'y' }), contextWith(tools))).toEqual(['x'])
  expect(texts(callOf('send', { to: ['a', 'b'], body: 'ask c@d.org' }))).toEqual(['a', 'b'])
  expect(texts(callOf('send', { x: 'ann@example.org', y: 'hello' }))).toEqual(['ann@example.org'])
  expect(texts(callOf('send', { message: { to: { name: 'eve' }, text: 'hi' } }))).toEqual(['eve'])
  expect(texts(callOf('send', { text_recipient: 'eve', email_body: 'hi' }))).toEqual(['eve'])
  expect(texts(callOf('delete-file', { path: 'a.org' }))).toEqual(['a.org'])
  expect(texts(callOf('write-file', { path: 'a.org' }))).toEqual([])
})

test('notes stay here, and mail, shell and gateways do not', () => {
  const capture = { parameters: z.object({ title: z.string() }), readOnly: false }
  const mail = { parameters: z.object({ to: z.string() }), readOnly: false }
  const move = { parameters: z.object({ to: z.string().regex(/^<\d/) }), readOnly: false }
  const nested = { parameters: z.object({ note: z.object({ to: z.string() }) }), readOnly: false }
  const open = { parameters: z.object({ note: z.unknown() }), readOnly: false }
  const refile = { ...mail, reach: 'notes' as const }
  const loose = { parameters: z.looseObject({}), readOnly: false }
  const context = contextWith(
    new Map(Object.entries({ capture, mail, move, refile, nested, open, loose })),
  )
  expect(leavesMachine(callOf('capture', {}), context)).toBe(false)
  expect(leavesMachine(callOf('mail', {}), context)).toBe(true)
  expect(leavesMachine(callOf('nested', {}), context)).toBe(true)
  expect(leavesMachine(callOf('open', {}), context)).toBe(true)
  expect(leavesMachine(callOf('move', {}), context)).toBe(false)
  expect(leavesMachine(callOf('refile', {}), context)).toBe(false)
  expect(leavesMachine(callOf('loose', {}), context)).toBe(true)
  expect(leavesMachine(callOf('elsewhere', {}), context)).toBe(true)
  const message = { type: 'request', payload: { action: 'message', text: 'x' } } as const
  expect(leavesMachine(message, context)).toBe(false)
  expect(leavesMachine({ ...message, target: 'telegram' }, context)).toBe(true)
  const signal = { ...context.signal, meta: { source: 'telegram' } }
  expect(leavesMachine(message, { ...context, signal })).toBe(true)
})

test('strings are found at any depth', () => {
  expect(stringsIn({ a: [{ to: 'x' }], n: 7, none: null })).toEqual([
    { field: 'a.to', text: 'x' },
    { field: 'n', text: '7' },
  ])
})
