import { expect, test } from 'vitest'
import { orgPlace } from '../src/place.ts'
import { tangleText } from '../src/targets.ts'

test('a place in the code is a place in the document', () => {
  const text = `    #+begin_src sh :tangle x :noweb yes
      if a
        b
    ,* c
      d <<end>>
    #+end_src
#+name: end
#+begin_src sh
f
#+end_src
`
  const [target] = tangleText('/book/a.org', text).targets
  const ask = (line: number, column: number) => orgPlace(target!, text.split('\n'), line, column)
  expect(target!.text).toBe('if a\n    b\n* c\n  d f\n')
  expect(ask(1, 4)).toEqual({ line: 2, column: 10 })
  expect(ask(2, 5)).toEqual({ line: 3, column: 9 })
  expect(ask(3, 3)).toEqual({ line: 4, column: 8 })
  expect(ask(4, 5)).toEqual({ line: 5, column: null })
  expect(ask(9, 1)).toBeNull()
})
