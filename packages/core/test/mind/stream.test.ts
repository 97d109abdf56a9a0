import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { type Judge, StreamGuard, Streams, streamDefaults } from '../../src/mind/stream.ts'

const noSecret: Judge = async (text) => (text.includes('s3cr3t') ? null : text)

function guarded(judge: Judge, settings = { holdBack: 8, step: 1 }) {
  const pieces: string[] = []
  const guard = new StreamGuard(judge, (piece) => pieces.push(piece), settings)
  const hear = (piece: string) => {
    guard.hear(piece)
    return guard.idle()
  }
  return { guard, hear, pieces, seen: () => pieces.join('') }
}

test('words are let go behind what was judged', async () => {
  const { guard, hear, pieces } = guarded(noSecret)
  for (const piece of ['  The beans ', 'were sown', ' in March.']) await hear(piece)
  expect(pieces).toEqual(['The beans ', 'were sown '])
  expect(guard.seen).toBe('The beans were sown ')
  expect(guard.complete('The beans were sown in March.')).toBe(true)
  expect(pieces.join('')).toBe('The beans were sown in March.')
})

test('a script without blanks is let go too, and never half a character', async () => {
  const { hear, seen } = guarded(noSecret)
  await hear('豆は三月に蒔きました。𠮷野さんがそう言いました。')
  expect(seen()).toBe('豆は三月に蒔きました。𠮷野さんが'.slice(0, seen().length))
  expect(seen().length).toBeGreaterThan(5)
  expect(seen().isWellFormed()).toBe(true)
})

test('a secret that is split is not shown in part', async () => {
  const { guard, hear, seen } = guarded(noSecret)
  for (const piece of ['It is called ', 's3', 'cr', '3t', ' and so on and so on']) await hear(piece)
  expect(seen()).toBe('It is '.slice(0, seen().length))
  await guard.wordsBefore()
  expect(seen()).not.toContain('s3')
})

test('a text that the gates change is not shown in two versions', async () => {
  const { guard, hear, seen } = guarded(async (text) => text.replace('Eve', '███'))
  await hear('I asked Bob and then Eve said')
  expect(seen()).toBe('I asked Bob and then ')
  await hear(' something else')
  expect(seen()).toBe('I asked Bob and then ')
  expect(guard.complete('I asked Bob and then ███ said something else')).toBe(true)
  expect(guard.complete('Another text')).toBe(false)
})

test('an action is not shown', async () => {
  const { guard, hear, seen } = guarded(noSecret)
  for (const piece of [
    'I will look.\n\n```json\n{"ty',
    'pe": "request", "payl',
    'oad": {}}\n```',
  ]) {
    await hear(piece)
  }
  await guard.wordsBefore()
  expect(seen().trim()).toBe('I will look.')
})

test('whatever comes in whatever pieces, only what has passed is shown', async () => {
  const part = fc.constantFrom(
    'Some words. ',
    's3cr3t',
    ' s3cr3',
    '(',
    '(:type :request ',
    '\n',
    '豆',
    '\r\n',
  )
  const pieces = fc.array(part, { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(pieces, fc.array(fc.nat(9)), async (parts, cuts) => {
      const text = parts.join('')
      const { guard, hear, seen } = guarded(noSecret)
      let at = 0
      for (const length of [...cuts, text.length]) {
        await hear(text.slice(at, at + length))
        at += length
        expect(text.trimStart().startsWith(seen())).toBe(true)
        expect(guard.seen).toBe(seen())
      }
      const secret = text.trimStart().indexOf('s3cr3t')
      if (secret >= 0) expect(seen().length).toBeLessThanOrEqual(secret)
      expect(seen()).not.toContain('(:type')
      expect(seen()).not.toMatch(/\r$/)
    }),
  )
})

test('a long answer is judged a few dozen times', async () => {
  let judged = 0
  const counting: Judge = async (text) => {
    judged++
    return text
  }
  const { hear, seen } = guarded(counting, streamDefaults)
  for (let count = 0; count < 20_000; count++) await hear('word ')
  expect(judged).toBeLessThan(80)
  expect(seen().length).toBeGreaterThan(80_000)
})

test.each([
  ['begun anew', (guard: StreamGuard) => guard.restart(), 'Another one'],
  ['ended', (guard: StreamGuard) => guard.stop(), ''],
])('a verdict about an answer that has %s is dropped', async (_, change, shown) => {
  const verdicts: ((text: string) => void)[] = []
  const slow: Judge = () => new Promise((resolve) => void verdicts.push(resolve))
  const { guard, seen } = guarded(slow)
  guard.hear('The first answer of all')
  change(guard)
  guard.hear('Another one, and more')
  verdicts[0]!('The first answer of all')
  await Promise.resolve()
  verdicts[1]?.('Another one, and more')
  await guard.idle()
  expect(seen().trim().slice(0, 11)).toBe(shown)
})

test('the memory of what was streamed ends with the turn', () => {
  const streams = new Streams()
  streams.completed('s', 'Hello')
  const signal: Signal = {
    type: 'event',
    meta: { source: 'cli', sessionId: 's' },
    payload: { sensor: 'user-input', text: 'x' },
    depth: 0,
  }
  streams.marked({ ...signal, type: 'status', payload: { action: 'turn-end' } })
  const response: Signal = { ...signal, type: 'response', payload: { text: 'Hello' } }
  expect(streams.marked(response).payload).toEqual({ text: 'Hello' })
})
