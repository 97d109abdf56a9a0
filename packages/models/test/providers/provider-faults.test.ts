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
  [429, '{"error":{"message":"slow down","type":"tokens"}}', 'rate-limit', 'slow down'],
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

test.each([
  [400, 'prompt is too long: 213462 tokens > 200000 maximum'],
  [400, 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000'],
  [400, 'Your input exceeds the context window of this model.'],
  [400, 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
  [400, 'Please reduce the length of the messages or completion.'],
  [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  [400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
  [400, "This endpoint's maximum context length is 32768 tokens. However, you requested 40000."],
  [500, 'the request exceeds the available context size, try increasing it'],
  [400, 'Trying to keep the first 5000 tokens when the context size is only 4096'],
  [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000.'],
])('%i with “%s” is a full window', (status, message) => {
  const body = JSON.stringify({ error: { message } })
  expect(statusFault(status, new Headers(), body, 0).kind).toBe('overflow')
  expect(streamFault({ message, statusCode: status }).kind).toBe('overflow')
})

test.each([
  [429, 'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000.'],
  [400, 'max_tokens is too large: 100000'],
  [400, 'the field model is too long'],
])('%i with “%s” is none', (status, message) => {
  const body = JSON.stringify({ error: { message } })
  expect(statusFault(status, new Headers(), body, 0).kind).not.toBe('overflow')
})

test('the code of an error says it as well as its words', () => {
  const body = '{"error":{"message":"no","code":"context_length_exceeded"}}'
  expect(statusFault(400, new Headers(), body, 0).kind).toBe('overflow')
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
