import { expect, test } from 'vitest'
import { commands, completed, matching, readSlash } from '../../src/tui/commands.ts'

test('a command is found by its letters', () => {
  expect(matching('/s').map(({ name }) => name)).toEqual([
    'search',
    'show',
    'sessions',
    'approvals',
    'resume',
    'mouse',
  ])
  expect(matching('/')).toHaveLength(commands.length)
  for (const line of ['', 'agenda', '/etc/hosts', '/show x', 'a /s'])
    expect(matching(line)).toEqual([])
  expect(completed(matching('/ag')[0]!)).toBe('/agenda ')
})

test('a line is read as a command and its words', () => {
  expect(readSlash(' /show Sow beans ')).toEqual({ name: 'show', rest: 'Sow beans' })
  expect(readSlash('/quit')).toEqual({ name: 'quit', rest: '' })
  expect(readSlash('/etc/hosts')).toBeNull()
})
