import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { proseOf, skillStandards, skillStyle } from '../../src/improve/skill-standards.ts'
import { skillTemplate } from '../../src/improve/skill-template.ts'

const rules = (...lines: string[]) =>
  skillStyle(lines.join('\n')).map(({ line, rule }) => `${line} ${rule}`)
const head = ['#+title: A', '#+description: B.']
const block = (code: string, more = '') => [`#+begin_src ts${more}`, code, '#+end_src']

test('a document is held to the style of the house', () => {
  expect(skillStyle(skillTemplate('first'))).toEqual([])
  expect(rules('* One', 'Words.')).toEqual(['1 title', '1 description'])
  const tested = block('test("a", () => {})', ' :test yes')
  expect(rules(...head, '* One', ...block('a'), 'Words.', ...tested)).toEqual(['4 bare-block'])
  expect(rules(...head, 'Words.', ...block('a'))).toEqual(['1 no-test'])
  const long = `const a = "${'x'.repeat(120)}"`
  expect(rules(...head, 'Some words.', ...block(long), 'And.', ...tested)).toEqual(['5 long-line'])
  const tall = 'a\n'.repeat(80)
  expect(rules(...head, 'Words. '.repeat(80), ...block(tall), 'And.', ...tested)).toEqual([
    '5 long-block',
  ])
  expect(rules(...head, 'Few.', ...block('a b c d e f g'), 'And.', ...tested)).toEqual([
    '1 few-words',
  ])
})

test('prose is what stands outside of blocks', () => {
  const text = ['* One', 'Two words.', '#+begin_mandate', 'None.', '#+end_mandate', '** Three']
  expect(proseOf(text.join('\n'))).toEqual({ words: 2, headlines: ['One', 'Three'] })
})

test('the tool names the line', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'standards-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'bare.org'), [...head, '* One', ...block('1')].join('\n'))
  const folders = [{ path: dir, isOwners: true }]
  const places = { folders, grantsPath: join(dir, 'grants') }
  const [tool] = skillStandards(places).tools!
  const said = async (skill: string) => tool!.run({ skill }, undefined as never)
  expect(await said('bare')).toMatchObject({
    status: 'success',
    content: expect.stringContaining('4: bare-block'),
  })
  expect(await said('../bare')).toMatchObject({ status: 'error' })
})
