import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gitEnvironment } from '../../src/sandbox/git.ts'
import { runContained, runUncontained } from '../../src/sandbox/run.ts'
import { findSandbox, unreadableFile } from '../../src/sandbox/sandbox.ts'

const path = '/usr/local/bin:/usr/bin:/bin'
const withGit = test.runIf(spawnSync('git', ['--version'], { env: { PATH: path } }).status === 0)

function trap() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'git-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const workspace = join(dir, 'memex')
  mkdirSync(workspace)
  const marker = join(workspace, 'sprung')
  const program = join(workspace, '.git/hooks/post-index-change')
  const script = `git init -q && git config user.name a && git config user.email a@example.org
echo a > f && git add f && git commit -qm a && echo b > f
git config core.fsmonitor ${program} && git config core.hooksPath .git/hooks
git config core.pager ${program} && git config gpg.program ${program}
git config log.showSignature true && git config core.editor ${program}
git init -q --bare inner && git -C inner config core.fsmonitor ${program}`
  const { status } = spawnSync('sh', ['-c', script], { cwd: workspace, env: { PATH: path } })
  expect(status).toBe(0)
  mkdirSync(join(workspace, '.git/hooks'), { recursive: true })
  writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`)
  chmodSync(program, 0o755)
  const unreadable = unreadableFile(join(dir, 'state'))
  const view = { workspace, hiddenFolders: [], hiddenFiles: [], fixedFiles: [], unreadable }
  return { view, workspace, marker }
}

const looks = 'git status; git diff; git log -p; git -C inner log; touch f; git status --short'

withGit('a repository runs nothing by being looked at', async () => {
  const { view, workspace, marker } = trap()
  const limits = { timeoutMs: 20_000, abort: new AbortController().signal }
  const bare = await runUncontained(looks, workspace, limits)
  expect([bare.output.includes('modified:   f'), existsSync(marker)]).toEqual([true, false])
  const sandbox = findSandbox()
  if (sandbox.available) {
    const held = await runContained(looks, view, sandbox, limits)
    expect([held.output.includes('modified:   f'), existsSync(marker)]).toEqual([true, false])
  }
  spawnSync('sh', ['-c', looks], { cwd: workspace, env: { PATH: path } })
  expect(existsSync(marker)).toBe(true)
})

withGit('a bare repository has to be named', () => {
  const { workspace } = trap()
  const env = { PATH: path, HOME: workspace, ...gitEnvironment() }
  const cwd = join(workspace, 'inner')
  const run = (...args: string[]) => spawnSync('git', args, { cwd, env, encoding: 'utf8' })
  expect(run('rev-parse', '--is-bare-repository').stderr).toContain('safe.bareRepository')
  expect(run('--git-dir=.', 'rev-parse', '--is-bare-repository').stdout).toBe('true\n')
})
