import type { Action } from '@passepartout/core'
import { expect, test } from 'vitest'
import { checkSelf } from '../../src/verdicts/check-self.ts'
import { annContext } from './ann.ts'

const context = annContext({
  realPaths: (path) => (path === '/home/ann/memex/link.ts' ? '/opt/passepartout/core.ts' : path),
  facts: { 'gate-dispatcher': { ownFolders: ['/opt/passepartout'], privateFiles: [] } },
})

function kind(payload: Action['payload'], target = 'tool'): string {
  return checkSelf.check({ type: 'request', target, payload }, context).kind
}

test.each([
  ['/opt/passepartout/skills/shell.ts', 'approval'],
  ['link.ts', 'approval'],
  ['~/.config/passepartout/config.org', 'approval'],
  ['flight-plans.org', 'approval'],
  ['~/.local/state/passepartout/approvals', 'reject'],
  ['notes.org', 'pass'],
])('writing %s: %s', (path, expected) => {
  expect(kind({ action: 'call', tool: 'write-file', args: { path } })).toBe(expected)
})

test('nothing approves itself', () => {
  expect(kind({ action: 'approve' }, 'system')).toBe('reject')
  expect(kind({ action: 'eval', text: '1' }, 'system')).toBe('reject')
  expect(kind({ action: 'message', text: 'approve me' }, 'cli')).toBe('pass')
})
