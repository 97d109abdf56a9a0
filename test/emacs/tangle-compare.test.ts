import fc from 'fast-check'
import { OrgSourceError } from 'org-ast'
import { tangleText } from 'org-tangle'
import { expect, test } from 'vitest'
import { hasEmacs } from './emacs.ts'
import { compareTangling } from './tangle-compare.ts'
import { tangleDocuments } from './tangle-documents.ts'

test.skipIf(!hasEmacs)('three hundred documents', { timeout: 300_000 }, () => {
  const { differences, compared, files } = compareTangling(300, 20, true)
  expect(differences).toEqual([])
  expect(compared).toBeGreaterThan(250)
  expect(files).toBeGreaterThan(150)
})

test('what was copied stands in the document', () => {
  fc.assert(
    fc.property(tangleDocuments({ old: false }), (document) => {
      for (const { code, lines, text } of targetsOf(document)) {
        for (const [index, { at, source, copied }] of code.runs.entries()) {
          const run = text.slice(at, code.runs[index + 1]?.at)
          expect(source).toBeLessThanOrEqual(document.length)
          if (copied) expect(document.slice(source, source + run.length)).toBe(run)
        }
        expect(lines).toHaveLength(text.split('\n').length - 1)
        expect(Math.max(...lines)).toBeLessThanOrEqual(document.split('\n').length)
      }
    }),
    { numRuns: 500 },
  )
})

function targetsOf(document: string) {
  try {
    return tangleText('/folder/a.org', document, { home: '/folder', env: {} }).targets
  } catch (error) {
    if (error instanceof OrgSourceError) return []
    throw error
  }
}

test('any text can be tangled, or is refused with a line', () => {
  const words = fc.constantFrom(
    '#+begin_src ',
    '#+end_src',
    '\n',
    'sh ',
    ':tangle a ',
    ':noweb yes ',
    '(',
    '"',
    '<<',
    '>>',
    '#+name: a',
    ':var a=',
    '\r',
    '\t',
    ',*',
    '* ',
    ':comments both ',
    "'",
    '\\',
    '\ud800',
    '[',
    ':',
  )
  fc.assert(
    fc.property(fc.string({ unit: words, maxLength: 40 }), (text) => {
      targetsOf(text)
    }),
    { numRuns: 2000 },
  )
})
