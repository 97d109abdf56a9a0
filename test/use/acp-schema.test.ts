import type { AnyMessage } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { appointJudge, publishedShapes, type Side } from './acp-schema.ts'

const shapes = publishedShapes()

const update = (sessionUpdate: string, more: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate, ...more } },
})
const text = { type: 'text', text: 'x' }

test.each<[string, Side, unknown]>([
  ['a chunk without content', 'agent', update('agent_message_chunk', {})],
  ['a chunk of nothing known', 'agent', update('agent_message_chunk', { content: { type: 'x' } })],
  ['an update of no kind', 'agent', update('agent_message', { content: text })],
  ['a call without a title', 'agent', update('tool_call', { toolCallId: 'a' })],
  ['a state that is none', 'agent', update('tool_call_update', { toolCallId: 'a', status: 'ok' })],
  ['a plan of words', 'agent', update('plan', { entries: ['x'] })],
  ['an update from the editor', 'client', update('agent_message_chunk', { content: text })],
  ['a method of nobody', 'client', { jsonrpc: '2.0', id: 1, method: 'session/nwe', params: {} }],
  ['a session nowhere', 'client', { jsonrpc: '2.0', id: 1, method: 'session/new', params: {} }],
  ['an answer to nothing', 'agent', { jsonrpc: '2.0', id: 9, result: {} }],
  ['an error without words', 'agent', { jsonrpc: '2.0', id: 9, error: { code: 1 } }],
  ['no version', 'agent', { ...update('agent_message_chunk', { content: text }), jsonrpc: '1.0' }],
])('%s is objected to', (_, from, message) => {
  const judge = appointJudge(shapes)
  judge.see(from, message as AnyMessage)
  expect(judge.faults).toHaveLength(1)
})

test('an answer is held to its question', () => {
  const judge = appointJudge(shapes)
  const params = { protocolVersion: 1 }
  judge.see('client', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  judge.see('agent', { jsonrpc: '2.0', id: 1, result: { protocolVersion: 1 } })
  expect(judge).toMatchObject({ faults: [], counts: { agent: 1, client: 1 } })
  judge.see('client', { jsonrpc: '2.0', id: 2, method: 'initialize', params })
  judge.see('agent', { jsonrpc: '2.0', id: 2, result: { sessionId: 's' } })
  expect(judge.faults).toEqual([expect.stringContaining('agent answers initialize')])
})
