import { defineSkill, type SensorHandler, type Skill } from '@passepartout/core'
import { z } from 'zod'

const pieceLength = 3_800
const piecesMax = 3

const schema = z.object({ name: z.string().default('something'), text: z.string() })

const take: SensorHandler = ({ meta, payload }, runtime) => {
  const parsed = schema.safeParse(payload)
  if (!parsed.success) return null
  const { name, text } = parsed.data
  const title = name.replace(/[\p{C}\p{Zl}\p{Zp}“”\s]+/gu, ' ').slice(0, 200)
  const pieces = text.match(new RegExp(`[^]{1,${pieceLength}}`, 'gu')) ?? ['']
  const kept = pieces.slice(0, piecesMax)
  for (const [at, piece] of kept.entries()) {
    const which = kept.length === 1 ? '' : `, part ${at + 1} of ${pieces.length}`
    const head = `Attached “${title}”${which}; the owner did not write it:`
    const words = { kind: 'words', origin: 'message', text: `${head}\n${piece}` } as const
    runtime.sessions.add(runtime.sessions.of(meta.sessionId), runtime.entry ?? '', words)
  }
  return null
}

/** The skill that takes in what a client's user has attached. */
export const attachments: Skill = defineSkill({
  name: 'attachments',
  description: 'Shows a model what was attached to a question, as words of somebody else.',
  sensors: { attachment: take },
})
