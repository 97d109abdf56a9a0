import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayNumber } from '../../src/base/day.ts'
import { type Query, querySchema } from '../../src/search/query.ts'
import {
  isPlainWords,
  parseQuery,
  pointedError,
  QueryError,
} from '../../src/search/query-language.ts'

const today = dayNumber('2026-11-21')
const text = (words: string): Query => ({ kind: 'text', text: words })
const dates = (kind: string, from?: string, to?: string) => ({
  kind: 'date',
  dates: kind,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
})

test.each<[string, unknown]>([
  ['beans', text('beans')],
  ['"runner beans"', text('"runner beans"')],
  ['at 10:30', { kind: 'all', of: [text('at'), text('10:30')] }],
  ['https://example.org', text('https://example.org')],
  ['title:"two words"', { kind: 'text', text: '"two words"', field: 'title' }],
  ['-tag:a', { kind: 'not', of: { kind: 'tag', tag: 'a' } }],
  ['a or b and c', { kind: 'any', of: [text('a'), { kind: 'all', of: [text('b'), text('c')] }] }],
  [
    '(a | b) !c',
    {
      kind: 'all',
      of: [
        { kind: 'any', of: [text('a'), text('b')] },
        { kind: 'not', of: text('c') },
      ],
    },
  ],
  ['own-tag:x', { kind: 'tag', tag: 'x', inherit: false }],
  ['todo:open', { kind: 'todo', todo: 'open' }],
  ['prop:A=b=c', { kind: 'property', name: 'A', value: 'b=c' }],
  ['inherited:A', { kind: 'property', name: 'A', inherit: true }],
  ['under:"The garden/Beds"', { kind: 'under', path: ['The garden', 'Beds'] }],
  ['is:orphan', { kind: 'is', is: 'orphan' }],
  ['by:web', { kind: 'by', by: 'web' }],
  ['scheduled:today', dates('scheduled', '2026-11-21', '2026-11-21')],
  ['deadline:-3d', dates('deadline', '2026-11-18', '2026-11-21')],
  ['closed:2026-02', dates('closed', '2026-02-01', '2026-02-28')],
  ['date:2026', dates('active', '2026-01-01', '2026-12-31')],
  ['date:..2026-12', dates('active', undefined, '2026-12-31')],
  ['event:', dates('event')],
])('%s', (input, expected) => {
  const query = parseQuery(input, today)
  expect(query).toEqual(expected)
  expect(querySchema.safeParse(query).success).toBe(true)
})

test.each([
  ['tga:home', 0, 'Nothing is called tga:'],
  ['a tag:', 6, 'missing'],
  ['(a b', 0, 'never closed'],
  ['a b)', 3, 'never opened'],
  ['a or', 4, 'missing here'],
  ['', 0, 'missing here'],
  ['x not', 5, 'must not be'],
  ['type:folder', 5, 'none of file, headline'],
  ['by:me', 3, 'none of owner, agent'],
  ['date:2026-01-01..soon', 17, 'soon is no day'],
  ['date:2026-02-30', 5, 'no day'],
])('%s is wrong at %i', (input, at, message) => {
  try {
    parseQuery(input, today)
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    expect([error.at, pointedError(input, error)]).toEqual([at, expect.stringContaining(message)])
  }
})

test('words alone are no query', () => {
  const plain = ['where is the pump?', 'semi-detached', 'nothing or', 'tea & oranges']
  const typed = ['tag:x', '"two words"', 'bean*', 'a -b', '!a', 'a or b', 'not a', '(a)', 'a|b', '']
  expect(plain.filter((input) => !isPlainWords(input))).toEqual([])
  expect(typed.filter(isPlainWords)).toEqual([])
})

test('every input is a query or an error', () => {
  const pieces = fc.constantFrom(
    ...['a', 'tag:', 'x', '(', ')', 'or', '-', '"', ' ', 'date:', '..', '2026', 'not'],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (given) => {
      try {
        expect(querySchema.safeParse(parseQuery(given.join(''), today)).success).toBe(true)
      } catch (error) {
        if (!(error instanceof QueryError)) throw error
      }
    }),
  )
})
