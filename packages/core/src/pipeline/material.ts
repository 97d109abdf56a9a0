import type { Signal } from '../contract/signal.ts'
import { masked, maskedMaterial } from '../mind/prompt-mask.ts'
import { tierOf } from '../mind/tier.ts'
import { assembleContext, fittingNotes } from '../search/context.ts'
import { ownerWords } from '../transcript/transcript.ts'
import type { Runtime, Skill } from './runtime.ts'
import { wishedTier } from './think.ts'

/** What a model is to know before it hears these words; empty where no model is asked. Never rejects. */
export async function materialFor(runtime: Runtime, signal: Signal): Promise<string> {
  const { providers } = runtime
  const isByRules = providers.every(({ rules }) => rules === true)
  if (isByRules || tierOf(runtime, signal, wishedTier(runtime, signal)) === 'reflex') return ''
  const notes = await notesFor(runtime, signal)
  const skills = runtime.skills.filter((skill) => isTriggered(skill, signal))
  const parts = [
    `Today is ${runtime.clock.now().toDateString()}.`,
    ...skills.flatMap(({ prompt }) => prompt ?? []),
    notes === '' ? '' : `The owner's notes, in part:\n${notes}`,
    ...skills.flatMap(({ mandates }) => mandates ?? []),
  ]
  return masked(runtime, parts.filter((part) => part !== '').join('\n\n'))
}

function isTriggered(skill: Skill, signal: Signal): boolean {
  try {
    return skill.trigger?.(signal) ?? true
  } catch {
    return false
  }
}

const earlierMax = 1

async function notesFor(runtime: Runtime, signal: Signal): Promise<string> {
  const { clock, embeddings, mind, scopes, sessions, store, tokens } = runtime
  const session = signal.meta.sessionId ?? ''
  const said = signal.payload.text ?? ''
  const isOwners = signal.meta.origin === 'owner'
  const earlier = ownerWords(sessions.of(signal.meta.sessionId).entries).slice(-earlierMax)
  const question = isOwners ? [...earlier, said].join('\n') : maskedMaterial(runtime, said)
  const focus = sessions.focusOf(session)
  const place = { focus, within: scopes.sight(session) }
  const fitting = await runtime.away(() =>
    fittingNotes(store, embeddings, masked(runtime, question), place),
  )
  const now = clock.now()
  const [year, month, day] = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
  const today = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
  const count = (text: string) => tokens.count(text)
  const limits = { tokensMax: mind.prompt.contextMax, today, count, within: scopes.sight(session) }
  return assembleContext(store, focus, { question, fitting, ...limits })
}
