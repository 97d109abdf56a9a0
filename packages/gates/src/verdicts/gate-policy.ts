import { type Action, defineSkill, type Gate, type Skill, type Verdict } from '@passepartout/core'

/** The longest explanation that is accepted, in UTF-16 units. */
export const explanationLengthMax = 2_000

/** Passes an answer to the owner, and any action that says why it is proposed. */
export function checkPolicy(action: Action): Verdict {
  if (action.payload.action === 'message') return { kind: 'pass' }
  const explanation = (action.payload.explanation ?? '').trim()
  if (isFiller(explanation, action)) {
    return {
      kind: 'reject',
      reason: 'Add an :explanation that tells the owner why this is done.',
      rule: 'policy.explanation',
    }
  }
  if (explanation.length > explanationLengthMax) {
    return {
      kind: 'reject',
      reason: `Keep the explanation under ${explanationLengthMax} characters.`,
      rule: 'policy.length',
    }
  }
  return { kind: 'pass' }
}

const fillers = new Set(
  'n a na none nil null todo tbd because reason explanation why no reason just because undefined'.split(
    ' ',
  ),
)

function wordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const isPlain = !/[^\0-\x7f]/.test(lower)
  return lower.match(isPlain ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? []
}

function isFiller(explanation: string, { payload, target }: Action): boolean {
  const words = wordsOf(explanation)
  if (words.every((word) => fillers.has(word))) return true
  const plain = words.join('')
  if (/^(.)\1*$/u.test(plain) || plain.length < 3) return !/[^\0-\x7f]/.test(plain)
  const names = [payload.tool, payload.action, target]
  return names.some(
    (name) =>
      name !== undefined && plain.length <= 2 * name.length && wordsOf(name).join('') === plain,
  )
}

/** The gate that asks every action for its reason. */
const policyGate: Gate = { name: 'policy', priority: 500, check: checkPolicy }

/** The skill that brings the policy gate. */
export const policy: Skill = defineSkill({
  name: 'gate-policy',
  description: 'Refuses an action that does not say why it is proposed.',
  gates: [policyGate],
})
