import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { findDoubt } from '../src/shell-readonly.ts'
import { toolCommands, whyAsked } from '../src/shell-tools.ts'

const places = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path: string) => path,
}

function isUnderstood(source: string): boolean {
  return findDoubt(parse(source), places) === null
}

for (const rule of new Set(Object.values(toolCommands).flatMap((each) => Object.values(each)))) {
  test.each(rule.match)('%s only looks', (source) => {
    expect(isUnderstood(source)).toBe(true)
  })
  test.each(rule.not)('%s is not understood', (source) => {
    expect(isUnderstood(source)).toBe(false)
  })
}

test.each([
  ['make', ['-n'], /shell/],
  ['make', ['--dry-run', 'build'], /shell/],
  ['make', ['install'], null],
  ['cargo', ['tree'], /compiler/],
  ['ldd', ['/bin/ls'], /start/],
  ['env', [], /keys/],
  ['docker', ['inspect', 'web'], /environment/],
])('%s %j asks for a reason', (program, words, reason) => {
  const found = whyAsked(program, words)
  if (reason === null) expect(found).toBeNull()
  else expect(found).toMatch(reason)
})
