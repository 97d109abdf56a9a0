import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LineIndex } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import { orgPlace } from '../src/place.ts'
import { hash, keepMap, keptMap, sourceMap } from '../src/source-map.ts'
import { tangleText } from '../src/targets.ts'

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

test('a kept map is not stale', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'maps-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const path = join(root, 'src/a.js')
  const org = join(root, 'a.org')
  writeFileSync(org, text)
  const kept = keepMap(root, { ...target, path, document: org }, document)
  expect(keptMap(root, path, hash(target.text))).toEqual(kept)
  expect(keptMap(root, path, hash(`${target.text} `))).toBeNull()
  writeFileSync(org, `\n${text}`)
  expect(keptMap(root, path, hash(target.text))).toBeNull()
  expect(readFileSync(join(root, '.cache/org-tangle/.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(join(root, '.cache/org-tangle/maps/src'))).toHaveLength(1)
})
