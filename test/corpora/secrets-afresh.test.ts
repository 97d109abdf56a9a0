import { secretsIn } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { heldOut, mendedBy } from './secrets-afresh.ts'

const isFound = (text: string) => secretsIn(text).length > 0

test.each([
  ['by which rules were mended', mendedBy],
  ['that is only counted', heldOut],
])('nine of ten secrets of the list %s are found', (_name, { secrets }) => {
  const missed = secrets.filter((text) => !isFound(text))
  expect(secrets.length).toBe(60)
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(6)
})

test.each([
  ['by which rules were mended', mendedBy],
  ['that is only counted', heldOut],
])('no more than one harmless text of the list %s is taken for one', (_name, { harmless }) => {
  const alarms = harmless.filter(isFound)
  expect(harmless.length).toBe(60)
  expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(1)
})
