import { posix } from 'node:path'
import { defineSkill, type Runtime, type Scope, type Skill, type Tool } from '@passepartout/core'
import { z } from 'zod'
import type { Asker } from '../common/note-text.ts'

/** The folder that has all notes of a scope, without a slash at its end; empty for the memex. */
export function folderOf({ scopes }: Pick<Runtime, 'scopes'>, scope: Scope): string {
  if (scope === 'memex') return ''
  const folders = scopes.files(scope).map((file) => posix.dirname(file).split('/'))
  const [first = []] = folders
  const common = first.findIndex((part, at) => folders.some((other) => other[at] !== part))
  const folder = (common === -1 ? first : first.slice(0, common)).join('/')
  return folder === '.' ? '' : folder
}

/** The path that is meant by a path, for this session; the same when there is no such note. */
export function pathHere({ runtime, signal }: Asker, path: string): string {
  if (path.startsWith('/')) return path.slice(1)
  const stack = runtime.scopes.of(signal.meta.sessionId ?? '')
  for (const scope of stack.toReversed()) {
    const found = posix.join(folderOf(runtime, scope), path)
    if (!found.startsWith('../') && runtime.memex.has(found)) return found
  }
  return path
}

/** The same for a place, such as `tasks.org:12`. */
export function placeHere(asker: Asker, place: string): string {
  const [, path = place, line = ''] = /^(.*?)(:\d+)?$/s.exec(place) ?? []
  return pathHere(asker, path) + line
}

const whereAmI: Tool = {
  name: 'where-am-i',
  description: 'Tells which context this session is in, where its notes lie, and which there are.',
  parameters: z.object({}),
  readOnly: true,
  async run(_, { runtime, signal }) {
    return { status: 'success', content: whereWords(runtime, signal.meta.sessionId ?? '') }
  },
}

function whereWords(runtime: Runtime, session: string): string {
  const { scopes } = runtime
  const stack = scopes.of(session)
  const folder = folderOf(runtime, stack.at(-1) ?? 'memex')
  const place = folder === '' ? '' : `, in ${folder}/`
  const others = scopes.known().filter((scope) => !stack.includes(scope))
  const more = others.length === 0 ? '' : `\nThere are also ${others.slice(0, 20).join(', ')}.`
  const how = scopes.isFollowing(session) ? '\nThis follows your editor.' : ''
  return `You are in ${stack.join(' / ')}${place}.${how}${more}`
}

const keepContext: Tool = {
  name: 'keep-context',
  description: 'Makes the current context the one in which the owner’s next sessions begin.',
  parameters: z.object({}),
  readOnly: false,
  permission: 'allow',
  async run(_, { runtime, signal }) {
    const session = signal.meta.sessionId ?? ''
    runtime.scopes.keep(session)
    const where = runtime.scopes.of(session).join(' / ')
    return { status: 'success', content: `Sessions begin in ${where} from now on.` }
  },
}

const followParameters = z.object({ on: z.boolean().describe('false to stay where it is') })

const followBuffer: Tool = {
  name: 'follow-buffer',
  description: 'Has the context of this session follow the note that the owner looks at.',
  parameters: followParameters,
  readOnly: false,
  permission: 'allow',
  async run(args, { runtime, signal }) {
    const { on } = followParameters.parse(args)
    const session = signal.meta.sessionId ?? ''
    runtime.scopes.follow(session, on)
    const focus = runtime.store.get(runtime.sessions.focusOf(session) ?? '')
    if (on && focus !== null) runtime.scopes.looksAt(session, focus.scope)
    return { status: 'success', content: whereWords(runtime, session) }
  },
}

/** The skill that knows where a session is. */
export const contextManager: Skill = defineSkill({
  name: 'context-manager',
  description: 'Says where a session is, where sessions begin, and follows the editor.',
  offeredFor: ['context'],
  dependsOn: ['contexts'],
  tools: [whereAmI, keepContext, followBuffer],
})
