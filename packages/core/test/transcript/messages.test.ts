import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messagesOf } from '../../src/transcript/messages.ts'
import type { Entry, EntryBody } from '../../src/transcript/transcript.ts'

const entriesOf = (...bodies: EntryBody[]): Entry[] =>
  bodies.map((body) => ({ ...body, turn: 't', at: 0 }))

const call = (id: string) => ({ id, tool: 'find', args: { query: id } })
const answer = (text: string, ...ids: string[]): EntryBody => {
  return { kind: 'answer', text, provider: 'm', calls: ids.map(call) }
}
const result = (id: string, state: 'done' | 'waiting' = 'done'): EntryBody => {
  return { kind: 'result', call: id, tool: 'find', state, text: `of ${id}`, origin: 'tool' }
}
const said: EntryBody = { kind: 'words', origin: 'owner', text: 'Where are the beans?' }

test('each call has its result behind its answer', () => {
  const entries = entriesOf(said, answer('I look.', 'a', 'b', 'c'), result('b'), result('a'))
  expect(messagesOf(entries)).toEqual([
    { role: 'user', text: 'Where are the beans?' },
    { role: 'assistant', text: 'I look.', calls: ['a', 'b', 'c'].map(call) },
    {
      role: 'tool',
      results: [
        { call: 'a', tool: 'find', isError: false, text: 'of a' },
        { call: 'b', tool: 'find', isError: false, text: 'of b' },
        { call: 'c', tool: 'find', isError: true, text: expect.stringContaining('no result') },
      ],
    },
  ])
})

test('what became of a call later comes as words', () => {
  const entries = entriesOf(
    answer('', 'a'),
    result('a', 'waiting'),
    { kind: 'words', origin: 'message', text: 'Do it!' },
    result('a'),
  )
  expect(messagesOf(entries).slice(2)).toEqual([
    { role: 'user', text: expect.stringMatching(/not the owner.*\nDo it!$/) },
    { role: 'user', text: expect.stringMatching(/call a of find.*it was done.\nof a\)$/s) },
  ])
})

test('the receipt of a turn that waits is not shown, and that of one that ended is', () => {
  const receipt: EntryBody = { kind: 'receipt', text: 'Changed: a.org.' }
  const waiting: EntryBody = { kind: 'end', outcome: 'waiting' }
  const over: EntryBody = { kind: 'end', outcome: 'answered' }
  const entries = entriesOf(answer('', 'a'), receipt, waiting, result('a'), receipt, over)
  expect(messagesOf(entries).slice(2)).toEqual([
    { role: 'user', text: expect.stringMatching(/told the owner.*Changed: a\.org/) },
  ])
})

test('a summary is where the messages begin', () => {
  const summary: EntryBody = { kind: 'summary', text: 'Beans.', before: 2 }
  const entries = entriesOf(
    said,
    answer('There.'),
    { ...said, text: 'And?' },
    summary,
    answer('Hm.'),
  )
  expect(messagesOf(entries).map((message) => 'text' in message && message.text)).toEqual([
    'What was said before, in short:\nBeans.',
    'And?',
    'Hm.',
  ])
})

const anyBody = fc.oneof(
  fc.constant(said),
  fc.constant<EntryBody>({ kind: 'notice', text: 'Half is spent.' }),
  fc.constant<EntryBody>({ kind: 'end', outcome: 'answered' }),
  fc.subarray(['a', 'b', 'c']).map((ids) => answer('Hm.', ...ids)),
  fc.constantFrom('a', 'b', 'c').map((id) => result(id)),
)

test('a vendor takes whatever comes', () => {
  fc.assert(
    fc.property(fc.array(anyBody), (bodies) => {
      const messages = messagesOf(entriesOf(...bodies))
      for (const [at, message] of messages.entries()) {
        if (message.role === 'assistant' && message.calls.length > 0) {
          const next = messages[at + 1]
          const ids = next?.role === 'tool' ? next.results.map(({ call }) => call) : []
          expect(ids).toEqual(message.calls.map(({ id }) => id))
        }
        if (message.role === 'tool') expect(messages[at - 1]?.role).toBe('assistant')
      }
    }),
  )
})

test('what was sent is the beginning of what is sent next', () => {
  const step = fc
    .subarray(['x', 'y'])
    .map((ids) => [answer('Hm.', ...ids), ...ids.map((id) => result(id))])
  const turn = fc.oneof(step, fc.constant([said]))
  fc.assert(
    fc.property(fc.array(turn), fc.array(turn), (before, after) => {
      const sent = messagesOf(entriesOf(...before.flat()))
      const next = messagesOf(entriesOf(...before.flat(), ...after.flat()))
      expect(JSON.stringify(next.slice(0, sent.length))).toBe(JSON.stringify(sent))
    }),
  )
})
