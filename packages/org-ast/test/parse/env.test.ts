import { expect, test } from 'vitest'
import { createEnv } from '../../src/parse/env.ts'

test('closing lines are found by kind', () => {
  const { closers } = createEnv('a\n#+END_src\n:end:\n# \\end{Align}  \n#+end_src\n')
  expect(closers.next('#+end_src', 0, 5)).toBe(1)
  expect(closers.next('#+end_src', 2, 5)).toBe(4)
  expect(closers.next('#+end_src', 2, 4)).toBe(-1)
  expect(closers.next(':end:', 0, 5)).toBe(2)
  expect(closers.next('\\end{align}', 0, 5)).toBe(3)
  expect(closers.next('\\end{aligned}', 0, 5)).toBe(-1)
})
