import { LineIndex } from 'org-ast'
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
#+begin_src sh :tangle x :prologue "made"
g
#+end_src
`
  const [target] = tangleText('/book/a.org', text).targets
  expect(target!.text).toBe('if a\n    b\n* c\n  d f\n\nmade\ng\n')
  const ask = (words: string) => {
    return orgPlace(target!, new LineIndex(text), target!.text.indexOf(words))
  }
  expect(ask('a\n')).toEqual({ line: 2, column: 10 })
  expect(ask('b')).toEqual({ line: 3, column: 9 })
  expect(ask('c')).toEqual({ line: 4, column: 8 })
  expect(ask('f\n\n')).toEqual({ line: 9, column: 1 })
  expect(ask('\nmade')).toBeNull()
  expect(ask('made')).toEqual({ line: 11, column: null })
  expect(ask('g')).toEqual({ line: 12, column: 1 })
})
