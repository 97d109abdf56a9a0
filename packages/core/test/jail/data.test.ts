import { expect, test } from 'vitest'
import { JailError, lineIn, readContributions, readPlain, readReply } from '../../src/jail/data.ts'

test.each([
  ['no text', 7, 'no text'],
  ['too much', JSON.stringify('x'.repeat(1_000)), 'too long'],
  ['no JSON', '{', 'no JSON'],
  ['too deep', `${'['.repeat(40)}${']'.repeat(40)}`, 'too deep'],
  ['a key that is a trap', '{"a": {"__proto__": {"isAdmin": true}}}', '__proto__'],
])('%s is refused', (_, text, message) => {
  expect(() => readPlain(text, 1_000)).toThrow(message)
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false)
})

test('a short text can have too many parts', () => {
  expect(() => readPlain(`[${'[],'.repeat(30_000)}0]`, 200_000)).toThrow('too many parts')
  expect(readPlain('{"a": [1, null]}', 1_000)).toEqual({ a: [1, null] })
})

test('a contribution has a shape', () => {
  const gate = { kind: 'gate', name: 'quiet', priority: 10 }
  expect(readContributions([gate])).toEqual([gate])
  expect(() => readContributions([{ ...gate, priority: 'high' }])).toThrow('gate quiet: priority')
  expect(() => readContributions([{ ...gate, kind: 'actuator' }])).toThrow('actuator quiet')
})

test('an error has its line', () => {
  const stack =
    'Error\n  at f (jail.js:1:1)\n  at check (skill-quiet.js:12:5)\n  at skill-quiet.js:40:1'
  expect(lineIn(stack, 'quiet')).toBe(12)
  expect(lineIn(stack, 'loud')).toBeNull()
  const reply = JSON.stringify({ ok: false, message: 'Error: no', stack, printed: [] })
  expect(() => readReply(reply, 'quiet', 10_000)).toThrow(new JailError('failed', 'Error: no', 12))
  expect(() => readReply('{"ok": "yes"}', 'quiet', 10_000)).toThrow('its reply is none')
})
