import { expect, test } from 'vitest'
import { sample } from '../../src/secrets/secret-rule.ts'
import { vendorKeys } from '../../src/secrets/vendor-keys.ts'

test('a key begins a word and ends where its alphabet does', () => {
  const { pattern } = vendorKeys.find(({ name }) => name === 'aws-access-key-id')!
  const key = `AK${'IA'}${sample('upper', 16)}`
  for (const text of [key, `MY_${key}`, `(${key})`]) expect(text.match(pattern)).toEqual([key])
  for (const text of [`x${key}`, `${key}7`, key.slice(1)]) expect(text.match(pattern)).toBeNull()
})
