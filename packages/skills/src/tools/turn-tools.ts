import {
  defineSkill,
  findToolsName,
  groupsFor,
  resultLines,
  type Skill,
  shortForm,
  singleLine,
  type Tool,
  undoCompaction,
} from '@passepartout/core'
import { z } from 'zod'

const askParameters = z.object({
  question: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .meta({ examples: ['Which of the two?'] }),
})

const askOwner: Tool = shortForm(
  {
    name: 'ask-owner',
    description: 'Asks the owner what only they know, and ends the turn.',
    isCore: true,
    endsTurn: true,
    parameters: askParameters,
  },
  (args) => {
    const { question } = askParameters.parse(args)
    return { payload: { action: 'message', text: question } }
  },
)

const findParameters = z.object({
  need: singleLine()
    .trim()
    .min(1)
    .max(200)
    .describe('such as: git history')
    .meta({ examples: ['git history'] }),
})

const findTools: Tool = {
  name: findToolsName,
  description:
    'Brings in more tools: git, code, Org structure, the web, Emacs, versions of notes, settings, others.',
  isCore: true,
  parameters: findParameters,
  readOnly: true,
  async run(args, { runtime, signal }) {
    const { need } = findParameters.parse(args)
    const { fit, groups } = groupsFor(runtime, signal, need)
    if (groups.length === 0) return { status: 'success', content: 'There are no other tools.' }
    if (!fit) {
      const lines = groups.map(({ about, name }) => `${name}: ${about}`)
      return {
        status: 'success',
        content: `Nothing fits “${need}”. Name one of these:\n${lines.join('\n')}`,
      }
    }
    const lines = groups.flatMap(({ skill, tools }) => {
      const words = typeof skill?.prompt === 'string' ? [skill.prompt] : []
      return [...tools.map(({ description, name }) => `${name}: ${description}`), ...words]
    })
    return { status: 'success', content: `You can call these now:\n${lines.join('\n')}` }
  },
}

const readParameters = z.object({
  call: singleLine()
    .min(1)
    .max(100)
    .meta({ examples: ['call-1'] }),
  from: z.int().min(1),
  to: z.int().min(1).optional(),
})

const readResult: Tool = {
  name: 'read-result',
  description: 'More lines of a result that was shown in part.',
  isCore: true,
  parameters: readParameters,
  readOnly: true,
  async run(args, { runtime, signal }) {
    const { call, ...range } = readParameters.parse(args)
    const { id } = runtime.sessions.of(signal.meta.sessionId)
    const text = runtime.results.read(id, call)
    if (text === null) {
      const message = `The result of ${call} is not kept any more, or was shown whole; make the call again.`
      return { status: 'error', message }
    }
    return { status: 'success', content: resultLines(text, range) }
  },
}

const undoSummary: Tool = {
  name: 'undo-summary',
  description:
    'Takes back the last summary of this conversation, so that it is seen again as it was.',
  parameters: z.object({}),
  readOnly: true,
  async run(_args, { runtime, signal }) {
    const { sessionId } = signal.meta
    const transcript = runtime.sessions.of(sessionId)
    const body = undoCompaction(transcript.entries)
    if (body === null) return { status: 'success', content: 'Nothing here is summed up.' }
    runtime.sessions.add(transcript, runtime.entry ?? '', body, sessionId)
    return { status: 'success', content: 'The summary is taken back.' }
  },
}

/** The skill of the turn itself. */
export const turnTools: Skill = defineSkill({
  name: 'turn-tools',
  description: 'Asks the owner, looks for tools, reads on in a result, and takes back a summary.',
  tools: [askOwner, findTools, readResult, undoSummary],
})
