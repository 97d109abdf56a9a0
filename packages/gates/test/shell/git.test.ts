import { expect, test } from 'vitest'
import { readGit } from '../../src/shell/git.ts'

function understands(line: string): boolean {
  const fields = line
    .split(' ')
    .slice(1)
    .map((value) => ({
      value,
      known: true,
      glob: false,
      splits: false,
      doubtful: false,
      varying: false,
    }))
  return typeof readGit(fields) === 'object'
}

test.each([
  'git help log',
  'git log --help',
  'git commit --help',
  'git -c color.ui=never log',
  'git -c core.pager= diff',
  'git symbolic-ref HEAD',
])('%s is understood', (line) => {
  expect(understands(line)).toBe(true)
})

test.each([
  'git push',
  'git',
  'git commit -m x',
  'git fetch',
  'git -c a=b log',
  'git alias',
  'git -c core.fsmonitor=x status',
  'git -c core.pager=sh log',
  'git -c color.pager=x -c alias.x=y x',
  'git help x',
  'git frobnicate --help',
  'git help -w log',
  'git clean -n',
  'git ls-remote',
  'git archive HEAD',
  'git hook run x',
  'git difftool',
  'git fetch --upload-pack=x',
  'git upload-pack .',
  'git -p log',
])('%s is a question', (line) => {
  expect(understands(line)).toBe(false)
})
