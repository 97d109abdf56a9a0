import { expect, test } from 'vitest'
import { entropy, isPlaceholder } from '../../src/secrets/placeholders.ts'
import { sample } from '../../src/secrets/secret-rule.ts'

test('entropy counts bits for each character', () => {
  expect([entropy(''), entropy('aaaa'), entropy('abab'), entropy('abcd')]).toEqual([0, 0, 1, 2])
  expect(entropy(sample('alnum', 40))).toBeGreaterThan(4)
})

test.each([
  ['sk-your-key-here', true],
  ['your-anthropic-key-here', true],
  ['insert_your_weather_service_token', true],
  ['YOUR_SMTP_RELAY_PASSWORD_HERE', true],
  [`your-${sample('alnum', 20)}-here`, false],
  ['your-horse-staple', false],
  ['YOUR_API_KEY', true],
  ['<your-token>', true],
  ['AKIAIOSFODNN7EXAMPLE', true],
  [`ghp_${'x'.repeat(36)}`, true],
  ['glpat-XXXXXXXXXXXXXXXXXXXX', true],
  ['sk-1234567890abcdefghijklmnop', true],
  ['sk-...', true],
  ['example-password-123', true],
  ['changeme', true],
  ['hunter2', true],
  ['hunter2hunter2', false],
  ['$DB_PASSWORD', true],
  ['\x24{DB_PASSWORD}', true],
  ['\x24{DB_PASSWORD:-changeme}', true],
  ['process.env.API_KEY', true],
  ['config.database.password', true],
  ['op://vault/item/field', true],
  [`ghp_${sample('alnum', 36)}example`, false],
  [`fake${sample('alnum', 20)}`, false],
  [`${sample('alnum', 20)}-dummy`, false],
  [`AKIA${sample('upper', 16)}EXAMPLE`, false],
  ['Kx9Zq7Lm2...', false],
  ['sunshine9...', false],
  ['Tr0ub<4>dor', false],
  ['a9KAAAAAAAAx7Lq2', false],
  ['\x24{DB_PASSWORD:-Kx9Zq7Lm2}', false],
  ['config.Kx9Zq7Lm2pQ', false],
  ['correct-horse-example-staple', false],
])('%s: %s', (value, expected) => {
  expect(isPlaceholder(value)).toBe(expected)
})
