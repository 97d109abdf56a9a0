import { expect, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { Outbox } from '../../src/pipeline/outbox.ts'

function setting(...here: string[]) {
  const sent: string[] = []
  const sessions = {
    has: (id: string) => here.includes(id),
    of: (source: string) => here.filter((id) => id.startsWith(source)),
  }
  const outbox = new Outbox(
    ({ meta, payload }) => sent.push(`${meta.sessionId} ${payload.text}`),
    sessions,
  )
  return { here, sent, outbox }
}

function answer(text: string, sessionId?: string): Signal {
  return { type: 'response', meta: { source: 'cli', sessionId }, payload: { text }, depth: 0 }
}

test('an answer follows the owner', () => {
  const { here, sent, outbox } = setting('cli-1', 'cli-2', 'phone-1')
  outbox.send(answer('a', 'cli-1'))
  here.shift()
  outbox.send(answer('lost', 'cli-1'))
  outbox.follow('cli-1', 'phone-1')
  outbox.send(answer('b', 'cli-1'))
  here.pop()
  outbox.send(answer('c', 'cli-1'))
  here.pop()
  outbox.send(answer('d', 'cli-1'))
  outbox.send({ ...answer('stream', 'cli-1'), type: 'stream-chunk' })
  outbox.connected('phone-2', 'phone')
  outbox.connected('cli-3', 'cli')
  outbox.connected('cli-4', 'cli')
  expect(sent).toEqual(['cli-1 a', 'phone-1 b', 'cli-2 c', 'cli-3 d'])
})

test('twenty are kept', () => {
  const { sent, outbox } = setting()
  for (let index = 0; index < 25; index++) outbox.send(answer(String(index)))
  outbox.connected('cli-1', 'cli')
  expect([sent.length, sent[0]]).toEqual([20, 'cli-1 5'])
})
