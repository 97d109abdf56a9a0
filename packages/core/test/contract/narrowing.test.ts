import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMasked, wideningOf } from '../../src/contract/narrowing.ts'
import { type Action, messageAction } from '../../src/contract/signal.ts'

const call = (tool: string, args: Record<string, unknown>): Action => ({
  type: 'request',
  target: 'tool',
  payload: { action: 'call', tool, args, explanation: 'It was asked for.' },
})

const masked = fc.tuple(fc.string(), fc.nat(), fc.nat()).map(([text, a, b]) => {
  const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y)
  return [text, `${text.slice(0, from)}█${text.slice(to)}`] as const
})

test('a masked text is narrower, and so is one that was masked again', () => {
  fc.assert(
    fc.property(masked, fc.nat(), ([text, once], at) => {
      const twice = `${once.slice(0, at % (once.length + 1))}…`
      expect(wideningOf(messageAction(text), messageAction(once))).toBeNull()
      expect(isMasked(text, text)).toBe(true)
      expect(isMasked(text, twice)).toBe(true)
    }),
  )
})

test('a text with something new in it is not', () => {
  fc.assert(
    fc.property(masked, ([text, once]) => {
      expect(isMasked(text, `${once}☃`)).toBe(false)
      expect(isMasked(text, `☃${once}`)).toBe(false)
    }),
  )
  expect(isMasked('I have not deleted it', 'I have deleted it')).toBe(false)
  expect(isMasked('abc', 'c█a')).toBe(false)
})

const before = call('capture-task', { title: 'Call Ana', tags: ['home', 'phone'], count: 3 })

test.each([
  ['another tool', call('complete-task', { query: 'Pay the rent' }), 'tool'],
  ['another argument', call('capture-task', { title: 'Pay', tags: ['home'], count: 3 }), 'args'],
  ['an argument that is gone', call('capture-task', { title: 'Call Ana' }), 'args'],
  ['an argument that is new', call('capture-task', { ...before.payload.args, to: 'x' }), 'args'],
  ['a shorter list', call('capture-task', { ...before.payload.args, tags: ['home'] }), 'args'],
  ['a mask in an argument', call('capture-task', { ...before.payload.args, title: '█' }), 'args'],
  ['another target', { ...before, target: 'shell' }, 'target'],
  [
    'another reason',
    { ...before, payload: { ...before.payload, explanation: 'x' } },
    'explanation',
  ],
  ['a message', messageAction('Call Ana'), 'target'],
] satisfies [string, Action, string][])('%s is not narrower', (_, after, field) => {
  expect(wideningOf(before, after)).toBe(field)
})

test('any other argument is found, and the same one is not', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (args, value) => {
      const given = call('x', { ...args, a: 1 })
      expect(wideningOf(given, structuredClone(given))).toBeNull()
      expect(wideningOf(given, call('x', { ...args, a: [value] }))).toBe('args')
    }),
  )
})
