import {
  defineSkill,
  readScope,
  type Scope,
  type Skill,
  singleLine,
  type Tool,
} from '@passepartout/core'
import { z } from 'zod'

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

/** The skill that knows what a session is about. */
export const scopeTools: Skill = defineSkill({
  name: 'contexts',
  description: 'Going into a project and back.',
  offeredFor: ['project', 'context'],
  tools: [pushContext, popContext],
})
