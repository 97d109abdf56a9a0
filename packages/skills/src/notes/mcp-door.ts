import {
  type Action,
  defineSkill,
  type MemoryObject,
  messageAction,
  type Runtime,
  type SensorHandler,
  type Signal,
  type Skill,
  sightOf,
  singleLine,
  type Tool,
} from '@passepartout/core'
import { z } from 'zod'
import { isSeenBy, placeOf, seenBy, titleWords } from '../common/note-text.ts'
import { subtreeText } from './notes.ts'

const readParameters = z.object({
  id: singleLine().min(1).max(200).describe('the ID of a note, or of a file'),
})

const readLengthMax = 20_000

const readNote: Tool = {
  name: 'read-note',
  description: 'One note in full, with all below it, by its ID.',
  parameters: readParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, { runtime, signal }) {
    const { id } = readParameters.parse(args)
    const note = sightOf(runtime.store).get(id)
    const asker = { runtime, signal }
    if (note === null || note === undefined || !isSeenBy(asker)(note)) {
      return { status: 'error', message: `There is no note ${id}.` }
    }
    const text = subtreeText(asker, note).trimEnd()
    const cut =
      text.length > readLengthMax ? `${text.slice(0, readLengthMax).toWellFormed()}\n…` : text
    return { status: 'success', content: `${placeOf(note)}\n${cut}` }
  },
}

const schema = z.object({
  tool: z.enum(['search', 'read', 'agenda', 'capture', 'propose']),
  args: z
    .string()
    .max(50_000)
    .transform((text, context) => {
      try {
        return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
      } catch {
        context.addIssue({ code: 'custom', message: 'Expected an object as JSON' })
        return z.NEVER
      }
    }),
})

const toolOf = {
  search: 'search-notes',
  read: 'read-note',
  agenda: 'agenda',
  capture: 'capture-task',
} as const

const proposalSchema = z.object({
  tool: singleLine().min(1).max(64),
  args: z.record(z.string(), z.unknown()).default({}),
  why: z.string().min(1).max(1_000),
})

/** The action that a call means. Throws a ZodError for a proposal of no shape. */
function actionOf({ args, tool }: z.output<typeof schema>): Action {
  if (tool === 'propose') {
    const { args: wanted, tool: name, why } = proposalSchema.parse(args)
    return callOf(name, wanted, `Another program proposes this: ${why}`)
  }
  const { why, ...rest } = args
  const reason = typeof why === 'string' && why.trim() !== '' ? `: ${why.slice(0, 1_000)}` : '.'
  return callOf(toolOf[tool], rest, `Another program asks for this${reason}`)
}

function callOf(tool: string, args: Record<string, unknown>, explanation: string): Action {
  return {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool, args, explanation },
  }
}

const hear: SensorHandler = ({ meta, payload }) => {
  if (meta.isUnproven === true || meta.source !== 'mcp') return null
  const call = schema.safeParse(payload)
  if (!call.success) return messageAction('ERROR [call]: the call could not be read.')
  try {
    return actionOf(call.data)
  } catch {
    return messageAction('ERROR [propose]: a proposal has a tool, arguments, and why.')
  }
}

const listedMax = 500

function listed(runtime: Runtime, signal: Signal): { id: string; title: string; place: string }[] {
  const hasOwnId = (note: MemoryObject) => note.written !== null && note.type === 'headline'
  return seenBy({ runtime, signal })
    .filter(hasOwnId)
    .slice(0, listedMax)
    .map((note) => ({ id: note.id, title: titleWords(note), place: placeOf(note) }))
}

const list: SensorHandler = (signal, runtime) => {
  const { depth, meta } = signal
  if (meta.isUnproven === true) return null
  const payload = { action: 'mcp-notes', notes: listed(runtime, signal) }
  runtime.reply({ type: 'status', meta, payload, depth })
  return null
}

/** The skill that hears what other programs ask. */
export const mcpDoor: Skill = defineSkill({
  name: 'mcp-door',
  description: 'Lets another program search, read, capture and propose, as a stranger.',
  tools: [readNote],
  sensors: { 'mcp-call': hear, 'mcp-notes': list },
})
