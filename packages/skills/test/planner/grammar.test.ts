import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlannerCommand, verbs } from '../../src/planner/commands.ts'
import { readCommand } from '../../src/planner/grammar.ts'

const now = new Date(2026, 10, 21, 9, 30)

function reads(text: string): PlannerCommand {
  return readCommand(text, now)
}

test.each([
  ['What should I do now?', 'next-actions', {}],
  ["what's next for @garden", 'next-actions', { about: '@garden' }],
  ['next in the kitchen', 'next-actions', { about: 'kitchen' }],
  ['what should I do today', 'agenda', { span: '2026-11-21' }],
  ['agenda', 'agenda', { span: '2026-11-21..2026-11-27' }],
  ['what do I have tomorrow?', 'agenda', { span: '2026-11-22' }],
  ['what is due in december', 'agenda', { span: '2026-12-01..2026-12-31' }],
  ['next 10 days', 'agenda', { span: '2026-11-21..2026-11-30' }],
  ['what did I do on friday?', 'history', { span: '2026-11-20' }],
  ['list WAITING #work', 'list-tasks', { todo: 'WAITING', tag: 'work' }],
  ['waiting tasks', 'list-tasks', { todo: 'WAITING' }],
  ['open tasks about beans', 'list-tasks', { about: 'beans' }],
  ['priority A tasks', 'list-tasks', { priority: 'A' }],
  ['#errand tasks', 'list-tasks', { tag: 'errand' }],
  ['kitchen tasks', 'list-tasks', { about: 'kitchen' }],
  ['show me tomorrow', 'agenda', { span: '2026-11-22' }],
  ['tasks for next week', 'agenda', { span: '2026-11-23..2026-11-29' }],
  ['when is the meeting', 'show-note', { query: 'the meeting' }],
  ['find “tide tables”', 'search-notes', { query: '“tide tables”' }],
  ['where is my passport?', 'search-notes', { query: 'my passport' }],
])('%s', (sentence, tool, args) => {
  expect(reads(sentence)).toMatchObject({ kind: 'call', tool, args })
})

test.each([
  ['capture sort old tasks', 'capture-task', { title: 'Sort old tasks' }],
  ['!A buy milk', null, {}],
  ['capture !A buy milk', 'capture-task', { title: 'Buy milk', priority: 'A' }],
  [
    'add call Rune @phone :home: tomorrow',
    'capture-task',
    { title: 'Call Rune', tags: ['@phone', 'home'], scheduled: '<2026-11-22 Sun>' },
  ],
  [
    'remind me on friday to call mum',
    'capture-task',
    { title: 'Call mum', scheduled: '<2026-11-27 Fri>' },
  ],
  ['capture write it tomorrow for 2 hours', 'capture-task', { title: 'Write it', effort: '2:00' }],
  [
    'capture “pay by friday” under Money',
    'capture-task',
    { title: 'pay by friday', under: 'Money' },
  ],
  ['capture mail bob@example', 'capture-task', { title: 'Mail bob@example' }],
  ['capture learn C#lang', 'capture-task', { title: 'Learn C#lang' }],
  ['capture tidy everything in inbox', 'capture-task', { title: 'Tidy everything in inbox' }],
  ['note to self: call the bank', 'capture-task', { title: 'Call the bank' }],
  ['capture pay rent with priority A', 'capture-task', { title: 'Pay rent', priority: 'A' }],
  [
    'add a note to the drill that it is broken',
    'add-note',
    { query: 'the drill', note: 'it is broken' },
  ],
  ['move the drill from monday to friday', 'move-task', { query: 'the drill' }],
  ['remind me to talk to Signe', 'capture-task', { title: 'Talk to Signe' }],
  ['the letterbox is done', 'complete-task', { query: 'the letterbox' }],
  ['the letterbox is not done yet', 'reopen-task', { query: 'the letterbox' }],
  ['restore the note “The letterbox”', 'restore-note', { query: 'The letterbox' }],
  ['undelete letterbox', 'restore-note', { query: 'letterbox' }],
  ['mark the oak as waiting', 'set-state', { query: 'the oak', keyword: 'WAITING' }],
  [
    'deadline of the oak friday',
    'schedule-task',
    { query: 'the oak', deadline: '<2026-11-27 Fri>' },
  ],
  ['the oak is due friday', 'schedule-task', { query: 'the oak', deadline: '<2026-11-27 Fri>' }],
  [
    'move the drill to monday at 9',
    'move-task',
    { query: 'the drill', to: '<2026-11-23 Mon 09:00>' },
  ],
  [
    'push the deadline of the oak by a week',
    'move-task',
    { query: 'the oak', by: '1w', which: 'deadline' },
  ],
  ['bring the oak forward by 2 days', 'move-task', { query: 'the oak', by: '-2d' }],
  ['push the oak back by 2 days', 'move-task', { query: 'the oak', by: '2d' }],
  ['move the oak by 2 days earlier', 'move-task', { query: 'the oak', by: '-2d' }],
  ['Mark the oak as WAITING', 'set-state', { query: 'the oak', keyword: 'WAITING' }],
  ['postpone the oak 3 days', 'move-task', { query: 'the oak', by: '3d' }],
  ['move the oak under Carpentry', 'refile-task', { query: 'the oak', under: 'Carpentry' }],
  ['make the oak priority B', 'set-priority', { query: 'the oak', priority: 'B' }],
  ['tag the oak #errand #wood', 'tag-task', { query: 'the oak', add: ['errand', 'wood'] }],
  ['remove #errand from the oak', 'tag-task', { query: 'the oak', remove: ['errand'] }],
  ['note on the oak: asked again', 'add-note', { query: 'the oak', note: 'asked again' }],
])('%s', (sentence, tool, args) => {
  const command = reads(sentence)
  if (tool === null) expect(command.kind).toBe('unclear')
  else expect(command).toMatchObject({ kind: 'call', tool, args })
})

