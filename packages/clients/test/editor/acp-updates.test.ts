import type { Deed, Question } from '@passepartout/core/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  chosen,
  deedCall,
  deedEnd,
  diffsIn,
  permissionOptions,
  planEntries,
  questionCall,
} from '../../src/editor/acp-updates.ts'

const digest = 'a'.repeat(64)
const diff = '--- garden.org\n+++ garden.org\n@@ -1,2 +1,2 @@\n-* One\n+* Uno\n * Two'
const question: Question = {
  id: 'f'.repeat(32),
  token: 'abcdef',
  digest,
  target: 'tool',
  source: 'acp',
  tool: 'capture-task',
  args: '{"title":"x"}',
  explanation: 'You asked.',
  askers: [{ gate: 'permissions', rule: 'permissions.default', reason: 'capture-task asks' }],
  preview: diff,
  offers: [{ word: 'tool', shows: 'capture-task, until 2026-12-21' }],
  asked: 0,
  expires: 1,
}
const deed: Deed = { id: 'd', digest, state: 'begun', tool: 'capture-task', files: [], diff: null }

test('each piece of a diff is an old and a new text', () => {
  const made = '--- b.org\n+++ b.org\n@@ -1,0 +1,1 @@\n+* New'
  const dashes = '--- c.org\n+++ c.org\n@@ -1,2 +1,1 @@\n a\n--- b'
  expect(diffsIn(`${diff}\n${made}\n${dashes}`, '/notes')).toEqual([
    {
      type: 'diff',
      path: '/notes/garden.org',
      oldText: '* One\n* Two\n',
      newText: '* Uno\n* Two\n',
    },
    { type: 'diff', path: '/notes/b.org', oldText: null, newText: '* New\n' },
    { type: 'diff', path: '/notes/c.org', oldText: 'a\n-- b\n', newText: 'a\n' },
  ])
  expect(diffsIn('no diff', '/notes')).toEqual([])
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const content of diffsIn(text, '/notes')) expect(content.type).toBe('diff')
    }),
  )
})

test('a question has its card, its options, and keeps its word to itself', () => {
  const call = questionCall(question, '/notes')
  expect(call).toMatchObject({
    toolCallId: `question-${question.id}`,
    title: 'capture-task {"title":"x"}',
    kind: 'edit',
    status: 'pending',
    rawInput: { title: 'x' },
  })
  const shown = JSON.stringify([call, permissionOptions(question)])
  expect(shown).toContain('Why: You asked.')
  expect(shown).toContain('permissions (permissions.default): capture-task asks')
  expect(shown).toContain('Always: capture-task, until 2026-12-21')
  expect(shown).not.toContain(question.token)
})

test('an answer is for the action that was shown, and for no other', () => {
  const mark = 'a'.repeat(16)
  expect(permissionOptions(question).map(({ optionId }) => chosen(question, optionId))).toEqual([
    'approve abcdef',
    'approve abcdef always tool',
    'deny abcdef',
  ])
  const other = { ...question, digest: 'b'.repeat(64) }
  for (const { optionId } of permissionOptions(other)) expect(chosen(question, optionId)).toBeNull()
  expect(chosen({ ...question, offers: [] }, `always-tool-${mark}`)).toBeNull()
  fc.assert(fc.property(fc.string(), (id) => chosen(question, id) === null))
})

test('a title cannot hide what it is about', () => {
  const cmd = 'ls \u202e\u200b\n\x1b[2J; rm -rf ~ '.padEnd(300, 'x')
  const { title } = questionCall({ ...question, cmd }, '/notes')
  expect(title).toMatch(/^ls \\u202e\ufffd ⏎ ␛\[2J; rm -rf ~ x+…$/)
  expect(title).toHaveLength(80)
})

test('a deed begins and ends on one card', () => {
  expect(deedCall({ ...deed, tool: undefined, cmd: 'ls' })).toMatchObject({
    toolCallId: 'deed-d',
    title: 'ls',
    kind: 'execute',
    status: 'in_progress',
    rawInput: { cmd: 'ls' },
  })
  const done: Deed = { ...deed, state: 'done', output: 'Captured.', files: ['garden.org'], diff }
  const end = deedEnd(done, 'question-1', '/notes')
  expect(end).toMatchObject({ toolCallId: 'question-1', status: 'completed' })
  expect(end.content?.map(({ type }) => type)).toEqual(['content', 'diff'])
  expect(end.locations).toEqual([{ path: '/notes/garden.org' }])
  expect(deedEnd({ ...deed, state: 'failed' }, 'x', '')).toMatchObject({ status: 'failed' })
  expect(deedCall({ ...deed, args: '{"cut": "…' }).rawInput).toEqual({ args: '{"cut": "…' })
})

test('tasks are a plan', () => {
  const steps = [
    { title: 'Call', state: 'pending', priority: 'A' },
    { title: 'Write', state: 'under-way', priority: null },
    { title: 'Pay', state: 'done', priority: 'C' },
  ]
  expect(planEntries(steps)).toEqual([
    { content: 'Call', priority: 'high', status: 'pending' },
    { content: 'Write', priority: 'medium', status: 'in_progress' },
    { content: 'Pay', priority: 'low', status: 'completed' },
  ])
  expect(planEntries('nonsense')).toEqual([])
  expect(planEntries(undefined)).toEqual([])
})
