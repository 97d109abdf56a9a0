import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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

function folderWith(index: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'weave-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  mkdirSync(join(cwd, 'org'))
  writeFileSync(join(cwd, 'org/index.org'), index)
  return cwd
}

test('a site, then a dead link', () => {
  const cwd = folderWith('#+title: Book\n')
  expect(weave(cwd, 'org')).toMatchObject({ code: 0, err: '' })
  expect(weave(cwd, 'org', 'site').out).toMatch(/^1 pages, 0 files written, 0 removed/)
  writeFileSync(join(cwd, 'org/index.org'), '\n[[file:gone.org]]\n')
  const line = 'org/index.org:2: there is no gone.org\n'
  const told = `${line}org-weave: 1 thing is wrong, so nothing was written\n`
  expect(weave(cwd, 'org', '--check')).toEqual({ code: 1, out: '', err: told })
  expect(weave(cwd, 'org', '--strict')).toEqual({ code: 1, out: '', err: told })
  const free = weave(cwd, 'org')
  expect(free).toMatchObject({ code: 0, err: line })
  expect(free.out).toMatch(/^1 thing is wrong; 1 pages, \d files written/)
  expect(weave(cwd, 'nowhere', 'site').code).toBe(2)
  expect(weave(cwd).code).toBe(2)
  expect(weave(cwd, '--help').code).toBe(0)
}, 60_000)

test('settings that are wrong, and findings for a program', () => {
  const cwd = folderWith('** Deep\n')
  const { out, code } = weave(cwd, 'org', '--json', '--dry-run')
  const { problems, written, isDry } = JSON.parse(out)
  const message = 'level 2 follows the first heading'
  expect(problems).toEqual([{ file: 'org/index.org', line: 1, rule: 'order', message }])
  expect([code, isDry, written.length]).toEqual([0, true, 8])
  writeFileSync(join(cwd, 'org/org-weave.org'), '#+url: x\n')
  expect(weave(cwd, 'org')).toEqual({
    code: 2,
    out: '',
    err: 'org-weave.org:1: url: expected an address such as https://example.org/notes/, got "x"\n',
  })
}, 60_000)

test('a server ends when it is told to', async () => {
  const cwd = folderWith('#+title: Book\n')
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const env = { ...process.env, XDG_CACHE_HOME: cwd }
  const run = spawn(process.execPath, [...flags, command, 'org', '--serve', '--port', '0'], {
    cwd,
    env,
  })
  const [line] = await once(run.stdout, 'data')
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(line))![0]
  expect(await (await fetch(url)).text()).toContain('<h1>Book</h1>')
  run.kill('SIGINT')
  expect(await once(run, 'exit')).toEqual([0, null])
  await expect(fetch(url)).rejects.toThrow()
  expect(weave(cwd, 'org', '--serve', '--port', 'x').code).toBe(2)
  expect(weave(cwd, 'org', '--serve', '--host', '0.0.0.0').code).toBe(1)
}, 60_000)
