import { readFileSync, statSync } from 'node:fs'
import {
  type Action,
  defineSkill,
  type Gate,
  type GateContext,
  messageOf,
  nearestName,
  type Runtime,
  type Skill,
  type ToolFacts,
  type Verdict,
} from '@passepartout/core'
import { staysHere } from '../actions/effects.ts'
import { createStandingRules } from './always-allow-rules.ts'
import {
  type Decision,
  decide,
  isGateway,
  type PermissionFacts,
  type RuleError,
  type RulesRead,
  readRules,
  ruleMatches,
} from './permission-rules.ts'

/** What is decided about a tool for which there is no rule. */
export function defaultFor(tool: ToolFacts & { permission?: Decision | undefined }): Decision {
  if (tool.permission !== undefined) return tool.permission
  return tool.readOnly || staysHere(tool) ? 'allow' : 'ask'
}

function isDescribedOnly(tool: ToolFacts): boolean {
  const { shape, def } = tool.parameters
  return Object.keys(shape).length === 0 && def.catchall !== undefined
}

/** Denies, asks about, or passes an action by the owner's rules and the tools' defaults. */
export function checkPermissions(action: Action, context: GateContext): Verdict {
  const facts = context.facts.permissions as PermissionFacts | undefined
  const tool = context.tools.get(action.payload.tool ?? '')
  const rule = facts === undefined ? null : decide(facts.rules, action, context, facts.today)
  if (rule !== null) return verdictFor(rule.decision, `your rule “${rule.title}”`, action, 'rule')
  const problem = facts?.problem ?? facts?.errors[0]
  const byDefault = defaultDecision(action, context, tool)
  if (
    problem !== undefined &&
    problem !== null &&
    byDefault === 'allow' &&
    !isReading(action, tool)
  ) {
    return verdictFor('ask', `a fault in your permissions (${problem})`, action, 'fault')
  }
  return verdictFor(byDefault, 'the default', action, 'default')
}

function isReading(action: Action, tool: ToolFacts | undefined): boolean {
  return tool?.readOnly === true || action.payload.action === 'message'
}

function defaultDecision(
  action: Action,
  context: GateContext,
  tool: ToolFacts | undefined,
): Decision {
  const { payload, target } = action
  if (isGateway(context.signal.meta.source)) {
    if (target === 'system') return 'deny'
    if (target === 'shell' || payload.cmd !== undefined) return 'ask'
  }
  const isProgram = context.signal.meta.source === 'mcp' && payload.action !== 'message'
  if (isProgram && tool?.readOnly !== true) return 'ask'
  const isKnown = tool !== undefined && (tool.foreign !== undefined || !isDescribedOnly(tool))
  return isKnown ? defaultFor(tool) : 'allow'
}

function verdictFor(decision: Decision, why: string, action: Action, rule: string): Verdict {
  const what = action.payload.tool ?? action.target ?? 'this'
  if (decision === 'allow') return { kind: 'pass', rule: `permissions.${rule}` }
  if (decision === 'ask') {
    return { kind: 'approval', reason: `${what} asks, by ${why}`, rule: `permissions.${rule}` }
  }
  const reason = `${what} is denied, by ${why}. Find another way, or none.`
  return { kind: 'reject', reason, rule: `permissions.${rule}` }
}

/** The names of the tools that are denied to this client in any case. */
export function deniedTools(
  facts: PermissionFacts,
  tools: ReadonlyMap<string, ToolFacts & { permission?: Decision | undefined }>,
  context: Pick<GateContext, 'signal' | 'home' | 'memexDir' | 'realPaths'>,
): string[] {
  const blanket = facts.rules.filter(
    ({ decision, args, command, directory }) =>
      decision === 'deny' && Object.keys(args).length === 0 && !command && !directory,
  )
  const isDenied = (name: string): boolean => {
    const action: Action = {
      type: 'request',
      target: 'tool',
      payload: { action: 'call', tool: name },
    }
    return blanket.some((rule) => ruleMatches(rule, action, context as GateContext, facts.today))
  }
  return [...tools].flatMap(([name, tool]) =>
    tool.permission === 'deny' || isDenied(name) ? [name] : [],
  )
}

function ruleFile(path: string): () => RulesRead & { problem: string | null } {
  let stamp = ''
  let read: RulesRead & { problem: string | null } = { rules: [], errors: [], problem: null }
  return () => {
    try {
      const stat = statSync(path, { throwIfNoEntry: false })
      const now = stat === undefined ? 'none' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`
      if (now === stamp) return read
      const text = stat === undefined ? '' : readFileSync(path, 'utf8')
      read = { ...readRules(text, path), problem: null }
      stamp = now
    } catch (error) {
      const reason = messageOf(error)
      read = { rules: read.rules, errors: [], problem: `${path} cannot be read: ${reason}` }
      stamp = ''
    }
    return read
  }
}

function misspelled({ rules }: RulesRead, tools: Iterable<string>, file: string): RuleError[] {
  const known = [...tools]
  return rules.flatMap(({ title, tool }) => {
    if (tool === undefined || tool.includes('*') || known.includes(tool)) return []
    const meant = nearestName(tool, known)
    return meant === null
      ? []
      : [`${file}: the rule “${title}” names a tool ${tool}, which there is not; is it ${meant}?`]
  })
}

/** The gate that knows the owner's rules. */
export const permissionsGate: Gate = { name: 'permissions', priority: 600, check: checkPermissions }

/** The skill that reads the owner's rules from this file. */
export function createPermissionsSkill(path: string): Skill {
  const rules = ruleFile(path)
  let checked: { read: RulesRead; tools: number; errors: RuleError[] } | null = null
  const facts = ({ clock, tools }: Pick<Runtime, 'clock' | 'tools'>): PermissionFacts => {
    const read = rules()
    if (checked?.read !== read || checked.tools !== tools.size) {
      const errors = [...read.errors, ...misspelled(read, tools.keys(), path)]
      checked = { read, tools: tools.size, errors }
    }
    return { ...read, errors: checked.errors, today: dayOf(clock.now()) }
  }
  return defineSkill({
    name: 'permissions',
    description: 'Allows, asks about, or denies tools by the owner’s own rules.',
    facts,
    hiddenTools: (runtime, signal) =>
      deniedTools(facts(runtime), runtime.tools, {
        signal,
        ...runtime.config,
        realPaths: (path) => path,
      }),
    standing: createStandingRules(path),
    gates: [permissionsGate],
  })
}

function dayOf(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
