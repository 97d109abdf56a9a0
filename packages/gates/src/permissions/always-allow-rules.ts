import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type Action,
  type Asker,
  type GateContext,
  type Offer,
  replaceFile,
  type StandingRules,
} from '@passepartout/core'
import { parse } from 'org-ast'
import { applyPatches, obeyed, pasteSubtree } from 'org-ast/edit'
import { z } from 'zod'
import { staysHere } from '../actions/effects.ts'
import { placesOf } from '../verdicts/check-arguments.ts'
import {
  type PermissionFacts,
  type PermissionRule,
  readRules,
  ruleAsOrg,
  ruleMatches,
} from './permission-rules.ts'
import { coversWords, isSetting } from './rule-wildcards.ts'

const lastingDays = 30
const valueMax = 80

type Draft = { word: string; shows: string; rule: Partial<PermissionRule> }

function commandDrafts({ payload }: Action, context: GateContext): Draft[] {
  const { cwd, directory: folder, ...more } = payload.args ?? {}
  const { cmd = '' } = payload
  const named = cwd ?? folder
  const directory = typeof named === 'string' ? named : context.memexDir
  const command = cmd.trim().split(/ +/)
  if (isSetting(command[0] ?? '')) return []
  const args: Record<string, string> = {}
  for (const [name, value] of Object.entries(more)) {
    const text = pinned(value)
    if (text === null) return []
    args[name] = text
  }
  const reach = Object.entries(args).map(([name, text]) => `, with the ${name} ${text}`)
  const shows = (where: string) => `“${cmd.trim()}” in ${where}${reach.join('')}`
  return [
    { word: 'here', shows: shows(directory), rule: { command, directory, args } },
    { word: 'anywhere', shows: shows('any folder'), rule: { command, args } },
  ]
}

/** A value as a rule pins it; null for what a rule cannot say. */
function pinned(value: unknown): string | null {
  const parts = Array.isArray(value) ? value : [value]
  const isPlain = parts.every((part) => typeof part === 'string' || typeof part === 'number')
  const text = parts.join(' ')
  return isPlain && text !== '' && /^[^*\r\n]+$/.test(text) && text.length <= valueMax * 4
    ? text
    : null
}

function toolDrafts({ payload }: Action, context: GateContext): Draft[] {
  const { args: given = {}, tool = '' } = payload
  const fixed = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    const isPlain = typeof value === 'string' || typeof value === 'number'
    const text = String(value)
    return isPlain && /^[^*\r\n]+$/.test(text) && text.length <= valueMax ? [[name, text]] : []
  })
  const isWhole = fixed.length === Object.keys(given).length
  const all = { word: 'exactly', shows: `${tool} with just this`, args: Object.fromEntries(fixed) }
  const each = fixed.map(([name, value]) => ({
    word: name,
    shows: `${tool} with ${name} “${value}”, whatever else`,
    args: { [name]: value },
  }))
  const facts = context.tools.get(tool)
  if (facts?.permission === 'ask' && facts.foreign === undefined && staysHere(facts)) return []
  const definition = facts?.foreign?.definition
  const asNow = definition === undefined ? '' : ', as long as it describes itself as it does now'
  const any = { word: 'tool', shows: `${tool} with anything${asNow}`, args: {} }
  const drafts = [
    ...(isWhole && fixed.length > 0 ? [all] : []),
    ...(definition !== undefined && facts?.foreign?.destroys !== true ? [any] : []),
    ...(fixed.length > 1 ? each : []),
    ...(definition === undefined && staysHere(facts) ? [any] : []),
  ]
  return drafts.map(({ word, shows, args }) => ({
    word,
    shows,
    rule: { tool, args, ...(definition === undefined ? {} : { definition }) },
  }))
}

