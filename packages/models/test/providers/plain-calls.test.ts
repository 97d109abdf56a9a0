import { expect, test } from 'vitest'
import { z } from 'zod'
import { inPlainText } from '../../src/providers/plain-calls.ts'

test('tools, calls and results are words', () => {
  const parameters = z.object({ query: z.string(), limit: z.int().default(3) })
  const { messages, system, tools } = inPlainText({
    system: 'You are terse.',
    messages: [
      { role: 'user', text: 'Where are the beans?' },
      { role: 'assistant', text: '', calls: [{ id: 'a', tool: 'find', args: { query: 'beans' } }] },
      { role: 'tool', results: [{ call: 'a', tool: 'find', isError: false, text: 'beds.org:3' }] },
    ],
    tools: [{ name: 'find', description: 'Looks for words.', parameters }],
    signal: { type: 'event', meta: { source: 'test' }, payload: {}, depth: 0 },
  })
  expect(tools).toEqual([])
  expect(system).toMatch(/^You are terse\.\n\nTo use a tool, write \{"name"/)
  expect(system).toContain('- find(query, limit?, explanation): Looks for words.')
  expect(messages.slice(1)).toEqual([
    { role: 'assistant', text: '{"name":"find","arguments":{"query":"beans"}}', calls: [] },
    { role: 'user', text: 'Result of find:\nbeds.org:3' },
  ])
})
