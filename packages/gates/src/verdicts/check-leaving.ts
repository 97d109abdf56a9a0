import type { Action, GateContext, Verdict } from '@passepartout/core'
import { isPlaceholder } from '../secrets/placeholders.ts'
import { isMetadata } from '../shell/network.ts'
import type { Check } from './check.ts'
import { stringsOf } from './check-arguments.ts'

const localTargets = new Set([
  'cli',
  'tui',
  'acp',
  'web',
  'emacs',
  'tool',
  'system',
  'shell',
  'repl',
  'log',
  'journal',
  'test',
])

function check(action: Action, context: GateContext): Verdict {
  const { target } = action
  const isElsewhere = target !== undefined && target !== context.signal.meta.source
  if (isElsewhere && !localTargets.has(target) && action.payload.action !== 'message') {
    return { kind: 'approval', rule: 'leaving.target', reason: `it goes out through ${target}` }
  }
  for (const { value } of stringsOf(action)) {
    if (isMetadata(value)) {
      return {
        kind: 'reject',
        rule: 'leaving.metadata',
        reason: 'Refused: that address gives away the keys of this machine.',
      }
    }
    const password = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]+:([^/?#\s@]+)@/i.exec(value)?.[1]
    if (password !== undefined && !isPlaceholder(password) && !/^password$/i.test(password)) {
      return {
        kind: 'reject',
        rule: 'leaving.credentials',
        reason: 'Refused: the address has a name and a password in it.',
      }
    }
  }
  return { kind: 'pass' }
}

/** Asks about what goes to another machine, or to other people than the one who asked. */
export const checkLeaving: Check = { name: 'leaving', check }
