import { expect, test } from 'vitest'
import { readCommand } from '../src/planner-grammar.ts'

const now = new Date(2026, 10, 21)

test.each([
  ['where am i?', 'where-am-i', {}],
  ['context', 'where-am-i', {}],
  ['keep context', 'keep-context', {}],
  ['follow the buffer', 'follow-buffer', { on: true }],
  ['stop following my editor', 'follow-buffer', { on: false }],
  ['garden report', 'garden-report', { propose: false }],
  ['please tend the garden', 'garden-report', { propose: true }],
  ['distil yesterday', 'distil-day', { day: '2026-11-20' }],
  ['Distill 2026-11-01', 'distil-day', { day: '2026-11-01' }],
])('%s', (sentence, tool, args) => {
  expect(readCommand(sentence, now)).toMatchObject({ kind: 'call', tool, args })
})

test.each([
  'capture tend the garden',
  'find garden report',
  'complete the garden report',
  'garden',
])('%s is about notes', (sentence) => {
  const command = readCommand(sentence, now)
  expect(command.kind === 'call' ? command.tool : command.kind).not.toMatch(/garden-report|distil/)
})
