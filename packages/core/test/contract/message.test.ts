import { expect, test } from 'vitest'
import { messagesText } from '../../src/contract/message.ts'

test('all words of a conversation', () => {
  const calls = [{ id: '1', tool: 'find', args: { query: 'beans' } }]
  const results = [{ call: '1', tool: 'find', isError: false, text: 'garden.org:3' }]
  const text = messagesText([
    { role: 'user', text: 'Where are the beans?' },
    { role: 'assistant', text: 'I will look.', calls },
    { role: 'tool', results },
  ])
  expect(text).toBe('Where are the beans?\n\nI will look.\nfind {"query":"beans"}\n\ngarden.org:3')
})
