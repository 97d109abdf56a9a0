import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSkillDocument, type SkillDocument } from '@passepartout/core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { exportSkill, skillMarkdown } from '../../src/improve/skill-export.ts'
import { importSkill } from '../../src/improve/skill-import.ts'

function document(name: string, description: string, body: string): SkillDocument {
  const text = `#+title: A ${name}\n#+description: ${description}\n#+CAPABILITIES: prompt\n\n${body}\n`
  const read = readSkillDocument(text, `${name}.org`)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.document
}

const words =
  '#+begin_mandate\nAnswer briefly.\n#+end_mandate\n#+begin_instructions\n# One\nDo it.\n#+end_instructions'

test('what is exported meets the rules and can be imported', () => {
  const dir = mkdtempSync(join(tmpdir(), 'export-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  let count = 0
  const description = fc
    .string({ minLength: 1, maxLength: 80 })
    .filter((text) => text.trim() !== '')
  fc.assert(
    fc.property(description, (text) => {
      const name = `brief-${count++}`
      const given = { ...document(name, 'x', words), description: text }
      const folder = exportSkill(given, 'the document', dir)
      const [, head = ''] =
        /^---\n([\s\S]*?)\n---\n/.exec(readFileSync(join(folder, 'SKILL.md'), 'utf8')) ?? []
      const [nameLine, descriptionLine, ...rest] = head.split('\n')
      expect([nameLine, rest]).toEqual([`name: ${name}`, []])
      const back: unknown = JSON.parse(descriptionLine!.replace('description: ', ''))
      expect(back).toBe(text.replace(/\s+/g, ' ').trim())
      const again = importSkill(folder)
      expect([again.name, again.files]).toEqual([name, [`references/${name}.org`]])
      expect(again.text).toContain('Do it.')
    }),
    { numRuns: 40 },
  )
})

test.each([
  ['a-', 'x', words, 'no name for others'],
  ['a--b', 'x', words, 'no name for others'],
  ['a', 'x'.repeat(1_025), words, '1 to 1024'],
  ['a', 'x', '', 'no words'],
])('%s is refused', (name, description, body, message) => {
  expect(() => skillMarkdown(document(name, description, body))).toThrow(message)
})

test('nothing is written over', () => {
  const dir = mkdtempSync(join(tmpdir(), 'export-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const given = document('brief', 'Short answers.', words)
  exportSkill(given, 'the document', dir)
  expect(readFileSync(join(dir, 'brief/references/brief.org'), 'utf8')).toBe('the document')
  expect(() => exportSkill(given, 'another', dir)).toThrow('there already')
})
