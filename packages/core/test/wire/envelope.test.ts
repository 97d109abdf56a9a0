import { expect, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { decodeSignal, encodeSignal } from '../../src/wire/envelope.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's-1' },
  payload: { sensor: 'user-input', text: 'say "hi"' },
  depth: 0,
}

test('a signal survives the way', () => {
  expect(encodeSignal(signal)).toBe(
    '(:TYPE :EVENT :META (:SOURCE :CLI :SESSION-ID "s-1") :PAYLOAD (:SENSOR :USER-INPUT :TEXT "say \\"hi\\"") :DEPTH 0)',
  )
  expect(decodeSignal(encodeSignal(signal))).toEqual({ ok: true, value: signal })
})

test('what may be missing may be missing, or NIL', () => {
  const text = '(:type :event :meta nil :payload (:sensor :user-input :text "x" :action nil))'
  expect(decodeSignal(text)).toEqual({
    ok: true,
    value: {
      type: 'event',
      meta: { source: 'cli' },
      payload: { sensor: 'user-input', text: 'x' },
      depth: 0,
    },
  })
})

test.each([
  '',
  '(',
  '(:TYPE)',
  '#.(quit)',
  '"text"',
  '(:TYPE :EVENT :PAYLOAD 7)',
  '(:__PROTO__ 1)',
  '1e400',
  '() ()',
  '('.repeat(70),
])('%j is refused with a reason', (text) => {
  expect(decodeSignal(text)).toEqual({ ok: false, reason: expect.stringMatching(/./) })
  const named = decodeSignal(`(:META (:SOURCE "x(" :TURN "a \\"b\\"") :X ${text}`)
  expect(named).toMatchObject({ ok: false, turn: 'a "b"' })
})

test.each([
  ['(:TYPE :RUMOUR :META (:TURN "t") :PAYLOAD ())', 't'],
  ['(:TYPE :EVENT :META (:TURN "t" :SOURCE "No Name") :PAYLOAD 7)', 't'],
  ['(:TYPE :EVENT :META (:TURN 7) :PAYLOAD ())', '7'],
  ['(:type :event :meta (:turn :Some-Name) :payload ())', 'some-name'],
  [`(:TYPE :EVENT :META (:TURN "${'t'.repeat(65)}") :PAYLOAD ())`, 't'.repeat(65)],
  ['(:TYPE :RUMOUR :META (:TURN (1)) :PAYLOAD ())', undefined],
  ['(:TYPE :RUMOUR :META (:X (:TURN "t")) :PAYLOAD (:META (:TURN "t")))', undefined],
  ['(:TYPE :RUMOUR :PAYLOAD (:TEXT ":META (:TURN \\"t\\")"))', undefined],
])('%j is malformed and names a turn or none', (text, turn) => {
  const parsed = decodeSignal(text)
  expect(parsed).toMatchObject({ ok: false })
  expect('turn' in parsed ? parsed.turn : undefined).toBe(turn)
})
