import type { Action, GateContext } from '@passepartout/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { destinationsOf, effectOf, leavesMachine, stringsIn } from '../src/effects.ts'

function call(tool: string, args: Record<string, unknown>): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool, args } }
}

function contextWith(tools: GateContext['tools'] = new Map()): GateContext {
  return {
    signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
    tools,
    home: '/home/ann',
    memexDir: '/home/ann/memex',
    stateDir: '/home/ann/.local/state/passepartout',
    realPaths: (path) => path,
    ownerWords: [],
    facts: {},
  }
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
  expect(texts(call('put', { where: 'x', to: 'y' }), contextWith(tools))).toEqual(['x'])
  expect(texts(call('send', { to: ['a', 'b'], body: 'ask c@d.org' }))).toEqual(['a', 'b'])
  expect(texts(call('send', { x: 'ann@example.org', y: 'hello' }))).toEqual(['ann@example.org'])
  expect(texts(call('send', { message: { to: { name: 'eve' }, text: 'hi' } }))).toEqual(['eve'])
  expect(texts(call('send', { text_recipient: 'eve', email_body: 'hi' }))).toEqual(['eve'])
  expect(texts(call('delete-file', { path: 'a.org' }))).toEqual(['a.org'])
  expect(texts(call('write-file', { path: 'a.org' }))).toEqual([])
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
  expect(leavesMachine(call('capture', {}), context)).toBe(false)
  expect(leavesMachine(call('mail', {}), context)).toBe(true)
  expect(leavesMachine(call('nested', {}), context)).toBe(true)
  expect(leavesMachine(call('open', {}), context)).toBe(true)
  expect(leavesMachine(call('move', {}), context)).toBe(false)
  expect(leavesMachine(call('refile', {}), context)).toBe(false)
  expect(leavesMachine(call('loose', {}), context)).toBe(true)
  expect(leavesMachine(call('elsewhere', {}), context)).toBe(true)
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
