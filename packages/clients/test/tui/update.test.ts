import type { Signal } from '@passepartout/core/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyReader } from '../../src/tui/keys.ts'
import { type Effect, type Event, initialState, type State } from '../../src/tui/state.ts'
import { update } from '../../src/tui/update.ts'

function scene(start: State = initialState({ memex: '/m', entries: [], mouse: true })) {
  const effects: Effect[] = []
  let state = start
  const play = (...events: Event[]) => {
    for (const event of events) {
      const next = update(state, event)
      state = next.state
      effects.push(...next.effects)
    }
  }
  const type = (...chunks: string[]) => {
    for (const chunk of chunks) {
      play(...new KeyReader().read(chunk).map((input) => ({ type: 'input', input }) as const))
    }
  }
  const sent = () => effects.flatMap((one) => (one.type === 'send' ? [one.text] : []))
  return { play, type, effects, sent, state: () => state }
}

const connected: Event = { type: 'connected', memex: '/m' }
const lost: Event = { type: 'disconnected' }

function signal(type: Signal['type'], payload: Signal['payload']): Event {
  return { type: 'signal', signal: { type, meta: { source: 'daemon' }, payload, depth: 0 } }
}

const turnEnd = signal('status', { action: 'turn-end' })
const question = {
  id: 'q1',
  token: 'abcdef',
  target: 'shell',
  cmd: 'ls',
  source: 'tui',
  asked: 1,
  expires: 2,
  askers: [{ gate: 'g', reason: 'sure?' }],
  offers: [{ word: 'this', shows: 'ls' }],
}
const asks = signal('response', { text: 'This needs your approval', question })
const armed: Event = { type: 'armed', sequence: 1 }

test('what is typed without a daemon is sent once, in order', () => {
  const { play, type, sent, state } = scene()
  type('one', '\r', 'two', '\r')
  expect(sent()).toEqual([])
  play(connected)
  expect(sent()).toEqual(['one'])
  play(turnEnd)
  type('three', '\r')
  play(lost, connected, turnEnd, turnEnd)
  expect(sent()).toEqual(['one', 'two', 'three'])
  expect(state().items.flatMap((item) => (item.kind === 'owner' ? [item.state] : []))).toEqual([
    'sent',
    'lost',
    'sent',
  ])
})

test('nothing but its key decides a card', () => {
  const { play, type, sent, state } = scene()
  play(connected, asks)
  const arm = () => play({ type: 'armed', sequence: state().sequence })
  type('a', '\x7f', '\ta', '\x1b[27u', '\t', 'a')
  play(armed)
  type('a')
  for (const chunk of ['aa', '\x1b[200~a\x1b[201~', 'a\r']) {
    arm()
    type(chunk)
  }
  expect([sent(), state().card?.armed]).toEqual([[], false])
  arm()
  type('q', 'a')
  expect([sent(), state().card?.armed]).toEqual([[], false])
  arm()
  type('a')
  expect(sent()).toEqual(['approve abcdef'])
  expect([state().card, state().running]).toEqual([null, 1])
})

test('a card can be denied, allowed for good, and answered by somebody else', () => {
  for (const [key, words] of [
    ['d', 'deny abcdef'],
    ['1', 'approve abcdef always this'],
  ] as const) {
    const { play, type, sent } = scene()
    play(connected, asks)
    type('\t')
    play(armed)
    type('2')
    play({ type: 'armed', sequence: 2 })
    type(key)
    expect(sent()).toEqual([words])
  }
  const { play, type, state, sent } = scene()
  play(connected, signal('status', { action: 'approvals', questions: [question] }))
  type('\t')
  play(armed, signal('status', { action: 'approvals', questions: [] }))
  type('a')
  expect([sent(), state().card, state().buffer.text]).toEqual([[], null, 'a'])
})

test('without a daemon nothing is decided', () => {
  const { play, type, sent, state } = scene()
  play(connected, asks, lost)
  type('\t')
  play(armed)
  type('a')
  expect([sent(), state().hint]).toEqual([[], expect.stringContaining('Nothing was decided')])
})

