import { expect, test } from 'vitest'
import { familyOf } from '../../src/profiles/model-families.ts'

test.each([
  ['claude-sonnet-4-5-20250929', 200_000, true, true],
  ['gpt-5-mini', 400_000, true, true],
  ['models/gemini-2.5-flash', 1_048_000, true, true],
  ['meta-llama/Llama-3.3-70B-Instruct', 128_000, false, true],
  ['llama3.2-vision:11b', 128_000, true, false],
  ['llama3.2:3b', 128_000, false, true],
  ['gemma3:4b', 128_000, true, false],
  ['qwen3:8b', 40_000, false, true],
  ['something-new', undefined, false, true],
])('%s', (model, contextTokens, pictures, callsTools) => {
  expect(familyOf(model)).toEqual({ contextTokens, pictures, callsTools })
})
