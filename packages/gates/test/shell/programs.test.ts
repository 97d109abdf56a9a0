import { expect, test } from 'vitest'
import { isAboutVersion } from '../../src/shell/programs.ts'
import { plainField } from '../../src/shell/words.ts'

test.each([
  ['node', ['-v'], true],
  ['bash', ['-v'], false],
  ['node', ['--version'], true],
  ['node', ['--version', 'x'], false],
  ['node', [], false],
  ['make', ['--version'], false],
])('%s %j: %s', (program, words, expected) => {
  expect(isAboutVersion(program, words.map((word) => plainField(word)))).toBe(expected)
})
