import { readSkillDocument, trySkill } from '@passepartout/core'
import { expect, test } from 'vitest'
import { skillTemplate } from '../../src/improve/skill-template.ts'

test('the template loads, and its tests pass', async () => {
  const read = readSkillDocument(skillTemplate('first'), 'first.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const { contributions, problems, tests } = await trySkill(read.document, 'owner')
  expect(contributions).toEqual([
    { kind: 'gate', name: 'magic-word', priority: 40 },
    expect.objectContaining({ kind: 'tool', name: 'first-words' }),
  ])
  expect(tests).toMatchObject([
    { name: 'the magic word is asked about', ran: true, passed: true, looked: 2 },
    { name: 'words are counted', ran: true, passed: true, looked: 1 },
  ])
  expect(problems).toEqual([])
})
