import type { Action, GateContext, Verdict } from '@passepartout/core'
import { judgeShell } from '../shell/shell.ts'
import type { Check } from './check.ts'
import { commandsOf, placesOf } from './check-arguments.ts'

function check(action: Action, context: GateContext): Verdict {
  const places = placesOf(context)
  let verdict: Verdict = { kind: 'pass' }
  for (const command of commandsOf(action)) {
    if (command.trim() === '') {
      return {
        kind: 'reject',
        rule: 'shell.empty',
        reason: 'Refused: a shell action needs the command in :cmd.',
      }
    }
    const judgment = judgeShell(command, places)
    if (judgment.kind === 'understood') continue
    const { rule, reason } = judgment
    if (judgment.kind === 'forbid') {
      return {
        kind: 'reject',
        rule,
        reason: `Refused: the command ${command} is not allowed: ${reason}.`,
      }
    }
    verdict = { kind: 'approval', rule, reason: `${reason}: ${command}` }
  }
  return verdict
}

/** Refuses catastrophes, passes what only looks, asks about every other command. */
export const checkShell: Check = { name: 'shell', check }
