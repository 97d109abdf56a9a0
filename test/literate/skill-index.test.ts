import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missingOf, skillIndex, wanted, wantedToo } from './skill-index.ts'

test('the index of skills is what the skills say', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../org/manual/skill-index.org'), 'utf8')
  expect(page, 'run: npm run skill-index').toBe(await skillIndex())
})

test('what is missing is named', () => {
  expect([...wanted, ...wantedToo].flatMap(missingOf)).toEqual([])
  const none = {
    group: 'g',
    name: 'n',
    documents: ['skills/none'],
    example: ['none', 'x'],
  } as const
  expect(missingOf(none)).toEqual(['the document ~skills/none~', 'an example in ~manual/none~'])
  const untested = { ...none, documents: ['manual/user'], example: ['user', 'No heading'] } as const
  expect(missingOf(untested)).toEqual(['tests of ~manual/user~', 'an example in ~manual/user~'])
  expect(wanted.length + wantedToo.length).toBe(26)
})
