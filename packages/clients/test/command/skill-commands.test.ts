import { expect, test } from 'vitest'
import { proposalIn } from '../../src/command/skill-commands.ts'

test.each([
  ['improve guard', { sensor: 'skill-improve', skill: 'guard', text: '' }],
  [
    'improve guard know horses --json',
    { sensor: 'skill-improve', skill: 'guard', text: 'know horses' },
  ],
  ['new guard --from keeps quiet', { sensor: 'skill-create', skill: 'guard', text: 'keeps quiet' }],
  ['new guard', null],
  ['improve', null],
  ['improve --from x', null],
  ['list', null],
])('%s', (words, expected) => {
  expect(proposalIn(words.split(' '))).toEqual(expected)
})
