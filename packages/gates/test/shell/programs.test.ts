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
  const fields = words.map((word) => plainField(word))
  expect(isAboutVersion(program, fields)).toBe(expected)
})
