import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf, questionIn, textOf } from '../../src/command/ask.ts'
import { startHosted } from '../session/hosted.ts'

test.each([
  [['what', 'is', 'next'], '', 'what is next'],
  [['-'], 'what is next\n', 'what is next'],
  [['explain', '-'], 'a\nb\n', 'explain\n\na\nb'],
  [['-', 'in short'], 'a', 'a in short'],
  [['-'], '', ''],
])('%j with %j on standard input', async (words, input, text) => {
  expect(await textOf(words, async () => input)).toBe(text)
})

test('what waits for the owner is not done', () => {
  const asked =
    'This needs your approval: shell: x\ny\nSay “approve kfhtmw” or “deny kfhtmw” within'
  expect([codeOf([asked]), questionIn([asked])]).toEqual([3, 'kfhtmw'])
  expect([codeOf(['Fine.']), questionIn(['Fine. “approve kfhtmw”'])]).toEqual([0, null])
  expect(codeOf(['That is not allowed.\ngate: no'])).toBe(3)
  expect(codeOf(['No question is open under that word; it may'])).toBe(1)
})

test('a script asks, captures, and answers a question', async () => {
  const { memex, env } = await startHosted()
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const run = (args: string[], input = '') => {
    const all = [...flags, join(import.meta.dirname, '../../src/command/cli.ts'), ...args]
    const ran = spawnSync(process.execPath, all, { env, input, encoding: 'utf8' })
    return { code: ran.status, out: ran.stdout, err: ran.stderr }
  }
  expect(run(['ask', '-'], 'find tide tables\n')).toMatchObject({
    code: 0,
    out: expect.stringContaining('inbox.org:4'),
  })
  expect(run(['capture', '-'], 'Brühe\n kochen')).toMatchObject({ code: 0 })
  expect(readFileSync(join(memex, 'inbox.org'), 'utf8')).toMatch(/^\* TODO Brühe kochen$/m)
  const asked = run(['ask', '--json', 'run', 'git', 'push'])
  const { answer, approval } = JSON.parse(asked.out)
  expect([asked.code, answer]).toEqual([3, expect.stringContaining('shell: git push')])
  expect(run(['deny', approval])).toMatchObject({ code: 0, out: expect.stringContaining('Denied') })
  expect(run(['approve', approval]).code).toBe(1)
  expect(run(['approve', 'everything please']).code).toBe(2)
  expect(run(['ask', '-']).code).toBe(2)
})
