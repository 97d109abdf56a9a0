import { z } from 'zod'
import { type ConfigSection, defineSection } from '../common/config.ts'
import { isGateway } from '../common/permission-rules.ts'

const expected = 'people as NETWORK:NUMBER, such as telegram:4711 or signal:+4930901820'

const schema = z.object({
  APPROVER: z.string({ error: expected }).transform((text, context) => {
    const people = text.trim().split(/\s+/)
    if (people.every(isPerson)) return people
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  }),
})

function isPerson(text: string): boolean {
  const colon = text.indexOf(':')
  return (
    isGateway(text.slice(0, Math.max(colon, 0))) && /^[+@\w.=-]{1,128}$/.test(text.slice(colon + 1))
  )
}

/** The section about people on chat networks who may approve, each as `network:number`. */
export const approverSection: ConfigSection<string[]> = defineSection({
  marker: 'APPROVER',
  properties: schema,
  read: ({ APPROVER }) => APPROVER,
})
