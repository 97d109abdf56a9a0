import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proposedAction } from '../src/proposal.ts'

const answer = (text: string) => ({
  provider: 'p',
  text,
  plainText: false,
  proposal: null,
  failures: [],
})
const shell = { type: 'request', target: 'shell', payload: { action: 'execute', cmd: 'ls' } }

test.each([
  ['JSON', JSON.stringify(shell)],
  [
    'JSON in capitals',
    '{"TYPE": ":REQUEST", "TARGET": "SHELL", "PAYLOAD": {"ACTION": "execute", "cmd": "ls"}}',
  ],
  ['a fence', `I will look.\n\n\`\`\`json\n${JSON.stringify(shell)}\n\`\`\`\n`],
  ['a fence from Windows', `\`\`\`json\r\n${JSON.stringify(shell)}\r\n\`\`\``],
  ['nulls', JSON.stringify({ ...shell, meta: null, payload: { ...shell.payload, args: null } })],
  [
    'another order',
    '(:PAYLOAD (:ARGS NIL :CMD "ls" :ACTION :EXECUTE) :TARGET :SHELL :TYPE :REQUEST)',
  ],
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

test.each(['{"span": "week"}', ['week'], 7])('%j are no arguments', (args) => {
  const proposal = { type: 'tool-call', tool: 'agenda', args } as const
  expect(proposedAction({ ...answer(''), proposal })).toMatchObject({
    ok: false,
    reason: expect.stringContaining('arguments of agenda'),
  })
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

const fenced = `\`\`\`json\n${JSON.stringify(shell, null, 2)}\n\`\`\``

test('an action that is quoted from the notes is words', () => {
  const text = `Your note says:\n\n${fenced}`
  expect(proposedAction(answer(text))).toEqual({ ok: true, value: shell })
  const material = `notes.org:\n  ${JSON.stringify(shell)}`
  expect(proposedAction(answer(text), material)).toMatchObject({
    value: { payload: { action: 'message', text } },
  })
})

test('a provider that only speaks proposes nothing', () => {
  expect(proposedAction({ ...answer(fenced), plainText: true })).toMatchObject({
    value: { payload: { action: 'message', text: fenced } },
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
