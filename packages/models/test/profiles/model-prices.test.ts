import { expect, test } from 'vitest'
import { costOf, priceOf } from '../../src/profiles/model-prices.ts'

const far = 'https://api.example.org/v1'

test.each([
  ['anthropic', 'claude-sonnet-4-5-20250929', 3],
  ['anthropic', 'claude-opus-4-1-20250805', 15],
  ['anthropic', 'claude-opus-4-5-20251101', 5],
  ['openai', 'gpt-4o-2024-08-06', 2.5],
  ['openai', 'gpt-4o-mini', 0.15],
  ['openai', 'gpt-5.2', undefined],
  ['openai', 'gpt-5-pro', undefined],
  ['openai', 'gpt-4o-realtime', undefined],
  ['google', 'gemini-2.5-flash-lite', 0.1],
  ['openai-compatible', 'gpt-4o', undefined],
])('%s %s costs %s', (vendor, model, expected) => {
  expect(priceOf({ vendor, model, baseUrl: far })?.in).toBe(expected)
})

test('the owner knows better, and here it costs nothing', () => {
  const model = { vendor: 'openai-compatible', model: 'm' }
  expect(priceOf({ ...model, baseUrl: far, given: { in: 1, out: 2 } })).toMatchObject({ out: 2 })
  expect(priceOf({ ...model, baseUrl: 'http://127.0.0.1:1/v1' })).toMatchObject({ in: 0 })
  expect(priceOf({ ...model, baseUrl: 'http://10.0.0.2/v1' })).toBeNull()
})

test('what was cached has another price', () => {
  const price = { in: 3, out: 15, from: 'table' } as const
  const usage = { inputTokens: 1_000, outputTokens: 200 }
  expect(costOf(price, usage)).toBeCloseTo(0.006)
  expect(costOf(price, { ...usage, cachedTokens: 900 })).toBeCloseTo(0.006)
  const cached = { ...price, cached: 0.3 }
  expect(costOf(cached, { ...usage, cachedTokens: 900 })).toBeCloseTo(0.00357)
  expect(costOf(cached, { ...usage, cacheWriteTokens: 1_000 })).toBeCloseTo(0.00675)
  expect(costOf(null, usage)).toBeNull()
})
