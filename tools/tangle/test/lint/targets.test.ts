import { expect, test } from 'vitest'
import type { Problem } from '../../src/blocks/book.ts'
import type { LintBook } from '../../src/lint/rule.ts'
import {
  documentTargets,
  outsideTargets,
  staleTargets,
  twiceTargets,
  untangled,
} from '../../src/lint/targets.ts'

function bookWith(code: Problem['code']): LintBook {
  const problems = [{ code, file: '/book/a.org', line: 3, message: 'so it is' }]
  return { book: { problems }, stale: ['/book/src/old.ts'] } as unknown as LintBook
}

test.each([
  ['outside', outsideTargets],
  ['twice', twiceTargets],
  ['itself', documentTargets],
  ['document', untangled],
] as const)('a problem called %s is a finding', (code, rule) => {
  const mark = { file: '/book/a.org', line: 3, column: 1, message: 'so it is' }
  expect([...rule(bookWith(code))]).toEqual([mark])
  expect([...rule(bookWith('reference'))]).toEqual([])
})

test('a file that nobody describes is a finding', () => {
  expect([...staleTargets(bookWith('twice'))]).toMatchObject([
    { file: '/book/src/old.ts', line: 1 },
  ])
})
