import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hostSandbox } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { gitIn, identityOf, repositoryOf } from '../../src/tools/git-run.ts'

const contained = test.runIf(hostSandbox().available && existsSync('/usr/bin/git'))
const abort = new AbortController().signal

function bare(folder: string, ...args: string[]): string {
  const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org']
  const env = { PATH: '/usr/bin:/bin', HOME: dirname(folder) }
  const { status, stdout, stderr } = spawnSync('git', [...author, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

function setting() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'git-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const work = join(home, 'work')
  for (const name of ['work/sub', 'memex', 'state'])
    mkdirSync(join(home, name), { recursive: true })
  bare(work, 'init', '-q', '-b', 'main')
  const config = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  return { config, home, work, git: gitIn(config, work, work, abort) }
}

contained('a repository around a workspace is not its own', () => {
  const { home, work } = setting()
  const sub = join(work, 'sub')
  expect(repositoryOf(sub, home)).toBe(work)
  expect(repositoryOf(join(sub, 'none.ts'), work)).toBe(work)
  expect(repositoryOf(sub, sub)).toBeNull()
  expect(repositoryOf(home, home)).toBeNull()
  expect(repositoryOf(home, work)).toBeNull()
})

contained('what a repository names reaches nothing', async () => {
  const { git, home, work } = setting()
  const [trap, program] = [join(home, 'ran'), join(work, 'trap.sh')]
  const touch = `#!/bin/sh\ntouch ${trap} ${work}/ran ${work}/.git/hooks/ran\ncat\n`
  bare(work, 'init', '-q', 'nested')
  bare(join(work, 'nested'), 'commit', '-q', '--allow-empty', '-m', 'Nested')
  writeFileSync(join(work, 'nested/f'), 'one\n')
  writeFileSync(program, touch, { mode: 0o755 })
  bare(work, 'add', 'trap.sh', 'nested/')
  bare(work, 'commit', '-qm', 'One')
  for (const folder of [work, join(work, 'nested')]) {
    const names = ['core.fsmonitor', 'core.pager', 'core.editor', 'diff.external', 'core.hooksPath']
    const keys = [...names, 'filter.x.clean', 'filter.x.process', 'diff.x.textconv', 'alias.status']
    for (const name of [...keys, 'core.sshCommand', 'credential.helper', 'gpg.program']) {
      bare(folder, 'config', name, program)
    }
    writeFileSync(join(folder, '.gitattributes'), '* filter=x diff=x\n')
  }
  writeFileSync(join(work, '.git/hooks/pre-commit'), touch, { mode: 0o755 })
  writeFileSync(program, `${touch}#\n`)
  for (const args of [
    ['status', '--porcelain=v1', '--untracked-files=all'],
    ['diff', '--no-ext-diff', '--no-textconv'],
    ['add', '--', 'trap.sh'],
    ['commit', '-qm', 'Two'],
  ]) {
    await git(args, { writes: args[0] === 'commit' || args[0] === 'add' })
  }
  const ran = [trap, join(work, 'ran'), join(work, '.git/hooks/ran')].map((path) =>
    existsSync(path),
  )
  expect(ran).toEqual([false, false, false])
  bare(work, 'status')
  expect(existsSync(trap)).toBe(true)
})

contained('a commit works, and what it leaves is told', async () => {
  const { git, home, work } = setting()
  writeFileSync(join(work, 'a'), 'one\n')
  const environment = await identityOf(git, home)
  const commit = async (message: string) => {
    await git(['add', '--', 'a'], { writes: true, environment })
    return git(['commit', '-qm', message], { writes: true, environment })
  }
  expect(await commit('One')).toEqual({ code: 0, out: '', fault: '' })
  expect(bare(work, 'log', '--format=%s %an')).toBe('One Passepartout\n')
  bare(work, 'config', 'filter.x.clean', `echo /tmp > ${work}/.git/commondir; cat`)
  writeFileSync(join(work, '.gitattributes'), 'a filter=x\n')
  writeFileSync(join(work, 'a'), 'two\n')
  const { fault } = await git(['add', '--', 'a'], { writes: true })
  expect(fault).toContain('commondir')
  expect(existsSync(join(work, '.git/commondir'))).toBe(false)
})

contained('a run that writes is on the disk until it has been looked at', async () => {
  const { config, git, work } = setting()
  writeFileSync(join(work, 'a'), 'one\n')
  const records = () => readdirSync(join(config.stateDir, 'unfinished-runs'))
  const adding = git(['add', '--', 'a'], { writes: true })
  expect(records().length).toBe(1)
  await adding
  expect(records()).toEqual([])
})

contained('a question writes nothing', async () => {
  const { git, work } = setting()
  writeFileSync(join(work, 'a'), 'one\n')
  expect((await git(['add', '--', 'a'])).fault).toMatch(/Read-only file system/)
  expect(bare(work, 'status', '--porcelain')).toBe('?? a\n')
})

contained('an error is an answer', async () => {
  const { config, git, work } = setting()
  expect(await git(['log'])).toMatchObject({
    code: 128,
    fault: expect.stringContaining('does not have any commits'),
  })
  const stopped = new AbortController()
  stopped.abort()
  expect((await gitIn(config, work, work, stopped.signal)(['status'])).code).toBeNull()
  const none = { available: false, reason: 'none here' } as const
  expect(await gitIn(config, work, work, abort, none)(['status'])).toEqual({
    code: null,
    out: '',
    fault: 'git is not run without a sandbox (none here)',
  })
})

contained('a linked working tree finds its repository, and a lie does not', async () => {
  const { config, home, work } = setting()
  bare(work, 'commit', '-q', '--allow-empty', '-m', 'One')
  const linked = join(home, 'linked')
  bare(work, 'worktree', 'add', '-q', linked)
  const git = gitIn(config, linked, linked, abort)
  expect((await git(['log', '--format=%s'])).out).toBe('One\n')
  writeFileSync(join(linked, 'a'), 'one\n')
  const environment = await identityOf(git, home)
  await git(['add', '--', 'a'], { writes: true, environment })
  expect((await git(['commit', '-qm', 'Two'], { writes: true, environment })).code).toBe(0)
  const lie = join(home, 'lie')
  mkdirSync(lie)
  writeFileSync(join(lie, '.git'), `gitdir: ${join(work, '.git')}\n`)
  const { code, fault } = await gitIn(config, lie, lie, abort)(['log', '--format=%s'])
  expect([code, fault]).toEqual([128, expect.stringContaining('not a git repository')])
})

contained('a commit has a name', async () => {
  const { config, git, home } = setting()
  expect((await identityOf(git, home)).GIT_AUTHOR_NAME).toBe('Passepartout')
  writeFileSync(join(home, '.gitconfig'), '[user]\nname = Ann\nemail = ann@example.org\n')
  const notes = gitIn(config, config.memexDir, config.memexDir, abort)
  for (const asked of [git, notes]) {
    expect(await identityOf(asked, home)).toMatchObject({
      GIT_AUTHOR_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.org',
    })
  }
})
