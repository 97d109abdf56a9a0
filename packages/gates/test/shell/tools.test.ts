import { expect, test } from 'vitest'
import { whyAsked } from '../../src/shell/tools.ts'

test.each([
  ['make', ['-n'], /shell/],
  ['make', ['--dry-run', 'build'], /shell/],
  ['make', ['install'], null],
  ['cargo', ['tree'], /toolchain/],
  ['cargo', ['test'], null],
  ['rustc', ['--version'], /toolchain/],
  ['pytest', ['--help'], /plug-ins/],
  ['pytest', ['-x'], null],
  ['ldd', ['/bin/ls'], /start/],
  ['env', [], /keys/],
  ['docker', ['inspect', 'web'], /environment/],
])('%s %j asks for a reason', (program, words, reason) => {
  const found = whyAsked(program, words)
  if (reason === null) expect(found).toBeNull()
  else expect(found).toMatch(reason)
})
