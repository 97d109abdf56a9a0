import type { Signal } from '@passepartout/core/protocol'
import { expect, test } from 'vitest'
import { Teller } from '../../src/tui/plain.ts'
import { type Event, initialState } from '../../src/tui/state.ts'
import { update } from '../../src/tui/update.ts'

function told(...events: Event[]): string {
  let state = initialState({ memex: '/m', entries: [], mouse: false })
  let printed = ''
  const teller = new Teller((text) => {
    printed += text
  })
  for (const event of events) {
    state = update(state, event).state
    teller.tell(state)
  }
  return printed
}

const signal = (type: Signal['type'], payload: Signal['payload']): Event => ({
  type: 'signal',
  signal: { type, meta: { source: 'daemon' }, payload, depth: 0 },
})

test('everything is told once', () => {
  const piece = (text: string, ended?: string) =>
    signal('stream-chunk', { stream: '1', text, ended })
  const question = {
    id: 'q',
    token: 'abcdef',
    target: 'shell',
    cmd: 'ls \x1b[2J',
    source: 'tui',
    asked: 1,
    expires: 2,
  }
  const printed = told(
    { type: 'connected', memex: '/m' },
    piece('one\ntw'),
    piece('o\nthr'),
    piece('ee'),
    piece('', 'complete'),
    signal('response', { text: 'x', question }),
    signal('status', { action: 'turn-end' }),
  )
  expect(printed).toBe(
    [
      'Connected to the notes in /m.',
      'Passepartout: one',
      'two',
      'three',
      'Question: this needs your approval. shell: ls \\u001b[2J',
      '$         ls \\u001b[2J',
      'Answer with “approve abcdef” or “deny abcdef”.',
      '',
    ].join('\n'),
  )
})
