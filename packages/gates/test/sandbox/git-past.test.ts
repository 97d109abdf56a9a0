import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasKeyInPast } from '../../src/sandbox/git-past.ts'
import { findSandbox, unreadableFile } from '../../src/sandbox/sandbox.ts'

const sandbox = findSandbox()
const hasGit = spawnSync('git', ['--version']).status === 0

test.runIf(sandbox.available && hasGit).each([
  ['git rm -q --cached .env && git commit -qm y', true],
  ['git reset -q --hard HEAD~1', true],
  ['true', true],
  ['rm -rf .git && git init -q && git add -f .env', true],
  ['rm -rf .git .env && git init -q && git add . && git commit -qm ".env is ours"', false],
  ['rm -rf .git && git init -q', false],
  ['rm .git/HEAD', true],
])('after %j there is a key in the past: %j', async (script, expected) => {
  if (!sandbox.available) return
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'past-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const plant = `export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
git init -q && echo a > a.txt && git add a.txt && git commit -qm a
echo KEY=1 > .env && git add -f .env && git commit -qm b
${script}`
  expect(spawnSync('sh', ['-ec', plant], { cwd: dir }).status).toBe(0)
  const unreadable = unreadableFile(join(tmpdir(), 'past-state'))
  const view = { workspace: dir, hiddenFolders: [], hiddenFiles: [], fixedFiles: [], unreadable }
  const limits = { timeoutMs: 20_000, abort: new AbortController().signal }
  const gitDir = join(dir, '.git')
  for (const _ of [1, 2]) expect(await hasKeyInPast(gitDir, view, sandbox, limits)).toBe(expected)
})
