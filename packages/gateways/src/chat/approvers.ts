import { type ConfigSection, defineSection } from '@passepartout/core'
import { z } from 'zod'
import { gatewayNames } from './gateway.ts'

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
  const [, network, number = ''] = /^([a-z]+):(.*)$/.exec(text) ?? []
  return gatewayNames.some((name) => name === network) && /^[+@\w.=-]{1,128}$/.test(number)
}

/** The section about people on chat networks who may approve, each as `network:number`. */
export const approverSection: ConfigSection<string[]> = defineSection({
  marker: 'APPROVER',
  properties: schema,
  read: ({ APPROVER }) => APPROVER,
})
