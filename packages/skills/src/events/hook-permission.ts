import {
  type Action,
  type Gate,
  type JobWord,
  type Runtime,
  type Tool,
  textHash,
} from '@passepartout/core'
import { z } from 'zod'
import { placeOf } from '../common/note-text.ts'
import type { EventState } from './event-state.ts'
import type { Hook, HookBook } from './hooks.ts'

/** Whether a hook is the owner's, or allowed by the owner. */
export function mayAct(state: EventState, hook: Hook): boolean {
  if (state.isAllowed(hook.key)) return true
  if (!hook.isOwners) state.suspect(textHash(hook.text))
  return hook.isOwners && !state.isSuspect(textHash(hook.text))
}

const questionsMax = 3
const dayMs = 86_400_000

/** What the questions need of whoever asks them. */
interface Asking {
  readonly runtime: Runtime
  readonly state: EventState
}

/** A signal for each hook about which the owner is to be asked now. */
export function askedFor({ runtime, state }: Asking, hooks: readonly Hook[]): JobWord[] {
  const at = runtime.clock.now().getTime()
  return hooks.flatMap((hook): JobWord[] => {
    if ('fault' in hook.words || mayAct(state, hook)) return []
    if (state.askedSince(at - dayMs) >= questionsMax || state.wasAsked(hook.key, at)) return []
    return [{ payload: { sensor: 'job-hook-ask', hook: hook.key } }]
  })
}

/** The flight plan that asks about a hook. */
export function question(hook: Hook | undefined): Action | null {
  if (hook === undefined) return null
  const args = { hook: hook.key, words: hook.text.slice(0, 2_000), place: placeOf(hook.note) }
  const explanation = `The hook at ${args.place} was not brought in by you. Allowed, it acts by itself.`
  const payload = { action: 'call', tool: 'allow-hook', args, explanation }
  return { type: 'request', target: 'tool', payload }
}

const allowParameters = z.object({
  hook: z.string().regex(/^[0-9a-f]{8}$/),
  words: z.string().max(2_000),
  place: z.string().max(500),
})

/** The hooks of a runtime, and what is known about them. */
interface Hooks {
  readonly state: EventState
  readonly book: HookBook
}

/** The tool that the question is about. */
export function allowHook(hooksOf: (runtime: Runtime) => Hooks | null): Tool {
  return {
    name: 'allow-hook',
    description: 'Lets a hook act that the owner has not written.',
    parameters: allowParameters,
    readOnly: false,
    permission: 'ask',
    async run(args, { runtime }) {
      const { hook: key, words } = allowParameters.parse(args)
      const hooks = hooksOf(runtime)
      const hook = hooks?.book.all().find((known) => known.key === key)
      if (!hooks || hook === undefined || hook.text.slice(0, 2_000) !== words) {
        return { status: 'error', message: 'That hook says something else by now, or is gone.' }
      }
      hooks.state.allow(key)
      return { status: 'success', content: `The hook at ${placeOf(hook.note)} may act now.` }
    },
  }
}

/** Keeps models from allowing a hook, and asks the owner in any case. */
export const hooksGate: Gate = {
  name: 'hooks',
  priority: 585,
  check({ payload }, { signal }) {
    if (payload.tool !== 'allow-hook') return { kind: 'pass' }
    if (signal.payload.sensor !== 'job-hook-ask') {
      const reason = 'which hooks may act is for the owner to say and not for a proposal'
      return { kind: 'reject', reason, rule: 'hooks.not-yours' }
    }
    const reason = 'a hook that somebody else brought in would act by itself'
    return { kind: 'approval', reason, rule: 'hooks.ask' }
  },
}
