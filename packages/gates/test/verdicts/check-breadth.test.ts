import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkBreadth } from '../../src/verdicts/check-breadth.ts'
import { annContext, callOf, commandOf } from './ann.ts'

const note = {
  parameters: z.object({ query: z.string() }),
  readOnly: false,
  reach: 'notes' as const,
}
const tools = new Map(
  ['archive-task', 'complete-task', 'capture-task', 'write-file'].map((name) => [name, note]),
)

function contextFor(heard: string[], done: readonly string[] = []) {
  const changed = done.map((query) => ({ tool: 'archive-task', args: { query } }))
  const clean = { foreign: [], isFresh: false, isUnproven: false, isByRules: false }
  const session = { ...clean, heard, changed }
  return annContext({ ownerWords: heard, tools, facts: { 'gate-dispatcher': { session } } })
}

const rule = (
  heard: string,
  args: Record<string, unknown>,
  done: string[] = [],
  tool = 'archive-task',
) => {
  const verdict = checkBreadth.check(callOf(tool, args), contextFor([heard], done))
  return verdict.rule ?? verdict.kind
}

test('what was named is done, and what was not is counted', () => {
  expect(rule('Archive the roof note', { query: 'Roof note' }, ['x', 'y'])).toBe('pass')
  expect(rule('Archive it', { query: 'Beans' })).toBe('pass')
  expect(rule('Archive it', { query: 'Beans' }, ['Peas'])).toBe('breadth.wider')
  expect(rule('Archive the last two entries', { query: 'Beans' }, ['Peas'])).toBe('pass')
  expect(rule('Archive the last two entries', { query: 'Beans' }, ['Peas', 'Leeks'])).toBe(
    'breadth.wider',
  )
  expect(rule('Archive everything that is done', { query: 'Beans' }, ['a', 'b', 'c'])).toBe('pass')
})

test('what is unclear asks at the first thing, and adding never does', () => {
  expect(rule('Tidy the inbox', { query: 'Beans', place: 'inbox.org' })).toBe('breadth.unclear')
  expect(rule('Tidy the inbox', { path: 'inbox.org', content: '' }, [], 'write-file')).toBe(
    'breadth.unclear',
  )
  expect(rule('Tidy the code', { path: 'a.ts', content: '' }, [], 'write-file')).toBe('pass')
  expect(rule('Tidy the inbox', { title: 'Tidy the inbox' }, [], 'capture-task')).toBe('pass')
  expect(rule('Delete the old beans', { query: 'Old beans' })).toBe('pass')
})

test('a question changes nothing', () => {
  expect(rule('What is in the inbox?', { query: 'Beans' })).toBe('breadth.question')
  expect(rule('Could you archive it?', { query: 'Beans' })).toBe('pass')
})

test('a command that removes is held against the words as well', () => {
  const judged = (heard: string, cmd: string) =>
    checkBreadth.check(commandOf(cmd), contextFor([heard])).kind
  expect(judged('Clean up the old branches', 'git branch -D a b c')).toBe('approval')
  expect(judged('Clean up the old branches', 'git branch -a')).toBe('pass')
  expect(judged('Delete the branch wip', 'git branch -D wip')).toBe('pass')
})