/** What could be allowed for good, the narrowest first; nothing for what cannot be bounded. */
export function offersOf(action: Action, context: GateContext, askers: readonly Asker[]): Offer[] {
  const { today } = factsOf(context)
  if (today === '' || askers.length === 0) return []
  const isCommand = action.payload.cmd !== undefined
  if (isCommand ? action.target !== 'shell' : action.payload.tool === undefined) return []
  const drafts = isCommand ? commandDrafts(action, context) : toolDrafts(action, context)
  const expires = dayAfter(today, lastingDays)
  return drafts.flatMap(({ word, shows, rule: draft }) => {
    const rule: PermissionRule = {
      title: `Allowed on ${today}: ${shows.replace(/[[\]<>{}]/g, '·')}`,
      decision: 'allow',
      source: [context.signal.meta.source],
      args: {},
      ...draft,
      expires,
      answers: askers.map(nameOf),
    }
    const isUsable = isWritable(rule) && ruleMatches(rule, action, context, today)
    return isUsable ? [{ word, shows: `${shows}, until ${expires}`, rule }] : []
  })
}

function isWritable(rule: PermissionRule): boolean {
  try {
    const text = ruleAsOrg(rule)
    return readRules(text, 'offer').errors.length === 0 && obeyed(text).length === 0
  } catch {
    return false
  }
}

function nameOf({ gate, rule = '' }: Asker): string {
  return `${gate}/${rule}`.replace(/[\s,]/g, '-')
}

function dayAfter(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date + days)).toISOString().slice(0, 10)
}

function factsOf(context: GateContext): PermissionFacts {
  const none: PermissionFacts = { rules: [], errors: [], problem: 'no rules', today: '' }
  return (context.facts.permissions as PermissionFacts | undefined) ?? none
}

/** The owner's rule that answers all of these questions, or null. */
export function answeringRule(
  action: Action,
  context: GateContext,
  askers: readonly Asker[],
): PermissionRule | null {
  const { rules, errors, problem, today } = factsOf(context)
  if (problem !== null || errors.length > 0 || askers.length === 0) return null
  const matching = rules.filter((rule) => ruleMatches(rule, action, context, today))
  if (matching.some(({ decision }) => decision !== 'allow')) return null
  const places = placesOf(context)
  const covers = ({ command }: PermissionRule) =>
    command === undefined || coversWords(command, action.payload.cmd ?? '', places)
  return (
    matching.find((rule) => askers.every((asker) => isAnswered(rule, asker)) && covers(rule)) ??
    null
  )
}

function isAnswered({ answers }: PermissionRule, asker: Asker): boolean {
  if (answers !== undefined) return answers.includes(nameOf(asker))
  const parts = (asker.rule ?? '').split('+')
  return asker.gate === 'permissions' || parts.every((part) => asSuch.test(part))
}

/** The rules that ask about a command because nobody knows it, whatever is in it. */
const asSuch =
  /^(?:shell\.(?!too-long|unreadable|nested|syntax|invisible|hidden)[a-z-]+|network\.connection)$/

const ruleSchema = z.object({
  title: z.string(),
  decision: z.literal('allow'),
  tool: z.string().optional(),
  target: z.string().optional(),
  source: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  args: z.record(z.string(), z.string()),
  directory: z.string().optional(),
  definition: z.string().optional(),
  expires: z.string(),
  answers: z.array(z.string()).min(1),
})

function append(path: string, rule: PermissionRule): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = existsSync(path) ? realpathSync(path) : path
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '#+title: Permissions\n'
  const node = ruleAsOrg(rule)
  if (readRules(node, path).errors.length > 0) throw new Error('this rule would be too wide')
  const after = applyPatches(text, pasteSubtree(text, parse(text), { under: null }, node))
  replaceFile(file, after, existsSync(file) ? statSync(file).mode & 0o777 : 0o600)
}

/** The owner's standing yeses, kept in this file of permissions. */
export function createStandingRules(path: string): StandingRules {
  return {
    offers: offersOf,
    answers: (action, context, askers) => answeringRule(action, context, askers)?.title ?? null,
    remember({ rule }) {
      append(path, ruleSchema.parse(rule))
      return path
    },
  }
}
