import { expect, test } from 'vitest'
import { readCommand } from '../../src/planner/grammar.ts'

test.each([
  ['calculate 19% of 80', 'calculate', { expression: '19% of 80' }],
  ['please compute 2026-12-24 - today', 'calculate', { expression: '2026-12-24 - today' }],
  ['fetch https://docs.example.org/a?b=1', 'web-fetch', { url: 'https://docs.example.org/a?b=1' }],
  ['read file ~/src/a.ts', 'read-file', { path: '~/src/a.ts' }],
  ['show me the file a.org lines 3 to 9', 'read-file', { path: 'a.org', first: 3, last: 9 }],
  ['read file a.org line 7', 'read-file', { path: 'a.org', first: 7, last: 7 }],
  ['list files', 'list-files', {}],
  ['list files in ~/src', 'list-files', { path: '~/src' }],
  ['search files for let me in in ~/src', 'search-files', { query: 'let me in', path: '~/src' }],
  ['search files for TODO', 'search-files', { query: 'TODO' }],
  ['git status', 'git-status', {}],
  ['git diff of ~/src/a.ts', 'git-diff', { path: '~/src/a.ts' }],
  ['test ~/src/garden', 'run-tests', { path: '~/src/garden' }],
  ['outline of plan.org', 'org-outline', { path: 'plan.org' }],
  ['outline of ~/src/a.ts', 'ts-look', { path: '~/src/a.ts', question: 'outline' }],
  ['evaluate [1, 2].length', 'repl-eval', { typescript: '[1, 2].length' }],
])('%s', (sentence, tool, args) => {
  const command = readCommand(sentence, new Date(2026, 10, 21))
  expect(command).toMatchObject({ kind: 'call', tool, args })
})

test.each([
  ['read the letter', 'show-note'],
  ['show file formats', 'show-note'],
  ['search for files', 'search-notes'],
  ['find git', 'search-notes'],
  ['fetch the parcel', null],
  ['test the soup', null],
  ['run git status', null],
])('%s is still %s', (sentence, tool) => {
  const command = readCommand(sentence, new Date(2026, 10, 21))
  expect('tool' in command ? command.tool : null).toBe(tool)
})
