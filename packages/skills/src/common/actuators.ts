import {
  type Actuator,
  callTool,
  defineSkill,
  messageAction,
  type Signal,
  type Skill,
} from '@passepartout/core'

/** Sends a message to the session that the signal came from. */
const cliActuator: Actuator = {
  name: 'cli',
  silent: true,
  async dispatch(action, signal, runtime) {
    const payload = { action: 'message', text: action.payload.text ?? '' }
    runtime.reply({ type: 'response', meta: signal.meta, payload, depth: signal.depth })
    return null
  },
}

/** Runs a tool and feeds its result back. */
export const toolActuator: Actuator = {
  name: 'tool',
  silent: false,
  async dispatch(action, signal, runtime, abort) {
    const { tool: name = '', args } = action.payload
    const tool = runtime.tools.get(name)
    if (tool === undefined) return outcome(signal, name, 'error', `There is no tool ${name}.`)
    const { status, text, origin } = await callTool(tool, args, { runtime, signal, abort })
    const isQuote = origin === 'tool' && runtime.store.quotesOutside(text)
    const meta = { ...signal.meta, origin: isQuote ? ('message' as const) : origin }
    return outcome({ ...signal, meta }, name, status, text)
  },
}

/** The signal that tells how an action ended. */
export function outcome(signal: Signal, tool: string, status: string, text: string): Signal {
  return {
    type: 'event',
    meta: signal.meta,
    payload: { sensor: 'tool-output', tool, text, status },
    depth: signal.depth + 1,
  }
}

/** Lets an action ask the daemon to read the owner's files again. */
const systemActuator: Actuator = {
  name: 'system',
  silent: false,
  async dispatch(action, signal, runtime) {
    if (action.payload.action !== 'reload') {
      return outcome(signal, 'system', 'error', 'The system can only reload the notes.')
    }
    for (const path of runtime.memex.files())
      runtime.store.ingestFile(path, runtime.memex.read(path))
    return outcome(signal, 'system', 'success', 'The notes were read again.')
  },
}

/** The skill that carries actions out. */
export const actuators: Skill = defineSkill({
  name: 'actuators',
  description: 'Answers the owner, runs tools, and reloads the notes.',
  actuators: [cliActuator, toolActuator, systemActuator],
  sensors: {
    'tool-output': ({ meta, payload }) =>
      meta.source === 'mcp' ? messageAction(payload.text || 'Done.') : 'reason',
  },
})
