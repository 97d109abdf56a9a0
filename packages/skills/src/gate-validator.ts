import {
  type Action,
  defineSkill,
  type Gate,
  type GateContext,
  type Skill,
  type Verdict,
} from '@passepartout/core'
import { z } from 'zod'

const speaking = ['cli', 'emacs', 'tui', 'telegram', 'signal']
const targets = new Set(['tool', 'system', 'shell', 'repl', ...speaking])

/** Rejects what no actuator or tool could carry out, and says what one could. */
export function checkProtocol(action: Action, context: GateContext): Verdict {
  const { target, payload } = action
  if (target !== undefined && !targets.has(target)) {
    return reject(`There is no target ${target}; there are ${[...targets].join(', ')}.`)
  }
  if (speaking.includes(target ?? '') && payload.action !== 'message' && !payload.tool) {
    return reject(`${target} takes messages; there is no ${payload.action} there.`)
  }
  if (target === 'system' && payload.action !== 'reload' && !payload.tool) {
    return reject(`The system reloads the notes; there is no ${payload.action} there.`)
  }
  if (target === 'repl' && (payload.action !== 'repl-eval' || (payload.text ?? '').trim() === '')) {
    return reject('The REPL evaluates the :text of a repl-eval.')
  }
  if (target === 'shell' && (payload.cmd ?? '').trim() === '') {
    return reject('A shell action needs its command in :cmd.')
  }
  if (payload.action === 'message' && (payload.text ?? '').trim() === '') {
    return reject('A message needs a :text.')
  }
  if (target !== 'tool' && payload.tool === undefined) return { kind: 'pass' }
  const tool = context.tools.get(payload.tool ?? '')
  if (tool === undefined) {
    return reject(
      `There is no tool ${payload.tool ?? '(none given)'}; there are ${[...context.tools.keys()].join(', ')}.`,
    )
  }
  const parsed = tool.parameters.safeParse(payload.args ?? {})
  if (parsed.success) return { kind: 'pass' }
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  )
  const known = `${payload.tool} takes ${parametersOf(tool.parameters.shape)}`
  const foreign = Object.keys(payload.args ?? {}).filter((key) => !(key in tool.parameters.shape))
  const strange = foreign.length === 0 ? '' : ` It has no ${foreign.slice(0, 5).join(', ')}.`
  return reject(
    `The arguments of ${payload.tool} are wrong. ${issues.join('; ')}.${strange} ${known}.`,
  )
}

function reject(reason: string): Verdict {
  return { kind: 'reject', reason, rule: 'validator.protocol' }
}

function parametersOf(shape: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(shape).map(([name, schema]) => `${name} (${kindOf(schema)})`)
  return named.length === 0 ? 'no arguments' : named.join(', ')
}

function kindOf(schema: unknown, depth = 0): string {
  if (!(schema instanceof z.ZodType) || depth > 5) return 'any'
  const { def } = schema
  if (!('innerType' in def)) return def.type === 'string' ? 'text' : def.type
  const kind = kindOf(def.innerType, depth + 1)
  return schema.safeParse(undefined).success
    ? `${kind.replace(', may be left out', '')}, may be left out`
    : kind
}

/** The gate that knows which targets, tools and arguments there are. */
export const validatorGate: Gate = { name: 'validator', priority: 95, check: checkProtocol }

/** The skill that brings the validator gate. */
export const validator: Skill = defineSkill({
  name: 'gate-validator',
  description: 'Refuses unknown targets and tools, and arguments that a tool does not accept.',
  gates: [validatorGate],
})
