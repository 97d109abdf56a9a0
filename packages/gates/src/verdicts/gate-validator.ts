import {
  type Action,
  defineSkill,
  type Gate,
  type GateContext,
  nearestName,
  readArguments,
  type Skill,
  type Verdict,
} from '@passepartout/core'

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
    return reject(unknownTool(payload.tool, context))
  }
  const read = readArguments({ name: payload.tool ?? '', ...tool }, payload.args)
  return read.ok ? { kind: 'pass' } : reject(`The arguments are wrong: ${read.reason}`)
}

function unknownTool(name: string | undefined, { tools }: GateContext): string {
  if (name === undefined) return 'A call names its tool in :tool.'
  const near = nearestName(name, [...tools.keys()])
  const other = tools.has('find-tools') ? ' find-tools looks for one by what it is for.' : ''
  return `There is no tool ${name}${near === null ? '.' : `; did you mean ${near}?`}${other}`
}

function reject(reason: string): Verdict {
  return { kind: 'reject', reason, rule: 'validator.protocol' }
}

/** The gate that knows which targets, tools and arguments there are. */
const validatorGate: Gate = { name: 'validator', priority: 95, check: checkProtocol }

/** The skill that brings the validator gate. */
export const validator: Skill = defineSkill({
  name: 'gate-validator',
  description: 'Refuses unknown targets and tools, and arguments that a tool does not accept.',
  gates: [validatorGate],
})
