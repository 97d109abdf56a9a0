import { randomUUID } from 'node:crypto'
import {
  type Action,
  type Actuator,
  defineSkill,
  fieldText,
  type Gate,
  messageAction,
  type SensorHandler,
  type Skill,
  singleLine,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@passepartout/core'
import { z } from 'zod'
import { toolActuator } from '../common/actuators.ts'

const file = singleLine().min(1).max(500).describe('a note of the memex, such as inbox.org')
const text = z.string().min(1).max(100_000)

type Deed = Pick<Tool, 'name' | 'description' | 'parameters' | 'readOnly' | 'reach' | 'permission'>

const deeds: Deed[] = [
  {
    name: 'emacs-insert-at-end',
    description:
      'Inserts text at the end of a note in Emacs, or of the conversation there. Unsaved.',
    parameters: z.object({ text, file: file.optional() }),
    readOnly: false,
    reach: 'notes',
  },
  {
    name: 'emacs-insert-node',
    description: 'Inserts a headline into a note in Emacs, under another when named. Unsaved.',
    parameters: z.object({
      file,
      title: singleLine().min(1).max(500),
      text: text.optional(),
      under: singleLine().min(1).max(500).optional().describe('the title of the parent'),
    }),
    readOnly: false,
    reach: 'notes',
  },
  {
    name: 'emacs-show',
    description: 'Shows a note in the owner’s Emacs.',
    parameters: z.object({ file, line: z.int().min(1).optional() }),
    readOnly: true,
  },
  {
    name: 'emacs-message',
    description: 'Shows a line in the echo area of the owner’s Emacs.',
    parameters: z.object({ text: text.max(500) }),
    readOnly: true,
  },
  {
    name: 'emacs-eval',
    description: 'Evaluates one Lisp form in the owner’s Emacs; the owner is asked twice.',
    parameters: z.object({ code: z.string().min(1).max(10_000) }),
    readOnly: false,
    permission: 'ask',
  },
]

const outMax = 100

/** Deeds that are under way: their id, what they were, and the session that was asked. */
type Out = Map<string, { verb: string; session: string }>

function toolOf(deed: Deed, out: Out): Tool {
  const verb = deed.name.replace('emacs-', '')
  return {
    ...deed,
    run: async (args, context) => send(deed.parameters.parse(args), verb, out, context),
  }
}

function send(
  args: Record<string, unknown>,
  verb: string,
  out: Out,
  { runtime, signal }: ToolContext,
): ToolResult {
  const own = signal.meta.source === 'emacs' ? signal.meta.sessionId : undefined
  const session = own ?? runtime.outbox.latest('emacs')
  if (session === null) return { status: 'error', message: 'No Emacs is connected.' }
  const file = fieldText(args.file)
  if (args.file !== undefined && !runtime.memex.files().includes(file)) {
    return { status: 'error', message: `There is no note ${file}.` }
  }
  const id = randomUUID()
  const [oldest] = out.keys()
  if (out.size >= outMax && oldest !== undefined) out.delete(oldest)
  out.set(id, { verb, session })
  const meta = { source: 'daemon', sessionId: session }
  runtime.reply({ type: 'request', meta, payload: { ...args, action: verb, id }, depth: 0 })
  return { status: 'success', content: 'Emacs was told.' }
}

const reportSchema = z.object({
  id: z.string().max(64),
  status: z.enum(['success', 'error']),
  text: z.string().max(10_000).default(''),
})

function reports(out: Out): SensorHandler {
  return ({ meta, payload }) => {
    const report = reportSchema.safeParse(payload)
    if (!report.success) return null
    const { id, status, text: words } = report.data
    const deed = out.get(id)
    if (deed === undefined || deed.session !== meta.sessionId) return null
    out.delete(id)
    if (status === 'success' && deed.verb !== 'eval') return null
    return messageAction(`Emacs, ${deed.verb}: ${status === 'error' ? 'no, ' : ''}${words}`)
  }
}

const verbs = new Set(deeds.map(({ name }) => name.replace('emacs-', '')))

/** The call that an action for Emacs means; other actions as they are. */
function asCall(action: Action): Action {
  const { action: verb, args, text: said, tool, ...rest } = action.payload
  if (action.target !== 'emacs' || tool !== undefined || verb === 'message' || !verbs.has(verb)) {
    return action
  }
  const words = said === undefined ? {} : { [verb === 'eval' ? 'code' : 'text']: said }
  const payload = { ...rest, action: 'call', tool: `emacs-${verb}`, args: { ...words, ...args } }
  return { type: 'request', target: 'tool', payload }
}

/** Lets the gates see a call where an action names Emacs. */
const emacsGate: Gate = {
  name: 'emacs',
  priority: 1_000,
  check: (action) => {
    const call = asCall(action)
    return call === action ? { kind: 'pass' } : { kind: 'change', action: call }
  },
}

const emacsActuator: Actuator = {
  name: 'emacs',
  silent: false,
  async dispatch(action, signal, runtime, abort) {
    if (action.payload.tool !== undefined) {
      return toolActuator.dispatch(action, signal, runtime, abort)
    }
    const own = signal.meta.source === 'emacs' ? signal.meta.sessionId : undefined
    const sessionId = own ?? runtime.outbox.latest('emacs') ?? signal.meta.sessionId
    const payload = { action: 'message', text: action.payload.text ?? '' }
    runtime.reply({ type: 'response', meta: { ...signal.meta, sessionId }, payload, depth: 0 })
    return null
  },
}

/** The skill that acts in the owner's Emacs. */
export function createEmacsSkill(): Skill {
  const out: Out = new Map()
  return defineSkill({
    name: 'emacs',
    description: 'Inserts, shows and says things in the owner’s Emacs.',
    offeredFor: ['emacs', 'buffer'],
    dependsOn: ['actuators'],
    tools: deeds.map((deed) => toolOf(deed, out)),
    actuators: [emacsActuator],
    gates: [emacsGate],
    sensors: { 'emacs-result': reports(out) },
    hiddenTools: (runtime) =>
      runtime.outbox.latest('emacs') === null ? deeds.map(({ name }) => name) : [],
  })
}
