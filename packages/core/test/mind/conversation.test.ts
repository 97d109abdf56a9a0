import { expect, test } from 'vitest'
import { Conversations } from '../../src/mind/conversation.ts'

test('what was said before a note was closed is forgotten', () => {
  const conversations = new Conversations()
  conversations.add('a', 'owner', 'Who is it?')
  conversations.add('a', 'tool', 'Xanthippe')
  expect([conversations.closeAfter(0), conversations.closeAfter(2)]).toEqual([false, true])
  conversations.add('a', 'agent', 'Nobody.')
  expect(conversations.closeAfter(2)).toBe(false)
  const texts = conversations.of('a').map(({ text }) => text)
  expect(texts).toEqual(['Who is it?', expect.stringContaining('forgotten'), 'Nobody.'])
})

test('a session remembers its last lines, and not another session', () => {
  const conversations = new Conversations()
  for (let index = 0; index < 20; index++) conversations.add('a', 'owner', String(index))
  conversations.add('b', 'agent', 'x'.repeat(9_000))
  expect(conversations.of('a').map(({ text }) => text)).toEqual(
    Array.from({ length: 12 }, (_, index) => String(index + 8)),
  )
  expect(conversations.of('b')[0]?.text.length).toBeLessThan(5_000)
  expect(conversations.of('c')).toEqual([])
})

test('the oldest session is forgotten', () => {
  const conversations = new Conversations()
  for (let index = 0; index <= 100; index++) conversations.add(String(index), 'owner', 'hi')
  expect(conversations.of('0')).toEqual([])
  expect(conversations.of('1')).toHaveLength(1)
})

test('the focus belongs to a session', () => {
  const conversations = new Conversations()
  conversations.moveFocus('a', 'garden-1')
  expect([conversations.focusOf('a'), conversations.focusOf('b')]).toEqual(['garden-1', null])
  for (let index = 0; index < 100; index++) conversations.moveFocus(String(index), 'x')
  expect(conversations.focusOf('a')).toBeNull()
})
