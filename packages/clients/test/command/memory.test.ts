import { expect, test } from 'vitest'
import { sentenceFor } from '../../src/command/memory.ts'

test.each([
  ['snapshot trip', 'keep a snapshot called "trip"'],
  ['snapshot trip --remove', 'delete the snapshot "trip"'],
  ['rollback trip --files --yes', 'roll back to snapshot "trip"'],
  ['snapshot', null],
  ['snapshot --all', null],
  ['rollback trip', null],
  ['snapshot "trip"', null],
  ['snapshot one two', null],
  ['history trip', null],
])('%s', (typed, sentence) => {
  expect(sentenceFor(typed.split(' '))).toBe(sentence)
})
