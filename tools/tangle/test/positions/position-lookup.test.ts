import fc from 'fast-check'
import { LineIndex, originAt } from 'org-ast'
import { expect, test } from 'vitest'
import { tangleText } from '../../src/blocks/targets.ts'
import { codeOffsets, offsetOf, orgPlace } from '../../src/positions/position-lookup.ts'

const text = `    #+begin_src sh :tangle x :noweb yes :shebang #!/bin/sh
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
const document = new LineIndex(text)
const lines = new LineIndex(target!.text)

test.each([
  ['ab\r\ncd\n', 1, 2, 1],
  ['ab\r\ncd\n', 1, 9, 2],
  ['ab\r\ncd\n', 2, 1, 4],
  ['ab\r\ncd\n', 3, 5, 7],
  ['ab\r\ncd\n', 4, 1, null],
  ['ab', 2, 1, null],
  ['ab', 0, 1, null],
  ['', 1, 1, 0],
])('%j at %i:%i', (source, line, column, offset) => {
  expect(offsetOf(new LineIndex(source), line, column)).toBe(offset)
})

test('a place in the code is a place in the document', () => {
  const ask = (line: number, column: number) => {
    const place = orgPlace(target!.code, document, offsetOf(lines, line, column)!)
    return `${place.line}:${place.column}${place.copied ? '' : ' made'}`
  }
  expect(target!.text).toBe('#!/bin/sh\nif a\n    b\n* c\n  d f\n')
  expect(ask(1, 1)).toBe('1:1 made')
  expect(ask(2, 4)).toBe('2:10')
  expect(ask(3, 5)).toBe('3:9')
  expect(ask(4, 3)).toBe('4:8')
  expect(ask(5, 3)).toBe('5:7')
  expect(ask(5, 5)).toBe('9:1')
  expect(ask(5, 6)).toBe('9:2 made')
  expect(ask(6, 1)).toBe('9:2 made')
})

test('a place in the document is a list of places in the code', () => {
  fc.assert(
    fc.property(fc.nat(target!.text.length - 1), (offset) => {
      const { source, copied } = originAt(target!.code, offset)
      fc.pre(copied)
      expect(codeOffsets(target!.code, source, source + 1)).toEqual([offset])
      expect(text[source]).toBe(target!.text[offset])
    }),
  )
  expect(codeOffsets(target!.code, 0, text.indexOf('\n'))).toEqual([0])
  expect(codeOffsets(target!.code, text.indexOf('#+name'), text.indexOf('f\n'))).toEqual([])
})

test('what is used twice is in two places', () => {
  const twice = `#+name: n\n#+begin_src sh\nx\n#+end_src\n#+begin_src sh :tangle y :noweb yes
<<n>>
<<n>>
#+end_src
`
  const [{ code } = target!] = tangleText('/book/a.org', twice).targets
  const at = twice.indexOf('x')
  expect(codeOffsets(code, at, at + 1)).toEqual([0, 2])
})
