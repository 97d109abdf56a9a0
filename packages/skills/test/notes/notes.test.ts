import type { MemoryObject } from '@passepartout/core'
import { expect, test } from 'vitest'
import { aboutTasks, foundText, listText, nextText } from '../../src/notes/notes.ts'

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
    written: null,
    head: '',
    authorship: { by: 'owner', signal: null, outside: false },
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

test('a word means a tag, a project or a word', () => {
  const project = note('The Kitchen', { todo: null, children: ['x'], begin: 0, end: 100 })
  const tasks = [
    note('Call Rune', { tags: ['@phone'], begin: 10, end: 20 }),
    note('Sow', { content: 'Beans.', file: 'garden.org' }),
  ]
  const titles = (about: string) =>
    aboutTasks([project, ...tasks], tasks, about).map(({ title }) => title)
  expect(titles('@phone')).toEqual(['Call Rune'])
  expect(titles('phone')).toEqual(['Call Rune'])
  expect(titles('kitchen')).toEqual(['Call Rune'])
  expect(titles('beans')).toEqual(['Sow'])
  expect(titles('#beans')).toEqual([])
})

test('the most urgent is next, and what waits is not', () => {
  const tasks = [
    note('Some day'),
    note('Important', { priority: 'A' }),
    note('Wait for Signe', { todo: 'WAITING', deadline: '<2026-11-01 Sun>' }),
    note('Later', { scheduled: '<2026-11-25 Wed>' }),
    note('Buy oat milk', { scheduled: '<2026-11-22 Sun>' }),
    note('See the dentist', { deadline: '<2026-11-22 Sun 09:00>', file: 'areas/health.org' }),
    note('Pay the fine', { deadline: '<2026-11-18 Wed>' }),
    note('Old news', { deadline: '<2026-11-18 Wed>', done: true, todo: 'DONE' }),
    note('A secret', { deadline: '<2026-11-22 Sun>', private: true }),
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
  expect(nextText(tasks, now, 'dentist')).toMatch(/^Next: See the dentist\n/)
  expect(nextText(tasks, now, 'sea')).toBe('Nothing about “sea” is to be done now.')
  const [wait, later] = [tasks[2]!, tasks[3]!]
  expect(nextText([], now)).toContain('Nothing is open')
  expect(nextText([later], now)).toContain('One task is for later')
  expect(nextText([wait, later], now)).toContain('2 tasks are for later')
})

test('a list is filtered by keyword and by tag', () => {
  const tasks = [note('Call', { tags: ['@phone'] }), note('Wait', { todo: 'WAITING', line: 9 })]
  expect(listText(tasks, { tag: '@Phone' })).toBe('inbox.org\n  TODO  Call  inbox.org:3')
  expect(listText(tasks, { todo: 'waiting' })).toBe('inbox.org\n  WAITING  Wait  inbox.org:9')
  expect(listText(tasks, { about: 'phone', priority: 'A' })).toBe('No open task is like that.')
  expect(listText(tasks, { tag: 'sea' })).toBe('No open task is like that.')
})

test('a hit is quoted with the lines that speak for it', () => {
  const content = ':A:\nThe oven.\nRye is flat.\nThe rye sourdough was flat.\nFlat sourdough.\n'
  const found = [
    { object: note('Diary', { todo: null, content, line: 7 }), terms: ['rye', 'sourdough'] },
    { object: note('Bread', { content: 'Keep it\nwarm.\n', line: 4 }), terms: ['bread'] },
    { object: note('Axes', { content: 'A taxi.\nAX 20\n', line: 9 }), terms: ['ax'] },
  ]
  expect(foundText(found, () => null)).toBe(
    [
      'inbox.org:7  Diary',
      '  10: Rye is flat.',
      '  11: The rye sourdough was flat.',
      'inbox.org:4  TODO Bread',
      '  5: Keep it',
      'inbox.org:9  TODO Axes',
      '  11: AX 20',
    ].join('\n'),
  )
})
