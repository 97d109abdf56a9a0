import type { Action, GateContext, Verdict } from '@passepartout/core'
import type { Check } from './check.ts'
import { stringsOf } from './check-arguments.ts'
import { isMetadata } from './shell-network.ts'

const localTargets = new Set(['cli', 'tui', 'web', 'emacs', 'tool', 'system', 'shell', 'log', 'journal', 'test'])

function check(action: Action, context: GateContext): Verdict {
  const { target } = action
  if (target !== undefined && target !== context.signal.meta.source && !localTargets.has(target)) {
    return { kind: 'approval', rule: 'leaving.target', reason: `it goes out through ${target}` }
  }
  const named = new Set(context.ownerWords.join(' ').toLowerCase().match(/[\p{L}\d-]+(\.[\p{L}\d-]+)+|localhost/gu))
  for (const { value } of stringsOf(action)) {
    if (isMetadata(value)) {
      return { kind: 'reject', rule: 'leaving.metadata', reason: 'Refused: that address gives away the keys of this machine.' }
    }
    for (const host of hostsIn(value)) {
      if (host.includes('@')) {
        return { kind: 'reject', rule: 'leaving.credentials', reason: 'Refused: the address has a name and a password in it.' }
      }
      if (!named.has(host)) {
        return { kind: 'approval', rule: 'leaving.address', reason: `it goes to ${host}, which you did not name` }
      }
    }
  }
  return { kind: 'pass' }
}

/** The hosts of the addresses in an argument that is nothing but an address, in small letters. */
function hostsIn(value: string): string[] {
  const host = /^\s*(?:https?|ftp|wss?|ssh|sftp|gopher|ldap):\/+([^/?#\s]+)\S*\s*$/i.exec(value)?.[1]
  return host === undefined ? [] : [host.toLowerCase().replace(/:\d+$/, '')]
}

/** Asks about what goes to another machine, or to other people than the one who asked. */
export const checkLeaving: Check = { name: 'leaving', check }
