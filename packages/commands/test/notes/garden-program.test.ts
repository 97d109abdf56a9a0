import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { garden } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

function setting(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'garden-program-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'memex'))
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, 'memex', path), text)
  const env = {
    HOME: dir,
    XDG_STATE_HOME: dir,
    XDG_CONFIG_HOME: dir,
    MEMEX_DIR: join(dir, 'memex'),
  }
  const run = (...words: string[]) => told(garden, words, { env, now: new Date(2026, 10, 21, 9) })
  return { dir, run }
}

const files = {
  'a.org':
    '* A\n[[file:b.org::*Roof]]\n* Mine :private:\n[[id:none]]\n* DONE Old\nCLOSED: [2026-01-05 Mon]\n',
  'b.org': '* B\n[[file:a.org]] [[file:c.org]]\n',
  'c.org': '* Roof\n',
}

test('everything is shown, and nothing is written', async () => {
  const { dir, run } = setting(files)
  expect(await run('--dry-run')).toEqual({
    code: 0,
    text: [
      'a.org:2: link: [[file:b.org::*Roof]] leads nowhere; it may be [[file:c.org::*Roof]] →',
      'a.org:4: link (private): [[id:none]] leads nowhere',
      'a.org:5: old: “Old” was done more than 60 days ago →',
      '3 findings. 2 of them have a repair.\n',
    ].join('\n'),
  })
  expect(JSON.parse((await run('--json')).text)).toHaveLength(3)
  expect(readFileSync(join(dir, 'memex/a.org'), 'utf8')).toBe(files['a.org'])
  writeFileSync(join(dir, 'memex/a.org'), '* A\n[[file:b.org]]\n')
  expect((await run()).text).toBe('The garden is tidy.\nNo daemon runs, so nothing was proposed.\n')
})

test('what cannot be done is said', async () => {
  const { run } = setting({})
  expect((await run('--loud')).code).toBe(2)
  expect((await run('--help')).text).toContain('Usage:')
  const env = { XDG_STATE_HOME: '/nowhere', MEMEX_DIR: '/nowhere' }
  expect(await told(garden, [], { env })).toMatchObject({
    code: 1,
    text: expect.stringContaining('Which notes?'),
  })
})
