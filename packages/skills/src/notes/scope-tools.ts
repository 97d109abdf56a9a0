import {
  defineSkill,
  localDay,
  parseQuery,
  pointedError,
  QueryError,
  readScope,
  runQuery,
  type Scope,
  type Skill,
  sightOf,
  singleLine,
  type Tool,
} from '@passepartout/core'
import { z } from 'zod'
import { placeOf, titleWords } from '../common/note-text.ts'

const pushParameters = z.object({
  scope: singleLine().min(1).max(80).describe('a project such as roof, or session:NAME'),
})

const pushContext: Tool = {
  name: 'push-context',
  description:
    'Goes into a project: its notes are seen beside those of the memex, until pop-context.',
  parameters: pushParameters,
  readOnly: false,
  permission: 'allow',
  async run(args, { runtime, signal }) {
    const scope = readScope(pushParameters.parse(args).scope)
    if (scope === null) {
      return { status: 'error', message: 'A context is memex, project:NAME or session:NAME.' }
    }
    try {
      const stack = runtime.scopes.push(signal.meta.sessionId ?? '', scope)
      const isNew = scope !== 'memex' && !runtime.scopes.known().includes(scope)
      return {
        status: 'success',
        content: stackWords(stack) + (isNew ? '\nNo note is in it yet.' : ''),
      }
    } catch (error) {
      if (error instanceof RangeError) return { status: 'error', message: `${error.message}.` }
      throw error
    }
  },
}

const popContext: Tool = {
  name: 'pop-context',
  description: 'Leaves the current project and goes back to the one before, or to the memex.',
  parameters: z.object({}),
  readOnly: false,
  permission: 'allow',
  async run(_, { runtime, signal }) {
    return {
      status: 'success',
      content: stackWords(runtime.scopes.pop(signal.meta.sessionId ?? '')),
    }
  },
}

function stackWords(stack: readonly Scope[]): string {
  return `You are in ${stack.join(' / ')}.`
}

const queryParameters = z.object({
  query: z
    .string()
    .min(1)
    .max(500)
    .describe('such as: beans tag:garden todo:open scheduled:week -is:orphan, with or and ( )'),
  limit: z.number().int().min(1).max(50).default(20),
})

const queryNotes: Tool = {
  name: 'query-notes',
  description:
    'Notes that meet a query: words, tag:, todo:, prop:, scheduled:, under:, links-to:, is:.',
  parameters: queryParameters,
  readOnly: true,
  reach: 'notes',
  async run(args, { runtime, signal }) {
    const { query, limit } = queryParameters.parse(args)
    const within = runtime.scopes.sight(signal.meta.sessionId ?? '')
    const sight = sightOf(runtime.store)
    try {
      const hits = runQuery(runtime.indexes, parseQuery(query, localDay(runtime.clock.now())), {
        limit,
        accept: (note) => !note.private && (within?.(note) ?? true),
      })
      const objects = hits.flatMap(({ note }) => sight.get(note.id) ?? [])
      const lines = objects.map((object) => `${titleWords(object)}  ${placeOf(object)}`)
      return { status: 'success', content: lines.join('\n') || 'Nothing was found.' }
    } catch (error) {
      if (!(error instanceof QueryError)) throw error
      return { status: 'error', message: pointedError(query, error) }
    }
  },
}

/** The skill that knows what a session is about. */
export const scopeTools: Skill = defineSkill({
  name: 'contexts',
  description: 'Going into a project and back, and queries within it.',
  tools: [pushContext, popContext, queryNotes],
})
