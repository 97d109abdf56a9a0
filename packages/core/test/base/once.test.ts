import { expect, test } from 'vitest'
import { once } from '../../src/base/once.ts'

test('a value is computed at the first call, and never again', () => {
  const asked: string[] = []
  const length = once(() => asked.push('value'))
  const failing = once(() => {
    asked.push('failure')
    throw new Error('locked')
  })
  expect(asked).toEqual([])
  expect([length(), length()]).toEqual([1, 1])
  expect(failing).toThrow('locked')
  expect(failing).toThrow('locked')
  expect(asked).toEqual(['value', 'failure'])
})
