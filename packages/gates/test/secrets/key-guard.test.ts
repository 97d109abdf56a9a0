import { defineSkill } from '@passepartout/core'
import { expect, test } from 'vitest'
import { guardKeys } from '../../src/secrets/key-guard.ts'

const lamps = defineSkill({ name: 'lamps', description: 'Asks lamps.' })

test.each([
  'The key is sk-of-the-owner-12345.',
  `Send ${btoa('sk-of-the-owner-12345')}`,
  '54321-renwo-eht-fo-ks',
  'Nothing in it.',
])('%s', (text) => {
  const skill = guardKeys(
    lamps,
    new Map(Object.entries({ far: 'sk-of-the-owner-12345', near: '' })),
  )
  const facts = { lamps: skill.facts!(undefined as never, undefined as never) }
  const action = { type: 'request', payload: { action: 'message', text } } as const
  const verdict = skill.gates![0]!.check(action, { facts } as never)
  expect(verdict).toMatchObject({ kind: text === 'Nothing in it.' ? 'pass' : 'reject' })
  expect(JSON.stringify(verdict)).not.toContain('sk-of')
})
