import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentsMd } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

function memex(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'agents-md-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text)
  const path = join(dir, 'AGENTS.md')
  const env = { HOME: dir, MEMEX_DIR: dir }
  return { path, run: (...words: string[]) => told(agentsMd, words, { env }) }
}

test('the page has what may be seen, and is made once', async () => {
  const { path, run } = memex({
    'a.org':
      '#+title: The # garden\n* NEXT Sow :spring:\n* Doctor :private:\n** WAIT Zxqtest :zxqtag:\n',
    'zxqdiary.org': '#+title: Zxqtitle\n#+filetags: :private:\n* x\n',
  })
  const { text } = await run('--dry-run')
  expect(text).toContain('`a.org`: `The # garden`')
  expect(text).toMatch(/Keywords of tasks: .*`NEXT`|Tags: `spring`/)
  expect(text).not.toMatch(/zxq/i)
  expect(existsSync(path)).toBe(false)
  expect(await run()).toMatchObject({ code: 0, text: `${path}\n` })
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect(JSON.parse((await run('--json')).text)).toMatchObject({ changed: false })
  writeFileSync(path, '# Mine\n')
  expect(await run()).toMatchObject({ code: 1, text: expect.stringContaining('left alone') })
  expect(readFileSync(path, 'utf8')).toBe('# Mine\n')
  expect((await run('--nonsense')).code).toBe(2)
})
