import { expect, test } from 'vitest'
import type { PathPlaces } from '../../src/paths/paths.ts'
import { judgeWrite } from '../../src/paths/write.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
  ownFolders: ['/opt/passepartout'],
}

test.each([
  ['inbox.org', 'inside'],
  ['projects/plan.org', 'inside'],
  ['/dev/null', 'inside'],
  ['~/Documents/x.txt', 'outside'],
  ['../x', 'outside'],
  ['/opt/passepartout/skills/shell.ts', 'guarded'],
  ['.env', 'guarded'],
  ['~/.local/state/passepartout/token', 'refused'],
  ['.GIT/hooks/pre-commit', 'guarded'],
  ['.git\u200b/hooks/pre-commit', 'guarded'],
  ['~/.bash*', 'guarded'],
  ['x/../../.bashrc', 'guarded'],
])('writing %s is %s', (path, level) => {
  expect(judgeWrite(path, places).level).toBe(level)
})

test('a link into the agent is the agent', () => {
  const realPath = () => '/opt/passepartout/core.ts'
  expect(judgeWrite('x.ts', { ...places, realPath }).rule).toBe('paths.self')
})
