import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { callTool, createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { hostSandbox, workspacesOf } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { createGitTools } from '../../src/tools/git-tools.ts'

const withGit = test.runIf(hostSandbox().available && existsSync('/usr/bin/git'))
const { signal: abort } = new AbortController()

async function setting() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'git-tools-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['memex', 'work/src', 'plain'])
    mkdirSync(join(home, folder), { recursive: true })
  const write = (path: string, text: string) => writeFileSync(join(home, path), text)
  const ask = async (folder: string, ...args: string[]) => {
    const env = { PATH: '/usr/bin:/bin', HOME: home }
    return spawnSync('git', args, { cwd: join(home, folder), env, encoding: 'utf8' }).stdout
  }
  const commit = async (folder: string, message: string) => {
    await ask(folder, 'add', '--all')
    const author = ['-c', 'user.name=Ann', '-c', 'user.email=a@example.org']
    await ask(folder, ...author, 'commit', '-qm', message)
  }
  write('.gitconfig', '[user]\nname = Ann\nemail = a@example.org\n')
  write('memex/a.org', '* A\n')
  for (const folder of ['memex', 'work']) await ask(folder, 'init', '-q', '-b', 'main')
  write('work/src/a.ts', 'one\n')
  write('work/.env', 'KEY=one\n')
  await commit('work', 'First')
  await commit('memex', 'Notes')
  const memexDir = join(home, 'memex')
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(memexDir) })
  ingestMemex(runtime)
  const folders = ['~/work', '~/plain'].map((folder) => ({ folder, commitFirst: false }))
  const tools = createGitTools(workspacesOf(folders, home)).tools!
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const find = (name: string) => tools.find((tool) => tool.name === name)!
  const call = async (name: string, args: Record<string, unknown>) =>
    (await callTool(find(name), args, { runtime, signal, abort })).text
  const preview = (args: Record<string, unknown>) =>
    find('git-commit').preview!(args, { runtime, signal, abort })
  return { home, runtime, write, ask, commit, call, preview }
}

withGit('the status names what may be named', async () => {
  const { ask, call, write } = await setting()
  expect(await call('git-status', { path: '~/work' })).toBe(
    'On main\nNothing differs from the last commit.',
  )
  write('work/.env', 'KEY=two\n')
  write('work/src/a.ts', 'two\n')
  write('work/new\nname.ts', 'new\n')
  expect(await call('git-status', { path: '~/work/src' })).toBe(
    'On main\n M src/a.ts\n?? new\nname.ts',
  )
  await ask('work', 'mv', 'src/a.ts', 'src/b.ts')
  expect(await call('git-status', { path: '~/work' })).toContain('RM src/a.ts -> src/b.ts')
  expect(await call('git-status', { path: '~/plain' })).toContain('no git repository')
  expect(await call('git-status', { path: '~' })).toContain('neither in the memex')
})

withGit('a difference is told without secrets', async () => {
  const { call, commit, write } = await setting()
  write('work/.env', 'KEY=two\n')
  write('work/src/a.ts', 'two\n')
  const text = await call('git-diff', { path: '~/work' })
  expect([text.includes('-one\n+two'), text.includes('KEY')]).toEqual([true, false])
  expect(await call('git-diff', { path: '~/work', staged: true })).toBe('Nothing differs.')
  await commit('work', 'Second')
  expect(await call('git-diff', { path: '~/work' })).toBe('Nothing differs.')
  expect(await call('git-diff', { path: '~/work', since: 'HEAD~1' })).toBe(text)
  for (const since of ['--output=x', '-p', 'HEAD:.env', 'a b', '^HEAD', ':/First'])
    expect(await call('git-diff', { path: '~/work', since })).toContain('name of a commit')
  expect(await call('git-diff', { path: '~/work', since: 'none' })).toContain('Git says')
})

withGit('a file that is asked about is told when it is named', async () => {
  const { ask, call, commit, write } = await setting()
  write('work/.npmrc', '//registry/:_authToken=one\n')
  await ask('work', 'init', '-q', 'sub')
  write('work/sub/.env', 'KEY=one\n')
  await commit('work/sub', 'Sub')
  await ask('work', 'config', 'diff.submodule', 'diff')
  await commit('work', 'Second')
  write('work/.npmrc', '//registry/:_authToken=two\n')
  write('work/src/a.ts', 'two\n')
  write('work/sub/.env', 'KEY=two\n')
  await commit('work/sub', 'More')
  const text = await call('git-diff', { path: '~/work' })
  expect([text.includes('+two'), /KEY|authToken/.test(text)]).toEqual([true, false])
  expect(await call('git-diff', { path: '~/work/.npmrc' })).toContain('+//registry/:_authToken=two')
})

