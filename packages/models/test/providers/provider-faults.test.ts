import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createRedactor,
  networkFault,
  oneLine,
  retryAfterMs,
  statusFault,
  streamFault,
} from '../../src/providers/provider-faults.ts'

const statuses: [number, string, string, string][] = [
  [401, '{"error":{"message":"no such key"}}', 'auth', 'no such key'],
  [404, '{"error":"model \\"x\\" not found"}', 'refused', 'model "x" not found'],
  [429, '[{"error":{"message":"slow down"}}]', 'rate-limit', 'slow down'],
  [400, '{"error":{"message":"maximum context length is 8192"}}', 'too-long', '8192'],
  [529, '{"type":"error","error":{"message":"Overloaded"}}', 'server', 'Overloaded'],
  [504, 'upstream', 'timeout', 'upstream'],
  [502, '<html><h1>Bad gateway</h1>', 'server', '(502)'],
  [418, '', 'refused', '(418)'],
]

test.each(statuses)('%i with %s is %s', (status, body, kind, words) => {
  const fault = statusFault(status, new Headers(), body, 0)
  expect(fault).toMatchObject({ kind, status })
  expect(fault.message).toContain(words)
})

test('a message is one short line that a terminal prints as it is', () => {
  expect(oneLine('a\u001b[2J\r\nb\u202ec')).toBe('a [2J b c')
  expect(oneLine('x'.repeat(9_000))).toHaveLength(300)
})

test('the time to wait is read in all its spellings', () => {
  const now = Date.UTC(2026, 10, 21, 9, 0, 0)
  const wait = (headers: Record<string, string>, body = '') =>
    retryAfterMs(new Headers(headers), body, now)
  expect(wait({ 'retry-after': '7' })).toBe(7_000)
  expect(wait({ 'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT' })).toBe(30_000)
  expect(wait({ 'retry-after': 'Sat, 21 Nov 2020 09:00:30 GMT' })).toBe(0)
  expect(wait({ 'retry-after-ms': '250', 'retry-after': '1' })).toBe(250)
  expect(wait({}, '{"details":[{"retryDelay":"3.5s"}]}')).toBe(3_500)
  expect(wait({ 'retry-after': '99999999999' })).toBe(86_400_000)
  expect(wait({ 'retry-after': 'soon' })).toBeNull()
  expect(wait({})).toBeNull()
})

test('the reason of a network failure is found in its causes', () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(networkFault(new TypeError('fetch failed', { cause }))).toEqual({
    kind: 'network',
    message: 'nothing listens there (ECONNREFUSED)',
  })
  const slow = Object.assign(new Error('x'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
  expect(networkFault(slow).kind).toBe('timeout')
  expect(networkFault('odd').kind).toBe('network')
  const codes = ['HPE_INVALID_CONSTANT', 'DEPTH_ZERO_SELF_SIGNED_CERT']
  expect(codes.map((code) => networkFault(Object.assign(new Error(), { code })).kind)).toEqual([
    'protocol',
    'network',
  ])
})

test('an error in the stream is of the same kinds', () => {
  const parse = Object.assign(new Error('Text: sk-secret'), { name: 'AI_JSONParseError' })
  expect(streamFault(parse)).toEqual({
    kind: 'protocol',
    message: 'it does not speak its protocol',
  })
  const kinds = [
    { message: 'Overloaded', type: 'overloaded_error' },
    { message: 'slow', code: 'rate_limit_exceeded' },
    { message: 'no', statusCode: 403 },
    { response: { error: { message: 'deep' } }, type: 'response.failed' },
    'bare words',
  ].map((error) => streamFault(error).kind)
  expect(kinds).toEqual(['server', 'rate-limit', 'auth', 'server', 'server'])
})

test('a key is blacked out in every shape and however it is cut', () => {
  const key = 'sk-a+b/"c'
  const redact = createRedactor([key, 'x'])
  const shapes = [key, encodeURIComponent(key), btoa(key), JSON.stringify(key).slice(1, -1)]
  for (const shape of shapes) expect(redact(`<${shape}>`)).not.toContain(shape)
  expect(redact('xyz')).toBe('xyz')
  const letters = fc.constantFrom(...Array.from('sk-a+b/"c'), ' ', key, 'sk-a')
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 30 }), (parts) => {
      const stream = redact.pieces()
      const said = parts.map((part) => stream.push(part)).join('') + stream.end()
      expect(said).not.toContain(key)
      expect(said).toBe(redact(parts.join('')))
    }),
  )
})
