import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { quotedWord, runInWorkspace } from '../../src/sandbox/project-run.ts'
import { findSandbox, type SandboxFound } from '../../src/sandbox/sandbox.ts'
import { placeOf, workspacesOf } from '../../src/sandbox/workspaces.ts'

const found = findSandbox()

function setting(sandbox: SandboxFound = found) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'project-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['memex', 'work/node_modules/.bin', 'work/notes', 'state'])
    mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, 'memex/a.org'), '* A\n')
  writeFileSync(join(home, 'letter.txt'), 'Dear Ann\n')
  writeFileSync(join(home, 'work/a.txt'), 'one\n')
  const program = '#!/bin/sh\necho tool of the project\n'
  writeFileSync(join(home, 'work/node_modules/.bin/own'), program, { mode: 0o755 })
  const config = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(config.memexDir) })
  ingestMemex(runtime)
  const opened = workspacesOf([{ folder: '~/work', commitFirst: false }], home)
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const run = async (command: string, timeoutMs = 10_000) => {
    const place = placeOf(runtime, opened, '~/work')
    const limits = { timeoutMs, abort, sandbox }
    const result = await runInWorkspace({ runtime, signal }, place, command, limits)
    return result.status === 'success' ? result.content : result.message
  }
  return { home, run }
}

test.runIf(found.available)('a program sees its project and nothing else', async () => {
  const { home, run } = setting()
  expect(await run('cat a.txt; own')).toBe('one\ntool of the project\nIt ended with 0.')
  expect(await run(`cat ${home}/letter.txt`)).toMatch(/No such file[\s\S]*It ended with 1\./)
  expect(await run(`ls ${home}/memex`)).not.toContain('a.org')
  expect(await run(`ls ${home}/state`)).toContain('It ended with')
  expect(await run('echo two > b.txt')).toBe('It ended with 0.')
  expect(existsSync(join(home, 'work/b.txt'))).toBe(true)
  expect(await run('echo x > .envrc')).toContain('.envrc appeared and was disabled')
  expect(await run('sleep 60', 50)).toContain('Stopped after 0.05 s.')
  expect(await run(`echo ${quotedWord("it's $HOME; x")}`)).toContain("it's $HOME; x")
})

test.runIf(found.available)('the secrets of a project read as empty', async () => {
  const { home, run } = setting()
  mkdirSync(join(home, 'work/tests/fixtures'), { recursive: true })
  mkdirSync(join(home, '.ssh'))
  writeFileSync(join(home, 'work/.env'), 'KEY=sesame\n')
  writeFileSync(join(home, 'work/prod.env.gz'), 'sesame\n')
  writeFileSync(join(home, '.ssh/id_rsa'), 'sesame\n')
  linkSync(join(home, '.ssh/id_rsa'), join(home, 'work/plain.txt'))
  writeFileSync(join(home, 'work/tests/fixtures/server.key'), 'open\n')
  expect(await run('cat .env *.gz plain.txt .e* && cat tests/fixtures/*')).toBe(
    'open\nIt ended with 0.',
  )
  expect(await run('grep KEY .env')).toMatch(/Secrets are empty .*: .*\.env/)
  expect(await run('echo KEY=mine > .env')).toContain('It ended with')
  expect(readFileSync(join(home, 'work/.env'), 'utf8')).toBe('KEY=sesame\n')
})

test('without a sandbox nothing is run', async () => {
  const { home, run } = setting({ available: false, reason: 'none here' })
  expect(await run('touch ran')).toContain('There is no sandbox (none here)')
  expect(existsSync(join(home, 'work/ran'))).toBe(false)
})
