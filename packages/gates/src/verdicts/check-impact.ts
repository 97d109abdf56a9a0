import type { Action, ForeignTool, GateContext, Verdict } from '@passepartout/core'
import { effectOf, staysHere, wordsOfName } from '../actions/effects.ts'
import type { Check } from './check.ts'
import { isPathName, isWriting, stringsOf } from './check-arguments.ts'

/** What a tool's name tells, with examples. */
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
  habits: {
    verbs:
      'config configuration settings setting preferences preference instructions prompt persona memory memories hook hooks cron crontab autostart startup alias aliases',
    reason: 'it changes how this machine or this agent behaves from now on',
    match: ['set_config', 'save_memory', 'update-settings', 'add_hook'],
    not: ['configurator', 'memorial-write'],
  },
  shared: {
    verbs: 'merge rebase release rollback approve',
    reason: 'it changes what others work with',
    match: ['merge_pull_request', 'create_release'],
    not: ['list_merge_requests', 'get-release'],
  },
  control: {
    verbs: 'computer keypress mouse click tap swipe applescript automation desktop gui press',
    reason: 'it acts as somebody at the keyboard would',
    match: ['computer', 'browser_click', 'press-key', 'mouse_move'],
    not: ['computers-write'],
  },
  account: {
    verbs: 'password credential token login logout signup oauth',
    reason: 'it is about an account',
    match: ['change-password', 'create-token'],
    not: ['tokenize'],
  },
}

/** The most members that a list in the arguments of a writing tool may have without a question. */
const batchMax = 20

/** Things that are seen by a tool that only looks, and that nobody has shown it. */
export const watched: ImpactRule = {
  verbs:
    'screenshot screenshots screen screencap webcam camera microphone clipboard pasteboard env environ getenv printenv dotenv keychain keylogger',
  reason: 'it sees what nobody has shown to it, and a password may be there',
  match: ['screenshot', 'clipboard_read', 'read_env', 'take_screenshot', 'get_camera_image'],
  not: ['list_environments', 'get_screening_results'],
}

const watchedWords = new Set(watched.verbs.split(' '))

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
  const facts = context.tools.get(tool)
  const grave = judgeContents(action, tool, facts?.foreign !== undefined)
  if (grave !== null) return { kind: 'approval', ...grave }
  if (facts?.foreign !== undefined) return judgeForeign(action, facts.foreign)
  if (!staysHere(facts) && wordsOfName(tool).some((word) => watchedWords.has(word))) {
    return { kind: 'approval', rule: 'impact.watching', reason: `${watched.reason}: ${tool}` }
  }
  if (!isWriting(action, context)) return { kind: 'pass' }
  const effect = effectOf(tool, facts)
  const isReading = effect === 'read'
  const words = isReading ? [] : wordsOfName(tool)
  for (const { rule, reason, verbs } of verbsByRule) {
    if (words.some((word) => verbs.has(word))) {
      return { kind: 'approval', rule: `impact.${rule}`, reason: `${reason}: ${tool}` }
    }
  }
  if (effect === 'unknown' && !staysHere(facts)) {
    const reason = `its name does not tell what it does, and nothing else does: ${tool}`
    return { kind: 'approval', rule: 'impact.unknown', reason }
  }
  return judgeBatch(args)
}

function judgeForeign({ payload: { args, tool } }: Action, { destroys }: ForeignTool): Verdict {
  if (!destroys) return judgeBatch(args)
  const reason = `it says of itself that it destroys something: ${tool}`
  return { kind: 'approval', rule: 'impact.destroys', reason }
}

function judgeBatch(args: Record<string, unknown> = {}): Verdict {
  const batch = Object.values(args).find((value) => Array.isArray(value) && value.length > batchMax)
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

function judgeContents(
  action: Action,
  tool: string,
  isForeign: boolean,
): { rule: string; reason: string } | null {
  const strings = stringsOf(action)
  const statement = strings.some(
    ({ name, value }) => /^(sql|query|statement)$/i.test(name) && changesData.test(value),
  )
  if (statement && (isForeign || !/search/i.test(tool))) {
    return { rule: 'impact.database', reason: `it changes what a database holds: ${tool}` }
  }
  if (!isForeign && wordsOfName(tool).some((word) => secretWords.has(word))) {
    return { rule: 'impact.secret', reason: `it is about something secret: ${tool}` }
  }
  const runsCode = strings.some(({ name }) => codeNames.test(name))
  if (!runsCode || strings.some(({ name }) => isPathName(name))) return null
  return { rule: 'impact.code', reason: `it may run what it is given: ${tool}` }
}

/** Asks about what is hard to undo. */
export const checkImpact: Check = { name: 'impact', check }
