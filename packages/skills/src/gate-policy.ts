import { type Action, defineSkill, type Gate, type Skill, type Verdict } from '@passepartout/core'

/** The longest explanation that is accepted, in UTF-16 units. */
export const explanationLengthMax = 2_000

/** Passes an answer to the owner, and any action that says why it is proposed. */
export function checkPolicy(action: Action): Verdict {
  if (action.payload.action === 'message') return { kind: 'pass' }
  const explanation = (action.payload.explanation ?? '').trim()
  if (explanation === '') {
    return { kind: 'reject', reason: 'Add an :explanation that tells the owner why this is done.' }
  }
  if (explanation.length > explanationLengthMax) {
    return {
      kind: 'reject',
      reason: `Keep the explanation under ${explanationLengthMax} characters.`,
    }
  }
  return { kind: 'pass' }
}

/** The gate that asks every action for its reason. */
export const policyGate: Gate = { name: 'policy', priority: 500, check: checkPolicy }

/** The skill that brings the policy gate. */
export const policy: Skill = defineSkill({
  name: 'gate-policy',
  description: 'Refuses an action that does not say why it is proposed.',
  gates: [policyGate],
})
