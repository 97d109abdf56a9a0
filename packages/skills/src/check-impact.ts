import type { Action, GateContext, Verdict } from '@passepartout/core'
import type { Check } from './check.ts'
import { isWriting } from './check-arguments.ts'
import { effectOf, wordsOfName } from './effects.ts'

interface ImpactRule {
  verbs: string
  reason: string
  match: string[]
  not: string[]
}

/** What a tool's name says about its effect, with examples. */
export const impactRules: Record<string, ImpactRule> = {
  money: {
    verbs:
      'pay transfer buy purchase order donate subscribe withdraw deposit invoice refund checkout book reserve trade sell',
    reason: 'it spends something',
    match: ['pay-invoice', 'book-flight'],
    not: ['payment-history', 'bookmark', 'check_order_status'],
  },
  install: {
    verbs:
      'install uninstall upgrade enable disable register grant revoke configure deploy restart shutdown eval exec execute run spawn import',
    reason: 'it changes what this machine or this agent does',
    match: ['install-skill', 'run-code', 'grant-access'],
    not: ['installer-notes', 'runbook'],
  },
  account: {
    verbs: 'password credential token login logout signup oauth',
    reason: 'it is about an account',
    match: ['change-password', 'create-token'],
    not: ['tokenize'],
  },
}

/** The most members that a list in the arguments of a writing tool may have without a question. */
export const batchMax = 20

const verbsByRule = Object.entries(impactRules).map(([rule, { verbs, reason }]) => ({
  rule,
  reason,
  verbs: new Set(verbs.split(' ')),
}))

function check(action: Action, context: GateContext): Verdict {
  const { action: name, tool, args } = action.payload
  if (action.target === 'system' && name !== 'reload') {
    return { kind: 'approval', rule: 'impact.system', reason: `it asks the daemon to ${name}` }
  }
  if (tool === undefined || !isWriting(action, context)) return { kind: 'pass' }
  const isReading = effectOf(tool, context.tools.get(tool)) === 'read'
  const words = isReading ? [] : wordsOfName(tool)
  for (const { rule, reason, verbs } of verbsByRule) {
    if (words.some((word) => verbs.has(word))) {
      return { kind: 'approval', rule: `impact.${rule}`, reason: `${reason}: ${tool}` }
    }
  }
  const batch = Object.values(args ?? {}).find(
    (value) => Array.isArray(value) && value.length > batchMax,
  )
  if (batch === undefined) return { kind: 'pass' }
  return {
    kind: 'approval',
    rule: 'impact.batch',
    reason: `it changes more than ${batchMax} things at once`,
  }
}

/** Asks about what is hard to undo. */
export const checkImpact: Check = { name: 'impact', check }
