import { expect, test } from 'vitest'
import { DeadlineError, withDeadline } from '../../src/base/deadline.ts'

test.each([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a regular expression', () => /^(a+)+$/.test(`${'a'.repeat(64)}!`)],
])('%s that does not end is ended', (_, endless) => {
  expect(() => withDeadline(endless, 20)).toThrow(DeadlineError)
  expect(withDeadline(() => 7, 20_000)).toBe(7)
})

test('what is thrown inside is thrown outside', () => {
  const error = new TypeError('out of order')
  const throwing = () => {
    throw error
  }
  expect(() => withDeadline(throwing, 20_000)).toThrow(error)
  expect(withDeadline(() => [withDeadline(() => 1, 20_000), 2], 20_000)).toEqual([1, 2])
})
