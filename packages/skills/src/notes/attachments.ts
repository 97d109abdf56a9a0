import { defineSkill, type SensorHandler, type Skill, shownResult } from '@passepartout/core'
import { z } from 'zod'

const schema = z.object({ name: z.string().default('something'), text: z.string() })

const take: SensorHandler = ({ meta, payload }, runtime) => {
  const parsed = schema.safeParse(payload)
  if (!parsed.success) return null
  const title = parsed.data.name.replace(/[\p{C}\p{Zl}\p{Zp}“”\s]+/gu, ' ').slice(0, 200)
  const transcript = runtime.sessions.of(meta.sessionId)
  const call = `attached-${transcript.entries.length + 1}`
  const shown = shownResult(parsed.data.text, call)
  if (shown !== parsed.data.text) runtime.results.keep(transcript.id, call, parsed.data.text)
  const text = `Attached “${title}”; the owner did not write it:\n${shown}`
  const words = { kind: 'words', origin: 'message', text } as const
  runtime.sessions.add(transcript, runtime.entry ?? '', words)
  return null
}

/** The skill that takes in what a client's user has attached. */
export const attachments: Skill = defineSkill({
  name: 'attachments',
  description: 'Shows a model what was attached to a question, as words of somebody else.',
  sensors: { attachment: take },
})
