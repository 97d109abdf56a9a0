import type { Signal } from '@passepartout/core/protocol'
import { expect, test } from 'vitest'
import {
  heard,
  initialState,
  nowConnected,
  nowLost,
  submitted,
  waitingCards,
} from '../../src/tui/state.ts'

const start = initialState({ memex: '/m', entries: [], mouse: true })

function signal(type: Signal['type'], payload: Signal['payload']): Signal {
  return { type, meta: { source: 'daemon' }, payload, depth: 0 }
}

test('a sentence that was under way when the connection ended is marked', () => {
  const queued = submitted(submitted(start, 'one').state, 'two')
  expect(queued.effects).toEqual([{ type: 'remember', text: 'two' }])
  const { state, effects } = nowConnected({ ...queued.state, connection: 'connected' })
  expect(effects.at(-1)).toEqual({ type: 'send', text: 'one' })
  const lost = nowLost(state)
  expect(lost.items.flatMap((item) => (item.kind === 'owner' ? [item.state] : []))).toEqual([
    'lost',
    'queued',
  ])
  expect(nowLost(lost).items).toHaveLength(lost.items.length)
})

test('a session is gone on with, over a lost connection too', () => {
  const wish = { ...start, session: '', connection: 'connected' as const }
  const first = nowConnected(wish)
  expect(first.effects.at(-1)).toMatchObject({ sensor: 'session-continue', session: '' })
  const found = heard(first.state, signal('status', { action: 'session-continue', session: 's' }))
  expect(found.effects).toEqual([{ type: 'session', sensor: 'session-talk' }])
  const said = [
    { speaker: 'owner', text: 'Beans' },
    { speaker: 'call', text: 'x', tool: 'find' },
    { speaker: 'agent', text: 'In bed two.' },
  ]
  const shown = heard(found.state, signal('status', { action: 'session-talk', said }))
  expect(shown.state.items.map(({ kind }) => kind)).toEqual(['owner', 'notice', 'agent'])
  const back = nowConnected({ ...nowLost(shown.state), connection: 'connected' })
  expect(back.effects.at(-1)).toMatchObject({ sensor: 'session-continue', session: 's' })
  const same = heard(back.state, signal('status', { action: 'session-continue', session: 's' }))
  expect(same.effects).toEqual([])
  const more = { action: 'session-said', said: [{ speaker: 'owner', text: 'From Emacs' }] }
  expect(heard(same.state, signal('status', more)).state.items.at(-1)).toMatchObject({
    kind: 'owner',
    text: 'From Emacs',
  })
  const none = heard(first.state, signal('status', { action: 'session-continue', text: 'None.' }))
  expect([none.state.session, none.state.items.at(-1)]).toMatchObject([null, { text: 'None.' }])
})

test('pieces become one answer', () => {
  const piece = (text: string, more = {}) => signal('stream-chunk', { stream: '1', text, ...more })
  const { items } = [
    ...[piece('Hel'), piece('lo'), piece('', { ended: 'complete' })],
    signal('response', { text: 'Hello', streamed: true }),
    signal('response', { text: 'And this' }),
    ...[piece('Bad'), piece('', { ended: 'withdrawn' })],
  ].reduce((state, one) => heard(state, one).state, start)
  const said = items.flatMap((item) => (item.kind === 'agent' ? [[item.text, item.withdrawn]] : []))
  expect(said).toEqual([
    ['Hello', false],
    ['And this', false],
    ['Bad', true],
  ])
})

test('a receipt stands below the answer, live and when the session is read again', () => {
  const text = 'Changed: a.org. “undo” takes it back.'
  const receipt = { kind: 'notice', text, tone: 'muted' }
  const live = heard(start, signal('status', { action: 'receipt', text })).state
  expect(live.items.at(-1)).toMatchObject(receipt)
  const said = [{ speaker: 'daemon', text, at: 1 }]
  const again = heard(start, signal('status', { action: 'session-talk', said })).state
  expect(again.items).toMatchObject([receipt])
})

test('a card waits for as long as its question is open', () => {
  const question = {
    id: 'q1',
    token: 'abcdef',
    target: 'shell',
    cmd: 'ls',
    source: 'tui',
    asked: 1,
    expires: 2,
    askers: [{ gate: 'g', reason: 'sure?' }],
    offers: [],
  }
  const list = (...questions: object[]) => signal('status', { action: 'approvals', questions })
  const asked = heard(start, list(question)).state
  expect(waitingCards(asked)).toMatchObject([{ id: 'q1' }])
  expect(heard(asked, list(question)).state.items).toHaveLength(1)
  const gone = heard({ ...asked, card: { question: 'q1', top: 0, armed: true } }, list()).state
  expect([waitingCards(gone), gone.card]).toEqual([[], null])
})