const entry = (text: string, place: string | null) => ({
  line: [{ text, tone: 'plain' as const }],
  place,
})

test('a list, a note, and back', () => {
  const { play, type, effects, state } = scene()
  type('/search beans', '\r')
  const first = state().pane!.id
  expect(effects.at(-1)).toEqual({
    type: 'look',
    pane: first,
    look: { kind: 'search', query: 'beans' },
  })
  const entries = [entry('day', null), entry('one', 'a.org:1'), entry('two', 'a.org:9')]
  play({ type: 'found', pane: first, found: { entries } })
  type('\x1b[B', '\x1b[B', '\r')
  expect(effects.at(-1)).toMatchObject({ look: { kind: 'note', name: 'a.org:9' } })
  play({ type: 'found', pane: first, found: { text: 'late' } })
  expect(state().pane).toMatchObject({
    title: 'Note  a.org:9',
    found: null,
    back: { found: { text: 'late' } },
  })
  play({ type: 'input', input: { type: 'key', name: 'escape', alone: true } })
  expect(state().pane?.title).toBe('Search  beans')
  type('/')
  expect([state().pane, state().buffer.text]).toEqual([null, '/search beans'])
})

test('Ctrl-C stops the answer first, then the program', () => {
  const { play, type, effects, state } = scene()
  play(connected)
  type('one', '\r', 'two', '\r', 'dra', '\x03')
  expect([effects.at(-1), state().buffer.text, state().queue]).toEqual([
    { type: 'interrupt' },
    'two\ndra',
    [],
  ])
  type('\x03')
  expect(effects.at(-1)).toEqual({ type: 'quit' })
  play(turnEnd)
  type('\x03')
  expect([state().buffer.text, state().buffer.killed]).toEqual(['', 'two\ndra'])
  const before = effects.length
  type('\x03', 'x', '\x7f', '\x03')
  expect(effects).toHaveLength(before)
  type('\x03')
  expect(effects.at(-1)).toEqual({ type: 'quit' })
})

test('a line that is continued, completed, and not a command', () => {
  const { play, type, sent, state } = scene()
  play(connected)
  type('one\\', '\r', 'two', '\x1b\r', '\x1b[200~three\r\nfour\x1b[201~', '\r')
  play(turnEnd)
  type('/etc/hosts', '\r')
  play(turnEnd)
  type('/ca', '\t', 'milk', '\r')
  expect(sent()).toEqual(['one\ntwo\nthree\nfour', '/etc/hosts', 'capture milk'])
  type('/nonsense', '\r', '/ag', '\x1b[B', '\x1b[A', '\r')
  expect(state().items.at(-1)).toMatchObject({
    text: expect.stringContaining('no command /nonsense'),
  })
  expect(state().pane?.title).toBe('Agenda')
})

test('nothing is lost and nothing is sent twice', () => {
  const chunk = fc.constantFrom(
    '\r',
    '\t',
    '\x1b[A',
    '\x1b[B',
    'a',
    'd',
    '1',
    '\x03',
    '\x1b[5~',
    '\x0b',
    '/',
  )
  const happening = fc.oneof(
    chunk,
    fc.constantFrom(
      connected,
      lost,
      turnEnd,
      asks,
      signal('status', { action: 'approvals', questions: [] }),
    ),
  )
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
      const { play, type, effects, sent, state } = scene()
      let count = 0
      let isOpen = false
      for (const one of happenings) {
        const before = effects.length
        if (typeof one === 'string') {
          if (
            one === '\r' &&
            state().card === null &&
            state().pane === null &&
            state().buffer.text === ''
          ) {
            count++
            type(`sentence ${count}`)
          }
          type(one)
        } else {
          if (one === connected) isOpen = true
          if (one === lost) isOpen = false
          play(one)
        }
        const now = effects.slice(before).filter(({ type }) => type === 'send')
        expect(now.length).toBeLessThanOrEqual(isOpen ? 1 : 0)
      }
      const said = sent().filter((text) => /^sentence \d+$/.test(text))
      expect(new Set(said).size).toBe(said.length)
      expect(sent().some((text) => text.startsWith('approve'))).toBe(false)
    }),
  )
})
