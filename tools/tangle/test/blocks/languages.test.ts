import { expect, test } from 'vitest'
import { commentSyntax, fileEnding } from '../../src/blocks/languages.ts'

test.each([
  ['python', 'py', '# '],
  ['C', 'C', '/* '],
  ['C++', 'cpp', '// '],
  ['c++', 'c++', '// '],
  ['typescript', 'ts', '// '],
  ['emacs-lisp', 'el', ';; '],
  ['json', 'json', undefined],
])('%s', (language, ending, begin) => {
  expect(fileEnding(language)).toBe(ending)
  expect(commentSyntax(language)?.begin).toBe(begin)
})
