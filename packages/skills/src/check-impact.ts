import type { Action, GateContext, Verdict } from '@passepartout/core'
import type { Check } from './check.ts'
import { isPathName, isWriting, stringsOf } from './check-arguments.ts'
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
      'install uninstall upgrade enable disable register grant revoke configure deploy restart shutdown eval exec execute run spawn import permission permissions policy gate gates keys keystrokes keyboard tmux',
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
  if (tool === undefined) return { kind: 'pass' }
  const grave = judgeContents(action, tool)
  if (grave !== null) return { kind: 'approval', ...grave }
  if (!isWriting(action, context)) return { kind: 'pass' }
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

const changesData =
  /^\s*(drop|truncate|alter|grant|revoke|create|replace|insert\s+into|delete\s+from|update\s+\S+\s+set)\b/i
const secretWords = new Set(
  'secret secrets password passwords credential credentials keychain'.split(' '),
)
const codeNames = /^(code|elisp|lisp|javascript|js)$/i

function judgeContents(action: Action, tool: string): { rule: string; reason: string } | null {
  const strings = stringsOf(action)
  const statement = strings.some(
    ({ name, value }) => /^(sql|query|statement)$/i.test(name) && changesData.test(value),
  )
  if (statement && !/search/i.test(tool)) {
    return { rule: 'impact.database', reason: `it changes what a database holds: ${tool}` }
  }
  if (wordsOfName(tool).some((word) => secretWords.has(word))) {
    return { rule: 'impact.secret', reason: `it is about something secret: ${tool}` }
  }
  const runsCode = strings.some(({ name }) => codeNames.test(name))
  if (!runsCode || strings.some(({ name }) => isPathName(name))) return null
  return { rule: 'impact.code', reason: `it may run what it is given: ${tool}` }
}

/** Asks about what is hard to undo. */
export const checkImpact: Check = { name: 'impact', check }
