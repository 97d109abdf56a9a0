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
        reason: `Refused: the command ${visible(command)} is not allowed: ${visible(reason)}.`,
      }
    }
    verdict = { kind: 'approval', rule, reason: visible(`${reason}: ${command}`) }
  }
  return verdict
}

const unseen = /(?![\n\t ])[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800]/gu

/** The text with a code in the place of each character that is not seen. */
function visible(text: string): string {
  return text.replace(unseen, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

/** Refuses catastrophes, passes what only looks, asks about every other command. */
export const checkShell: Check = { name: 'shell', check }
