import { expect, test } from 'vitest'
import { configSecrets } from '../../src/secrets/config-secrets.ts'

test.each([
  `sk-proj-${'Ab3'.repeat(9)}`,
  `AIza${'Sy7_'.repeat(9)}`,
  `https://ann:${'x'.repeat(4)}@example.org/v1`,
  'https://example.org/v1?api_key=short',
  '0123456789abcdef0123456789abcdef',
  `Bearer ${'x'.repeat(20)}`,
  `gsk_${'Zz9'.repeat(12)}`,
])('%s is a secret', (value) => {
  expect(configSecrets.isSecret(value)).toBe(true)
})

test.each([
  'anthropic/claude-3-5-sonnet-20241022',
  'hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M',
  'gemini-2.5-flash-preview-04-17',
  'http://192.168.178.20:11434/api',
  'https://generativelanguage.googleapis.com/v1beta',
  'meta-llama/Meta-Llama-3.1-405B-Instruct-Turbo',
  'key-of-the-anthropic-account',
])('%s is no secret', (value) => {
  expect(configSecrets.isSecret(value)).toBe(false)
})

test('the lines with a secret are named', () => {
  const key = `sk-proj-${'Ab3'.repeat(9)}`
  expect(configSecrets.linesOf(`* One\n${key}\n\n* Two ${key}\n`)).toEqual([2, 4])
})
