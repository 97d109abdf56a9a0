import type { Action } from '@passepartout/core'
import { expect, test } from 'vitest'
import { commandsOf, isPathName, stringsOf } from '../../src/verdicts/check-arguments.ts'

function tool(args: Record<string, unknown>): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool: 'x', args } }
}

test('strings are found at any depth, with the nearest name', () => {
  const found = stringsOf(tool({ a: { paths: ['x', 'y'] }, b: 1 }))
  expect(found.map(({ name, value }) => `${name}=${value}`)).toEqual([
    'key=a',
    'key=paths',
    'paths=x',
    'paths=y',
    'key=b',
  ])
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(20)}"x"${'}'.repeat(20)}`)
  expect(() => stringsOf(tool({ deep }))).toThrow(RangeError)
})

test.each([
  ['path', true],
  ['filePath', true],
  ['target_file', true],
  ['attachments', true],
  ['text', false],
  ['profile', false],
  ['title', false],
])('%s means a path: %s', (name, expected) => {
  expect(isPathName(name)).toBe(expected)
})

test('a command is found wherever it stands', () => {
  expect(commandsOf(tool({ command: 'ls' }))).toEqual(['ls'])
  expect(
    commandsOf({ type: 'request', target: 'cli', payload: { action: 'x', cmd: 'ls' } }),
  ).toEqual(['ls'])
  expect(commandsOf({ type: 'request', target: 'shell', payload: { action: 'execute' } })).toEqual([
    '',
  ])
  expect(commandsOf(tool({ title: 'ls' }))).toEqual([])
  const bash = { ...tool({ input: 'ls' }).payload, tool: 'run_shell' }
  expect(commandsOf({ type: 'request', target: 'tool', payload: bash })).toEqual(['ls'])
})
