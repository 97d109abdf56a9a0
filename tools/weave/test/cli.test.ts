import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const command = join(import.meta.dirname, '../src/cli.ts')

function weave(cwd: string, ...args: string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const env = { ...process.env, XDG_CACHE_HOME: cwd }
  const options = { cwd, env, encoding: 'utf8' } as const
  const run = spawnSync(process.execPath, [...flags, command, ...args], options)
  return { code: run.status, out: run.stdout, err: run.stderr }
}

test('a site, then a dead link', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'weave-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  mkdirSync(join(cwd, 'org'))
  writeFileSync(join(cwd, 'org/index.org'), '#+title: Book\n')
  expect(weave(cwd, 'org', 'site')).toMatchObject({ code: 0, err: '' })
  expect(weave(cwd, 'org', 'site').out).toMatch(/^1 pages, 0 files written, 0 removed/)
  writeFileSync(join(cwd, 'org/index.org'), '\n[[file:gone.org]]\n')
  expect(weave(cwd, 'org', 'site')).toMatchObject({
    code: 1,
    err: 'org/index.org:2: there is no gone.org\norg-weave: 1 dead links, so nothing was written\n',
  })
  expect(weave(cwd, 'nowhere', 'site').code).toBe(2)
  expect(weave(cwd).code).toBe(2)
  expect(weave(cwd, '--help').code).toBe(0)
})
