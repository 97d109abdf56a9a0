import { SourceMap } from 'node:module'
import fc from 'fast-check'
import { LineIndex } from 'org-ast'
import { expect, test } from 'vitest'
import { tangleText } from '../../src/blocks/targets.ts'
import { orgPlace } from '../../src/positions/position-lookup.ts'
import { sourceMap } from '../../src/positions/source-map.ts'

const text = `- so:
  #+begin_src js :tangle a.js :shebang #!/bin/x :noweb yes
  const a = [
    <<in>>, 'ä\u{1f600}', b]
  #+end_src
#+name: in
#+begin_src js
f(1) // g
#+end_src
`
const document = new LineIndex(text)
const target = { ...tangleText('/book/a.org', text).targets[0]!, document: '/book/a.org' }

test('every character is mapped', () => {
  const read = new SourceMap(sourceMap(target, document) as never)
  const lines = new LineIndex(target.text)
  expect(target.text).toBe("#!/bin/x\nconst a = [\n  f(1) // g, 'ä\u{1f600}', b]\n")
  fc.assert(
    fc.property(fc.nat(target.text.length - 1), (offset) => {
      const { line, column } = lines.point(offset)
      const place = orgPlace(target.code, document, offset)
      expect(read.findEntry(line - 1, column - 1)).toMatchObject({
        originalSource: 'file:///book/a.org',
        originalLine: place.line - 1,
        originalColumn: place.column - 1,
      })
    }),
  )
})
