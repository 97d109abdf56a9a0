import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlannerCommand, planEvents, readCommand } from '../src/planner.ts'

const now = new Date(2026, 10, 21, 9, 30)

function reads(text: string): PlannerCommand {
  return readCommand(text, now)
}

test.each([
  ['what is next?', 'next-actions', {}],
  ["What's next", 'next-actions', {}],
  ['next', 'next-actions', {}],
  ['What should I do now?', 'next-actions', {}],
  ['agenda', 'agenda', { span: 'week' }],
  ['agenda today', 'agenda', { span: 'today' }],
  ['what is on tomorrow?', 'agenda', { span: 'tomorrow' }],
  ['agenda for friday', 'agenda', { span: '2026-11-27' }],
  ['list', 'list-tasks', {}],
  ['list WAITING #work', 'list-tasks', { todo: 'WAITING', tag: 'work' }],
  ['tasks @phone', 'list-tasks', { tag: '@phone' }],
  ['find sourdough', 'search-notes', { query: 'sourdough' }],
  ['what do I know about tide tables?', 'search-notes', { query: 'tide tables' }],
  ['show the pump', 'show-note', { query: 'the pump' }],
  [
    'capture buy oat milk tomorrow',
    'capture-task',
    { title: 'Buy oat milk', scheduled: '<2026-11-22 Sun>' },
  ],
  ['remind me to call Mum', 'capture-task', { title: 'Call Mum' }],
  [
    'add pay the rent due 1 december',
    'capture-task',
    { title: 'Pay the rent', deadline: '<2026-12-01 Tue>' },
  ],
  ['complete return the drill', 'complete-task', { query: 'return the drill' }],
  ['mark "library card" as done', 'complete-task', { query: 'library card' }],
  [
    'move the drill to monday at 9',
    'schedule-task',
    { query: 'the drill', scheduled: '<2026-11-23 Mon 09:00>' },
  ],
])('%s', (sentence, tool, args) => {
  expect(reads(sentence)).toMatchObject({ kind: 'call', tool, args })
})

test.each(['oat milk', 'schedule the drill', 'list every red thing', 'capture tomorrow', ''])(
  '“%s” is answered with a question',
  (sentence) => {
    const command = reads(sentence)
    expect(command.kind).toBe('unclear')
    if (command.kind === 'unclear') expect(command.readings.length).toBeGreaterThan(1)
  },
)

test('an offered reading is never unclear itself', () => {
  for (const sentence of ['oat milk', 'schedule the drill', 'frobnicate the atlas']) {
    const command = reads(sentence)
    if (command.kind !== 'unclear') throw new Error('Expected an unclear sentence')
    for (const reading of command.readings) expect(reads(reading).kind).not.toBe('unclear')
  }
})

test('reading is total', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['call', 'run', 'say', 'unclear']).toContain(reads(text).kind)
    }),
  )
})

test('the planner says what it is, and leaves a shell command alone', () => {
  expect(reads('who are you?')).toMatchObject({
    kind: 'say',
    text: expect.stringContaining('not a language'),
  })
  expect(reads('run ls *.org?')).toEqual({ kind: 'run', command: 'ls *.org?' })
  expect(reads('$ echo "a  b"\n')).toEqual({ kind: 'run', command: 'echo "a  b"' })
})

test('a command is proposed as an action with an explanation', () => {
  expect(planEvents(reads('find sourdough'))).toEqual([
    {
      type: 'action',
      action: {
        type: 'request',
        target: 'tool',
        payload: {
          action: 'call',
          tool: 'search-notes',
          args: { query: 'sourdough' },
          explanation: 'You asked to find sourdough.',
        },
      },
    },
  ])
})

test('a question quotes the sentence and its readings', () => {
  const [event] = planEvents(reads('oat milk'))
  expect(event).toMatchObject({ type: 'text' })
  expect(JSON.stringify(event)).toContain('capture oat milk')
})
