import { expect, test } from 'vitest'
import { readCommand } from '../../src/planner/grammar.ts'

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
  ['snapshots', 'list-snapshots', {}],
  ['what snapshots are there?', 'list-snapshots', {}],
  ['take a snapshot', 'keep-snapshot', {}],
  ['take a snapshot of my notes', 'keep-snapshot', {}],
  ['snapshot before-trip', 'keep-snapshot', { name: 'before-trip' }],
  ['keep a snapshot called "before the trip"', 'keep-snapshot', { name: 'before the trip' }],
  ['delete the snapshot before-trip', 'remove-snapshot', { snapshot: 'before-trip' }],
  ['roll back to before-trip', 'roll-back', { snapshot: 'before-trip' }],
  ['rollback before-trip', 'roll-back', { snapshot: 'before-trip' }],
  ['roll my notes back to the snapshot x', 'roll-back', { snapshot: 'x' }],
  ['go back to snapshot "before the trip"', 'roll-back', { snapshot: 'before the trip' }],
])('%s', (sentence, tool, args) => {
  expect(readCommand(sentence, now)).toMatchObject({ kind: 'call', tool, args })
})

test.each([
  'capture tend the garden',
  'find garden report',
  'complete the garden report',
  'garden',
  'take a snapshot of the roof',
  'capture take a snapshot',
  'go back to the dentist',
  'roll back the rug',
  'distil 2026-02-30',
])('%s is about notes', (sentence) => {
  const command = readCommand(sentence, now)
  expect(command.kind === 'call' ? command.tool : command.kind).not.toMatch(
    /garden-report|distil|snapshot|roll-back/,
  )
})
