import { cutOutput, defineSkill, type SensorHandler, type Skill } from '@passepartout/core'
import { z } from 'zod'

const schema = z.object({ name: z.string().default('something'), text: z.string() })

const take: SensorHandler = ({ meta, payload }, runtime) => {
  const parsed = schema.safeParse(payload)
  if (!parsed.success) return null
  const title = parsed.data.name.replace(/[\p{C}\p{Zl}\p{Zp}“”\s]+/gu, ' ').slice(0, 200)
  const text = `Attached “${title}”; the owner did not write it:\n${cutOutput(parsed.data.text)}`
  const words = { kind: 'words', origin: 'message', text } as const
  runtime.sessions.add(runtime.sessions.of(meta.sessionId), runtime.entry ?? '', words)
  return null
}

/** The skill that takes in what a client's user has attached. */
export const attachments: Skill = defineSkill({
  name: 'attachments',
  description: 'Shows a model what was attached to a question, as words of somebody else.',
  sensors: { attachment: take },
})
