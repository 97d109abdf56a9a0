import type { Signal } from '../contract/signal.ts'
import { materialOf } from '../mind/prompt.ts'
import { masked, maskedMaterial } from '../mind/prompt-mask.ts'
import { tierOf } from '../mind/tier.ts'
import { assembleContext, fittingNotes } from '../search/context.ts'
import { ownerWords } from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'
import { countReady, roomFor, wishedTier } from './think.ts'
import { skillWords } from './tool-offer.ts'

/** What a model is to know before it hears these words; empty where no model is asked. Never rejects. */
export async function materialFor(runtime: Runtime, signal: Signal): Promise<string> {
  const { providers, sessions, tokens } = runtime
  const tier = tierOf(runtime, signal, wishedTier(runtime, signal))
  const isByRules = providers.every(({ rules }) => rules === true)
  if (isByRules || tier === 'reflex') return ''
  await countReady(runtime)
  const { entries } = sessions.of(signal.meta.sessionId)
  const { origin = 'message' } = signal.meta
  const words = { kind: 'words', origin, text: signal.payload.text ?? '', turn: '', at: 0 } as const
  const { fitting, notes } = await notesFor(runtime, signal)
  const most = fitting ? Number.POSITIVE_INFINITY : outlineMax
  const parts = {
    day: runtime.clock.now().toDateString(),
    skills: skillWords(runtime, [...entries, words], signal),
    context: (tokensMax: number) =>
      notes(Math.min(tokensMax, runtime.mind.prompt.contextMax, most)),
  }
  const third = Math.floor(roomFor(runtime, signal, tier) / 3)
  const tokensMax = Math.min(runtime.mind.prompt.contextMax + skillsMax, third)
  return masked(runtime, materialOf(parts, tokensMax, (text) => tokens.count(text)).text)
}

/** What the words of skills and the day may take besides the notes, in tokens. */
const skillsMax = 500

/** What an outline of the notes may take when none of them fits, in tokens. */
const outlineMax = 350

const earlierMax = 1

async function notesFor(
  runtime: Runtime,
  signal: Signal,
): Promise<{ fitting: boolean; notes: (tokensMax: number) => string }> {
  const { clock, embeddings, scopes, sessions, store, tokens } = runtime
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
  const about = { question, fitting, today, count, within: scopes.sight(session) }
  const notes = (tokensMax: number) => assembleContext(store, focus, { ...about, tokensMax })
  return { fitting: fitting.length > 0 || focus !== null, notes }
}
