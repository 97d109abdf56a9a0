import { expect, test } from 'vitest'
import { skillTemplate } from '../../src/improve/skill-template.ts'
import { skillTypes } from '../../src/improve/skill-types.ts'

const block = (code: string, more = '') => `#+begin_src ts${more}\n${code}\n#+end_src\n`

test('names and arguments are checked, at their lines', async () => {
  expect(await skillTypes(skillTemplate('first'))).toEqual([])
  expect(await skillTypes('Only words.\n')).toEqual([])
  const wrong = block('cuont(1)') + block("test('a', 7)", ' :test yes')
  expect(await skillTypes(wrong)).toEqual([
    { line: 2, message: expect.stringContaining("Cannot find name 'cuont'") },
    { line: 5, message: expect.stringContaining('not assignable') },
  ])
  expect(await skillTypes(block('process.exit(0)'))).toHaveLength(1)
})
