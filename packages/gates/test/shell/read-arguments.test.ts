import { expect, test } from 'vitest'
import { judgeArgument, judgeWalk } from '../../src/shell/read-arguments.ts'
import { newReader } from '../../src/shell/reader-state.ts'
import { plainField } from '../../src/shell/words.ts'

const places = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path: string) => path,
  privateFiles: ['/home/ann/memex/diary.org'],
}
const reader = newReader(places)

test.each([
  ['path', 'a.org', 'no doubt'],
  ['path', 'diary.org', 'a question'],
  ['path', '~/.ssh/id_rsa', 'a secret'],
  ['name', 'diary.org', 'no doubt'],
  ['name', '~/.ssh', 'a question'],
  ['tree', '.', 'no doubt'],
  ['tree', '~', 'a question'],
  ['text', '~/.ssh/id_rsa', 'no doubt'],
  ['pattern', 'BEGIN RSA PRIVATE KEY', 'a question'],
  ['pattern', 'rye', 'no doubt'],
] as const)('%s %s: %s', (role, value, expected) => {
  const found = judgeArgument(reader, 'grep', { role, field: plainField(value), option: null })
  const answer = found?.secret === true ? 'a secret' : 'a question'
  expect(found === null ? 'no doubt' : answer).toBe(expected)
})

test('a search without a folder reads the current one', () => {
  const words = ['-rn', 'rye'].map((word) => plainField(word))
  const place = { role: 'tree', field: plainField('notes'), option: null } as const
  const home = newReader({ ...places, cwd: '/home/ann' })
  expect(judgeWalk(home, 'grep', words, [])?.rule).toBe('shell.walk')
  expect(judgeWalk(home, 'grep', words, [place])).toBeNull()
  expect(judgeWalk(home, 'grep', words.slice(1), [])).toBeNull()
  expect(judgeWalk(reader, 'grep', words, [])).toBeNull()
})
