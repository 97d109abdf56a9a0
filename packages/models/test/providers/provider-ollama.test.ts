import { expect, test } from 'vitest'
import { ollamaLine } from '../../src/providers/provider-ollama.ts'

test('a line goes on complete, or is a fault', () => {
  const whole = JSON.parse(ollamaLine('{"message":{"content":"hi"},"done":true}') as string)
  expect(whole).toMatchObject({ done_reason: 'stop', message: { role: 'assistant' } })
  expect(JSON.parse(ollamaLine('{}') as string)).toMatchObject({ done: false })
  expect(ollamaLine('{"error":"model runner has stopped"}')).toMatchObject({ kind: 'server' })
  expect(ollamaLine('<html>')).toMatchObject({ kind: 'protocol' })
  expect(ollamaLine('{"done":true,"done_reason":"length"}')).toMatchObject({ kind: 'too-long' })
  const call = '{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}'
  expect(ollamaLine(call)).toMatchObject({ kind: 'protocol' })
})
