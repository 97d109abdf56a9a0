import { expect, test } from 'vitest'
import { gitCommands, readGit } from '../src/shell-git.ts'

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

for (const { match, not } of Object.values(gitCommands)) {
  test.each(match)('%s is understood', (line) => {
    expect(understands(line)).toBe(true)
  })
  test.each(not)('%s is a question', (line) => {
    expect(understands(line)).toBe(false)
  })
}

test.each([
  'git push',
  'git',
  'git commit -m x',
  'git fetch',
  'git -c a=b log',
  'git alias',
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
