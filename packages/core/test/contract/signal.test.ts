import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageAction, parseAction, parseSignal } from '../../src/contract/signal.ts'

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

function nested(levels: number): unknown {
  return levels === 0 ? '/etc/shadow' : { a: nested(levels - 1) }
}

test.each([
  ['eight levels', nested(8), true],
  ['a list', { paths: ['a', null, true, 1.5] }, true],
  ['nine levels', nested(9), false],
  ['a function', { path: () => '/etc/shadow' }, false],
  ['a map', { path: new Map([['a', 1]]) }, false],
  ['no number', { count: Number.NaN }, false],
  ['a number that JSON cannot hold', { count: 2n ** 64n }, false],
])('arguments with %s', (_, args, ok) => {
  const payload = { action: 'call', tool: 'show-note', args }
  expect(parseAction({ type: 'request', target: 'tool', payload }).ok).toBe(ok)
})

test('arguments that hold themselves are refused', () => {
  const args: Record<string, unknown> = {}
  args.args = args
  expect(parseAction({ type: 'request', payload: { action: 'call', args } }).ok).toBe(false)
})

test('whatever a proposal holds, only known fields come out', () => {
  const known = [
    'type',
    'target',
    'payload',
    'action',
    'text',
    'tool',
    'args',
    'cmd',
    'explanation',
  ]
  const payload = fc.dictionary(fc.string(), fc.string()).map((more) => ({ ...more, action: 'x' }))
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), payload, (more, payload) => {
      const { args: _, ...rest } = payload as Record<string, unknown>
      const parsed = parseAction({ ...more, target: undefined, type: 'request', payload: rest })
      if (!parsed.ok) throw new Error(parsed.reason)
      expect(known).toEqual(
        expect.arrayContaining([
          ...Object.keys(parsed.value),
          ...Object.keys(parsed.value.payload),
        ]),
      )
    }),
  )
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
