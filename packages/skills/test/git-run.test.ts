import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { git, identityOf, repositoryOf } from '../src/git-run.ts'

const hasGit = existsSync('/usr/bin/git')
const abort = new AbortController().signal

async function repository(): Promise<string> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'git-')))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'work/sub'), { recursive: true })
  await git(join(dir, 'work'), ['init', '-q', '-b', 'main'], { abort })
  return dir
}

test.runIf(hasGit)('what a repository names is not run', async () => {
  const work = join(await repository(), 'work')
  const trap = join(work, 'ran')
  const program = join(work, 'trap.sh')
  writeFileSync(program, `#!/bin/sh\ntouch ${trap}\ncat\n`, { mode: 0o755 })
  const names = ['core.fsmonitor', 'core.pager', 'core.editor', 'diff.external', 'core.hooksPath']
  for (const name of names) await git(work, ['config', name, program], { abort })
  writeFileSync(join(work, '.git/hooks/pre-commit'), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 })
  const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org']
  await git(work, ['add', '--', 'trap.sh'], { abort })
  const { code } = await git(work, [...author, 'commit', '-qm', 'One'], { abort })
  writeFileSync(program, '#!/bin/sh\n')
  const { out } = await git(work, ['diff', '--no-ext-diff', '--no-textconv'], { abort })
  expect([code, out.includes('-touch'), existsSync(trap)]).toEqual([0, true, false])
})

test.runIf(hasGit)('an error is an answer', async () => {
  const work = join(await repository(), 'work')
  expect(await git(work, ['log'], { abort })).toMatchObject({
    code: 128,
    fault: expect.stringContaining('does not have any commits'),
  })
  const stopped = new AbortController()
  stopped.abort()
  expect((await git(work, ['status'], { abort: stopped.signal })).code).toBeNull()
  expect((await git(join(work, '.git/HEAD'), ['status'], { abort })).code).toBeNull()
})

test.runIf(hasGit)('a repository around a workspace is not its own', async () => {
  const dir = await repository()
  const [work, sub] = [join(dir, 'work'), join(dir, 'work/sub')]
  expect(await repositoryOf(sub, dir, abort)).toBe(work)
  expect(await repositoryOf(sub, work, abort)).toBe(work)
  expect(await repositoryOf(sub, sub, abort)).toBeNull()
  expect(await repositoryOf(dir, dir, abort)).toBeNull()
})

test.runIf(hasGit)('a commit has a name', async () => {
  const dir = await repository()
  const work = join(dir, 'work')
  expect((await identityOf(work, dir, abort)).GIT_AUTHOR_NAME).toBe('Passepartout')
  writeFileSync(join(dir, '.gitconfig'), '[user]\nname = Ann\nemail = ann@example.org\n')
  expect(await identityOf(work, dir, abort)).toMatchObject({
    GIT_AUTHOR_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.org',
  })
})