withGit('the past of private notes is not told', async () => {
  const { call, runtime, write } = await setting()
  write('memex/a.org', '* A\nMore.\n')
  expect(await call('git-diff', {})).toContain('+More.')
  write('memex/a.org', '* A :private:\nMore.\n')
  ingestMemex(runtime)
  for (const tool of ['git-diff', 'git-log'])
    expect(await call(tool, {})).toContain('private notes')
  expect(await call('git-status', {})).toBe('On main\nNothing differs from the last commit.')
})

withGit('named files are committed, and nothing else', async () => {
  const { ask, call, home, preview, write } = await setting()
  write('work/src/a.ts', 'two\n')
  write('work/new.ts', 'new\n')
  write('work/staged.ts', 'staged\n')
  await ask('work', 'add', '--', 'staged.ts')
  write('work/.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n')
  const files = ['~/work/src/a.ts', '~/work/new.ts']
  const args = { path: '~/work', files, message: 'Two\n\nBecause.' }
  const shown = await preview(args)
  expect(shown).toMatch(/^Two\n\nBecause\.\n\nnew file new\.ts\n[\s\S]*-one\n\+two$/)
  expect(await call('git-commit', args)).toContain('Two')
  const format = '--format=%an %cn %s'
  expect(await ask('work', 'show', '--name-only', format)).toBe(
    'Ann Passepartout Two\n\nnew.ts\nsrc/a.ts\n',
  )
  expect(await ask('work', 'status', '--short')).toBe('A  staged.ts\n')
  expect(await call('git-log', { path: '~/work', count: 1 })).toMatch(
    /^\w+ {2}[\d-]+ {2}Ann {2}Two$/,
  )
  expect(await call('git-log', { path: '~/work/staged.ts' })).toBe('No commit yet.')
  expect(await call('git-commit', { ...args, files: ['a.org'] })).toContain('not in the repository')
  expect(await call('git-commit', { ...args, files: ['~/work/.env'] })).toContain('is a secret')
  expect(await call('git-commit', args)).toContain('Git says')
  expect(existsSync(join(home, 'work/.git/index.lock'))).toBe(false)
})

withGit('a private headline does not keep its file out of a commit', async () => {
  const { ask, call, home, preview, runtime, write } = await setting()
  write('memex/a.org', '* A :private:\nDear diary.\n* Open\nBeans.\n')
  write('memex/letter.org', '* Letter :private:\nDear Ann.\n')
  ingestMemex(runtime)
  const args = { files: ['a.org'], message: 'A day' }
  expect(await preview(args)).toBe('A day\n\na.org: 4 lines more, 1 less, not shown here')
  const said = await call('git-commit', args)
  expect([said.includes('A day'), /diary|Beans/.test(said)]).toEqual([true, false])
  expect(await ask('memex', 'show', '--name-only', '--format=%s')).toBe('A day\n\na.org\n')
  expect(await call('git-commit', { ...args, files: ['letter.org'] })).toContain('new to git')
  expect(await call('git-commit', { ...args, files: ['.git/config'] })).toContain('version control')
  expect(await call('git-diff', { path: 'a.org' })).toContain('something private')
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: join(home, 'memex') })
  onTestFinished(() => stack.close())
  const explanation = 'The owner asked for it.'
  expect(judge(stack)({ tool: 'git-commit', args, explanation }).verdict).toBe('ask')
})

test.each([
  ['git-status', {}, 'allow'],
  ['git-diff', { path: '~/work', since: 'HEAD~1' }, 'allow'],
  ['git-log', { path: '~/work' }, 'allow'],
  ['git-commit', { path: '~/work', files: ['~/work/a.ts'], message: 'One' }, 'ask'],
  ['git-commit', { files: ['.env'], message: 'One' }, 'reject'],
  ['git-commit', { files: [], message: 'One' }, 'reject'],
  ['git-diff', { path: '~/.ssh/id_rsa' }, 'reject'],
  ['git-diff', { since: '--output=/etc/passwd' }, 'reject'],
])('%s %j: %s', (tool, args, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'git-tools-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const said = judge(stack)({ tool, args, explanation: 'The owner asked for it.' })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
