import type { Action, Verdict } from '@passepartout/core'
import { expect, test } from 'vitest'
import { checks, dispatcherGate } from '../../src/verdicts/gate-dispatcher.ts'
import { annContext } from './ann.ts'

const context = annContext()

function verdict(payload: Action['payload'], target: string): Verdict {
  return dispatcherGate.check({ type: 'request', target, payload }, context)
}

test('every check has a name of its own and passes a plain answer', () => {
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
  expect(verdict({ action: 'message', text: 'Good morning' }, 'cli').kind).toBe('pass')
})

test('objections of several checks travel together', () => {
  const found = verdict(
    { action: 'execute', cmd: 'rm -rf /', args: { path: '/etc/shadow' } },
    'shell',
  )
  expect(found).toMatchObject({ kind: 'reject', rule: 'paths.system' })
  expect('reason' in found && found.reason).toContain('it removes a whole tree that must stay')
})

test.each([
  ['shell', { action: 'execute', cmd: 'ls' }, 'pass'],
  ['shell', { action: 'execute', cmd: 'git push' }, 'approval'],
  ['shell', { action: 'execute', cmd: 'rm -rf /' }, 'reject'],
  ['cli', { action: 'execute', cmd: 'rm -rf /' }, 'reject'],
  ['tool', { action: 'call', tool: 'read-file', args: { path: '~/.ssh/id_rsa' } }, 'reject'],
  [
    'tool',
    { action: 'call', tool: 'write-file', args: { path: 'a.json', content: '{' } },
    'reject',
  ],
  [
    'tool',
    { action: 'call', tool: 'write-file', args: { path: '~/.bashrc', content: 'x' } },
    'approval',
  ],
  ['system', { action: 'reload' }, 'pass'],
  ['system', { action: 'stop' }, 'approval'],
] as const)('%s %j: %s', (target, payload, expected) => {
  expect(verdict(payload, target).kind).toBe(expected)
})
