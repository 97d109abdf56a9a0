import { readSkillDocument, trySkill } from '@passepartout/core'
import { expect, test } from 'vitest'
import { skillTemplate } from '../src/skill-template.ts'

test('the template loads, and its tests pass', async () => {
  const read = readSkillDocument(skillTemplate('first'), 'first.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  expect(await trySkill(read.document, 'compartments')).toEqual({
    contributions: [
      { kind: 'gate', name: 'magic-word', priority: 40 },
      expect.objectContaining({ kind: 'tool', name: 'first-words' }),
    ],
    passed: ['the magic word is asked about', 'words are counted'],
    looked: { 'the magic word is asked about': 2, 'words are counted': 1 },
    problems: [],
  })
})
