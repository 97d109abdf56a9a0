import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proposedAction } from '../src/proposal.ts'

const answer = (text: string) => ({ provider: 'p', text, proposal: null, failures: [] })
const shell = { type: 'request', target: 'shell', payload: { action: 'execute', cmd: 'ls' } }

test.each([
  ['JSON', JSON.stringify(shell)],
  [
    'JSON in capitals',
    '{"TYPE": ":REQUEST", "TARGET": "SHELL", "PAYLOAD": {"ACTION": "execute", "cmd": "ls"}}',
  ],
  ['a fence', `I will look.\n\n\`\`\`json\n${JSON.stringify(shell)}\n\`\`\`\n`],
  ['a plist', '(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:ACTION :EXECUTE :CMD "ls"))'],
  ['a small plist', '(:type :request :target :shell :payload (:action :execute :cmd "ls"))'],
])('%s', (_, text) => {
  expect(proposedAction(answer(text))).toEqual({ ok: true, value: shell })
})

test.each(['Good morning.', '{"flour": 500}', '{"type": "bread"}', '(a thought)', '```\nls\n```'])(
  '%j is words',
  (text) => {
    expect(proposedAction(answer(text))).toEqual({
      ok: true,
      value: { type: 'request', payload: { action: 'message', text } },
    })
  },
)

test.each([
  '{"type": "request", "payload": {',
  '(:TYPE :REQUEST :PAYLOAD',
  '{"type":"request","payload":{}}',
])('%j is a fault and not words', (text) => {
  expect(proposedAction(answer(text)).ok).toBe(false)
})

test('a tool call keeps its explanation apart from its arguments', () => {
  const proposal = {
    type: 'tool-call',
    tool: 'agenda',
    args: { span: 'week', explanation: 'why' },
  } as const
  expect(proposedAction({ ...answer(''), proposal })).toMatchObject({
    value: {
      target: 'tool',
      payload: { tool: 'agenda', args: { span: 'week' }, explanation: 'why' },
    },
  })
})

test('whatever is answered, it is read', () => {
  fc.assert(
    fc.property(fc.string(), fc.anything(), (text, action) => {
      const proposal = { type: 'action', action } as const
      expect(typeof proposedAction(answer(text)).ok).toBe('boolean')
      expect(typeof proposedAction({ ...answer(text), proposal }).ok).toBe('boolean')
    }),
  )
})
