import { expect, test } from 'vitest'
import { inBranch, inLoop, isPlainName, newReader } from '../../src/shell/reader-state.ts'

const places = {
  home: '/home/ann',
  cwd: '/home/ann',
  stateDir: '/s',
  realPath: (path: string) => path,
}

test('a branch and a loop are left as they were entered', () => {
  const reader = newReader(places)
  const seen = inLoop(reader, () =>
    inBranch(reader, () => ({ rule: 'seen', reason: `${reader.loops} ${reader.branches}` })),
  )
  expect(seen?.reason).toBe('1 2')
  expect([reader.loops, reader.branches]).toEqual([0, 0])
})

test.each(['file', 'FILE', 'MERGE_BASE', 'N', 'n1'])('%s is a name for anything', (name) => {
  expect(isPlainName(name)).toBe(true)
})

test.each(['PATH', 'path', 'http_proxy', 'PS1', 'ps1', 'IFS', 'LD_PRELOAD', 'GIT_DIR', 'CDPATH'])(
  '%s means something to a program',
  (name) => expect(isPlainName(name)).toBe(false),
)
