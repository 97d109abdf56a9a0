import type { MemoryObject } from '@passepartout/core'
import { expect, test } from 'vitest'
import { agendaText, findNotes, listText, nextText, searchText } from '../src/notes.ts'

const now = new Date(2026, 10, 21, 9, 30)

function note(title: string, fields: Partial<MemoryObject> = {}): MemoryObject {
  return {
    id: title,
    type: 'headline',
    title,
    attributes: {},
    content: '',
    parent: null,
    children: [],
    version: 1,
    hash: '',
    vector: null,
    scope: 'memex',
    file: 'inbox.org',
    line: 3,
    begin: 0,
    end: 0,
    level: 1,
    todo: 'TODO',
    done: false,
    priority: null,
    tags: [],
    scheduled: null,
    deadline: null,
    closed: null,
    private: false,
    ...fields,
  }
}

const dated = [
  note('Buy oat milk', { scheduled: '<2026-11-22 Sun>' }),
  note('See the dentist', {
    deadline: '<2026-11-22 Sun 09:00>',
    file: 'areas/health.org',
    line: 12,
  }),
  note('Pay the fine', { deadline: '<2026-11-18 Wed>' }),
  note('Old news', { deadline: '<2026-11-18 Wed>', done: true, todo: 'DONE' }),
  note('A secret', { deadline: '<2026-11-22 Sun>', private: true }),
  note('Far away', { scheduled: '<2027-01-01 Fri>' }),
]

test('the agenda has a section for each day, and one for what is late', () => {
  expect(agendaText(dated, 'week', now).split('\n')).toEqual([
    'Overdue',
    '  Wed 18 Nov  deadline  Pay the fine  inbox.org:3',
    '',
    'Tomorrow, Sun 22 Nov',
    '  09:00  deadline   See the dentist  areas/health.org:12',
    '         scheduled  Buy oat milk     inbox.org:3',
  ])
})

test('a day of the agenda stands alone, and an empty one says so', () => {
  expect(agendaText(dated, '2027-01-01', now)).toContain('Far away')
  expect(agendaText(dated, '2027-01-01', now)).not.toContain('Pay the fine')
  expect(agendaText([], 'today', now)).toBe('Nothing is dated today.')
})

test('the most urgent is next, and what waits is not', () => {
  const tasks = [
    note('Some day'),
    note('Important', { priority: 'A' }),
    note('Wait for Signe', { todo: 'WAITING', deadline: '<2026-11-01 Sun>' }),
    note('Later', { scheduled: '<2026-11-25 Wed>' }),
    ...dated,
  ]
  const text = nextText(tasks, now)
  expect(text.split('\n')[0]).toBe('Next: Pay the fine')
  expect(text.match(/^ {2}\S.*? {2}/gm)?.map((line) => line.trim())).toEqual([
    'Pay the fine',
    'See the dentist',
    'Important',
    'Some day',
  ])
  expect(text).toContain('was due Wed 18 Nov')
})

test('a list is filtered by keyword and by tag', () => {
  const tasks = [note('Call', { tags: ['@phone'] }), note('Wait', { todo: 'WAITING', line: 9 })]
  expect(listText(tasks, { tag: '@Phone' })).toBe('inbox.org\n  TODO  Call  inbox.org:3')
  expect(listText(tasks, { todo: 'waiting' })).toBe('inbox.org\n  WAITING  Wait  inbox.org:9')
  expect(listText(tasks, { tag: 'sea' })).toBe('No open task is like that.')
})

test('the best tier of titles wins', () => {
  const notes = ['The pump', 'Oil the pump', 'Pump up the tyre'].map((title) => note(title))
  const titles = (query: string) => findNotes(notes, query).map(({ title }) => title)
  expect(titles('the pump')).toEqual(['The pump'])
  expect(titles('pump')).toEqual(['The pump', 'Oil the pump', 'Pump up the tyre'])
  expect(titles('tyre pump')).toEqual(['Pump up the tyre'])
  expect(titles('???')).toEqual([])
})

test('a search quotes the line, prefers titles, and never shows what is private', () => {
  const notes = [
    note('Diary', { todo: null, content: 'Flat again.\nThe sourdough was flat.\n', line: 7 }),
    note('Sourdough', { todo: null, file: 'recipes/bread.org', line: 4 }),
    note('Sourdough debts', { private: true }),
  ]
  expect(searchText(notes, 'sourdough')).toBe(
    [
      '2 notes about “sourdough”:',
      '',
      'recipes/bread.org:4  Sourdough',
      'inbox.org:7  Diary',
      '  9: The sourdough was flat.',
    ].join('\n'),
  )
  expect(searchText(notes, 'rye')).toBe('Nothing in your notes mentions “rye”.')
})
