import type { Action, Gate, GateContext, Skill, Verdict } from '@passepartout/core'
import { matcherFor, namesOfAction, type VaultMatcher } from './vault-match.ts'

function checkKeys(name: string, action: Action, { facts }: GateContext): Verdict {
  const matcher = facts[name] as VaultMatcher | undefined
  const names = matcher === undefined ? [] : namesOfAction(action, matcher.namesIn)
  if (names.length === 0) return { kind: 'pass' }
  const reason = `This holds the key of ${names.join(', ')}, which goes nowhere.`
  return { kind: 'reject', reason, rule: `${name}.key` }
}

/** The skill with a gate that keeps these keys, by the names that a person knows them under. */
export function guardKeys(skill: Skill, keys: ReadonlyMap<string, string>): Skill {
  const matcher = matcherFor(new Map([...keys].filter(([, key]) => key !== '')))
  const gate: Gate = {
    name: `${skill.name.replace(/s$/, '')}-keys`,
    priority: 600,
    check: (action, context) => checkKeys(skill.name, action, context),
  }
  const gates = [...(skill.gates ?? []), gate]
  return { ...skill, facts: () => matcher, holdBack: matcher.reach, gates }
}
