import type { Action, GateContext, Verdict } from '@passepartout/core'
import { judgeWrite } from '../paths/write.ts'
import type { Check } from './check.ts'
import { isPathName, isWriting, placesOf, stringsOf } from './check-arguments.ts'

const aboutItself = new Set(['paths.self', 'paths.agent', 'paths.state'])

function check(action: Action, context: GateContext): Verdict {
  const { action: name, tool } = action.payload
  if (
    /^(eval|evaluate|exec-code|load-skill|install-skill|set-gate|disable-gate|approve|grant)$/.test(
      name,
    ) ||
    /^(eval|approve|grant)$/.test(tool ?? '')
  ) {
    return {
      kind: 'reject',
      rule: 'self.decide',
      reason: 'Refused: what may be done is decided by the owner and not by a proposal.',
    }
  }
  if (!isWriting(action, context)) return { kind: 'pass' }
  const places = placesOf(context)
  let question: Verdict = { kind: 'pass' }
  for (const { name, value } of stringsOf(action)) {
    if (
      value === '' ||
      value.length > 4_096 ||
      (!isPathName(name) && !/^[^\s]*[/\\.][^\s]*$/.test(value))
    )
      continue
    const { level, rule, reason } = judgeWrite(value, places)
    if (!aboutItself.has(rule)) continue
    const verdict = `it changes ${value.slice(0, 200)}: ${reason}`
    if (level === 'refused') return { kind: 'reject', rule, reason: `Refused: ${verdict}.` }
    question = { kind: 'approval', rule, reason: verdict }
  }
  return question
}

/** Asks before the agent's own code or settings change; refuses to touch the approvals. */
export const checkSelf: Check = { name: 'self', check }
