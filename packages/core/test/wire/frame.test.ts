import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeFrame, FrameDecoder } from '../../src/wire/frame.ts'

const text = fc.string({ unit: 'grapheme' })

test('the length counts code points', () => {
  expect(encodeFrame('(:TYPE :EVENT :PAYLOAD (:ACTION :HANDSHAKE))').toString()).toMatch(
    /^00002C\(/,
  )
  expect(encodeFrame('🌱é').toString()).toBe('000002🌱é')
})

test('messages arrive whole, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(text), fc.array(fc.nat(20)), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map(encodeFrame))
      const decoder = new FrameDecoder()
      const received: string[] = []
      let at = 0
      for (const cut of cuts) {
        received.push(...decoder.push(bytes.subarray(at, at + cut)))
        at += Math.min(cut, bytes.length - at)
      }
      received.push(...decoder.push(bytes.subarray(at)))
      expect(received).toEqual(messages)
    }),
  )
})

test('a limit lifted by the first message holds for the second in the same piece', () => {
  const decoder = new FrameDecoder(2)
  const received: string[] = []
  for (const message of decoder.messages(
    Buffer.concat([encodeFrame('hi'), encodeFrame('hello')]),
  )) {
    decoder.codePointsMax = 5
    received.push(message)
  }
  expect(received).toEqual(['hi', 'hello'])
})

test.each([
  ['a browser', 'G'],
  ['small letters', '00002c'],
  ['a sign', '-00001'],
  ['too much', 'FFFFFF'],
  ['a stray byte', Buffer.from('000001\xff', 'latin1')],
  ['an overlong slash', Buffer.from('000001\xc0\xaf', 'latin1')],
  ['a surrogate', Buffer.from('000001\xed\xa0\x80', 'latin1')],
])('%s is refused', (_, bytes) => {
  expect(() => new FrameDecoder().push(Buffer.from(bytes))).toThrow('Expected')
})

test.each([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
  '\u0016',
])('of %j the first byte is too much', (verb) => {
  expect(() => new FrameDecoder().push(Buffer.from(verb.slice(0, 1)))).toThrow('Expected')
})

test('a long message may come one byte at a time', () => {
  const decoder = new FrameDecoder()
  const message = 'é'.repeat(500_000)
  const bytes = encodeFrame(message)
  const received: string[] = []
  for (let at = 0; at < bytes.length; at++)
    received.push(...decoder.push(bytes.subarray(at, at + 1)))
  expect(received).toEqual([message])
})
