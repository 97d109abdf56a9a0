import { expect, test } from 'vitest'
import { Closers } from '../../src/environment/closers.ts'
import { LineIndex } from '../../src/text/lines.ts'

test('closing lines are found by kind', () => {
  const text = 'a\n#+END_src\n:end:\n# \\end{Align}  \n#+end_src\n'
  const closers = new Closers(new LineIndex(text))
  expect(closers.next('#+end_src', 0, 5)).toBe(1)
  expect(closers.next('#+end_src', 2, 5)).toBe(4)
  expect(closers.next('#+end_src', 2, 4)).toBe(-1)
  expect(closers.next(':end:', 0, 5)).toBe(2)
  expect(closers.next('\\end{align}', 0, 5)).toBe(3)
  expect(closers.next('\\end{aligned}', 0, 5)).toBe(-1)
})

test('a closing line in any case and of any length', () => {
  const long = 'n'.repeat(300)
  const closers = new Closers(new LineIndex(`\\End{align}\n#+end_${long}\n#+end_${long}n\n`))
  expect(closers.next('\\end{align}', 0, 3)).toBe(0)
  expect(closers.next(`#+end_${long}`, 0, 3)).toBe(1)
  expect(closers.next(`#+end_${long}n`, 0, 3)).toBe(2)
  expect(closers.next(`#+end_${long.slice(1)}`, 0, 3)).toBe(-1)
})
