import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyReader } from '../../src/tui/keys.ts'
import { screenOf } from '../../src/tui/screen.ts'
import { type Event, initialState, type State } from '../../src/tui/state.ts'
import { plainText, widthOf } from '../../src/tui/text.ts'
import { update } from '../../src/tui/update.ts'

function played(...events: (Event | string)[]): State {
  let state = initialState({ memex: '/home/ann/notes', entries: [], mouse: true })
  for (const event of events) {
    const all: Event[] =
      typeof event === 'string'
        ? new KeyReader().read(event).map((input) => ({ type: 'input', input }))
        : [event]
    for (const one of all) state = update(state, one).state
  }
  return state
}

const text = (state: State) =>
  screenOf(state)
    .rows.map((row) => plainText(row).trimEnd())
    .join('\n')
const resize = (columns: number, rows: number): Event => ({ type: 'resize', columns, rows })

const question = {
  id: 'q1',
  token: 'abcdef',
  target: 'shell',
  cmd: 'ls\n'.repeat(60),
  source: 'tui',
  asked: 1,
  expires: 2,
  askers: [{ gate: 'g', reason: 'sure?' }],
}
const says = (payload: object): Event => ({
  type: 'signal',
  signal: { type: 'response', meta: { source: 'daemon' }, payload: { ...payload }, depth: 0 },
})
const asks = says({ text: 'x', question })

test('a screen is as large as the terminal', () => {
  const event = fc.oneof(
    fc.constantFrom<Event | string>(
      { type: 'connected', memex: '/豆/豆' },
      { type: 'disconnected' },
      asks,
      '\t',
      '\r',
      '/',
      '\x1b[B',
      '\x1b[5~',
      '\x1bOP',
      '豆\n\t',
    ),
    fc.string({ unit: 'binary' }).map((said) => says({ text: said })),
    fc.string({ unit: 'grapheme' }),
    fc
      .record({ columns: fc.integer({ min: 1, max: 220 }), rows: fc.integer({ min: 1, max: 70 }) })
      .map(({ columns, rows }) => resize(columns, rows)),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 25 }), (events) => {
      const state = played(...events)
      const { rows, cursor } = screenOf(state)
      expect(rows).toHaveLength(state.size.rows)
      for (const row of rows) expect(widthOf(row)).toBe(state.size.columns)
      if (cursor === null) return
      expect(cursor.x).toBeLessThan(state.size.columns)
      expect(cursor.y).toBeLessThan(state.size.rows - 1)
    }),
    { numRuns: 60 },
  )
})

test('the smallest screen has everything', () => {
  const shown = text(
    played({ type: 'connected', memex: '/m' }, 'find beans', '\r', says({ text: '* Sow' }), 'more'),
  )
  expect(shown).toMatch(/ ◆ Passepartout {2}\/m .*F1 help\n\n ❯ {2}find beans\n\n ● {2}Sow\n/)
  expect(shown).toMatch(/╭─{78}╮\n│ ❯ more +│\n╰─{78}╯\n no answer yet .*● connected$/)
  expect(text(played(resize(60, 20)))).toContain('Passepartout needs 80 × 24; this is 60 × 20.')
})

test('a card that is too long can be scrolled, and its keys stay', () => {
  const focused = played({ type: 'connected', memex: '/m' }, asks, '\t')
  expect(text(focused)).toContain('read it first')
  const state = played(
    ...[{ type: 'connected', memex: '/m' } as const, asks, '\t', '\x1b[6~'],
    ...[{ type: 'armed', sequence: 1 } as const],
  )
  expect(text(state)).toMatch(/┏━ Needs your approval {2}shell: ls/)
  expect(text(state)).toMatch(/┗━ {2}a {2}approve {4}d {2}deny .*↓ \d+ more/)
  expect(text(played({ type: 'connected', memex: '/m' }, asks))).toMatch(
    /▲ 1 waiting for you {2}Tab/,
  )
})

test('the cursor is where one types', () => {
  expect(screenOf(played('豆a')).cursor).toEqual({ x: 7, y: 21 })
  expect(screenOf(played('x'.repeat(75), '\x1b\r', 'y')).cursor).toEqual({ x: 5, y: 21 })
  const palette = text(played('/s'))
  expect(palette).toMatch(/ ▸ \/search WORDS +find notes, and open one\n {3}\/show/)
  expect(screenOf(played('/help', '\r')).cursor).toBeNull()
})

test('from a hundred and thirty columns on a pane stands beside the conversation', () => {
  const wide = text(played(resize(160, 40), says({ text: 'hello' }), '/help', '\r'))
  expect(wide).toMatch(/ ● {2}hello +│ {2}Keys|Keys/)
  expect(wide.split('\n')[2]).toMatch(/hello +│ +Help/)
  expect(text(played(says({ text: 'hello' }), '/help', '\r'))).not.toContain('hello')
})