const questions = [
  ...['oat milk', 'schedule the drill', 'list every red thing', 'capture tomorrow', ''],
  ...['move the drill', 'move the drill to december', 'delete the drill', 'prioritize the drill'],
  ...[
    'capture stretch every weekday',
    'capture meet on saturday at 10',
    'shedule the drill monday',
  ],
  ...['capture', 'complete', 'frobnicate the atlas', '“', 'pay by 1/12'],
  ...['capture yoga every monday and thursday', 'capture drinks friday or saturday'],
  ...['capture fair from 1 december to 5 december', 'postpone until friday', 'how are you'],
  ...['move the drill back by 2 days', 'move the drill to yesterday'],
]

test.each(questions)('“%s” is answered with a question', (sentence) => {
  const command = reads(sentence)
  expect(command.kind).toBe('unclear')
  if (command.kind !== 'unclear') return
  expect(command.readings).toHaveLength(2)
  for (const reading of command.readings) expect(reads(reading).kind).not.toBe('unclear')
})

const titles = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(fc.constantFrom('pay', 'by', 'friday', '#x', '!A', 'under', 'every', 'day', 'at', '5'))
      .map((words) => words.join(' ')),
  )
  .map((text) => text.replace(/[“”"\s]+/g, ' ').trim())
  .filter((text) => /[\p{L}\p{N}]/u.test(text))

test('a quoted title is taken to the letter', () => {
  fc.assert(
    fc.property(titles, (title) => {
      expect(reads(`capture “${title}” tomorrow`)).toMatchObject({
        tool: 'capture-task',
        args: { title, scheduled: '<2026-11-22 Sun>' },
      })
      expect(reads(`complete “${title}”`)).toMatchObject({ args: { query: `“${title}”` } })
    }),
  )
})

test('reading is total, and a reading is never unclear itself', () => {
  const words = fc
    .array(fc.constantFrom(...verbs, 'friday', 'to', 'of', '“', 'x', '5', '1/12', 'next'))
    .map((all) => all.join(' '))
  fc.assert(
    fc.property(fc.oneof(fc.string(), words), (text) => {
      const command = reads(text)
      if (command.kind !== 'unclear') return
      for (const reading of command.readings)
        expect([reading, reads(reading).kind]).not.toEqual([reading, 'unclear'])
    }),
    { numRuns: 500 },
  )
})

test('a shell command is left alone', () => {
  expect(reads('run ls *.org?')).toEqual({ kind: 'run', command: 'ls *.org?' })
  expect(reads('$ echo "a  b"\n')).toEqual({ kind: 'run', command: 'echo "a  b"' })
})
