import { expect, test } from 'vitest'
import { symbol } from '../../src/blocks/lisp.ts'
import { modeOf } from '../../src/blocks/modes.ts'

test.each([
  [0o755, 0o755],
  ['o640', 0o640],
  ['o0600', 0o600],
  ['rwxr-x--x', 0o751],
  ['rwsr-xr-x', 0o4655],
  ['+w', 0o644],
  ['u+x', 0o744],
  ['a=r,u+wx', 0o744],
  ['+x', 0o755],
  ['go-r', 0o600],
  ['g=u', 0o664],
  ['u=rwx,g=u-w', 0o754],
  ['a+X', 0o644],
  ['u+x,a+X', 0o755],
])('%s', (value, mode) => {
  expect(modeOf(value, 1)).toBe(mode)
})

test.each([755, 7, 'o9', '755', 'rwx', symbol('x')])('%s is an error', (value) => {
  expect(() => modeOf(value, 3)).toThrow(expect.objectContaining({ line: 3 }))
})
