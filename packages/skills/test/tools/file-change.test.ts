import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex, undoLast } from '@passepartout/core'
import { hostSandbox, placeOf, workspacesOf } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { readText } from '../../src/common/text-files.ts'
import { changeDiff, type FileChange, writeChanges } from '../../src/tools/file-change.ts'

const { signal: abort } = new AbortController()

function setting(commitFirst = false) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'change-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['memex', 'work', 'state']) mkdirSync(join(home, folder))
  const write = (path: string, text: string) => writeFileSync(join(home, path), text)
  const read = (path: string) => readFileSync(join(home, path), 'utf8')
  write('memex/a.org', '* A\nBeans.\n')
  const config = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(config.memexDir) })
  ingestMemex(runtime)
  const opened = workspacesOf([{ folder: '~/work', commitFirst }], home)
  const change = (path: string, after: string): FileChange => {
    const place = placeOf(runtime, opened, path)
    return { place, before: readText(place.file, place.shown), after }
  }
  const apply = async (...changes: FileChange[]) => {
    const result = await writeChanges({ runtime, abort }, 'edit', changes)
    return result.status === 'success' ? result.content : result.message
  }
  return { home, runtime, write, read, change, apply }
}

test('a change is shown before it is made', () => {
  const { home, change } = setting()
  const diff = changeDiff([change('a.org', '* A\nPeas.\n'), change('~/work/b.ts', 'let b\n')])
  expect(diff.split('\n').filter((line) => /^[-+n]/.test(line))).toEqual([
    ...['--- a.org', '+++ a.org', '-Beans.', '+Peas.'],
    ...['new file ~/work/b.ts', '--- ~/work/b.ts', '+++ ~/work/b.ts', '+let b'],
  ])
  expect(existsSync(join(home, 'work/b.ts'))).toBe(false)
})

test('all files or none', async () => {
  const { runtime, write, read, change, apply } = setting()
  write('work/b.ts', 'let b\n')
  const both = () => [change('~/work/b.ts', 'let c\n'), change('a.org', '* A\nPeas.\n')]
  expect(await apply(...both())).toContain('-Beans.\n+Peas.')
  expect([read('work/b.ts'), read('memex/a.org')]).toEqual(['let c\n', '* A\nPeas.\n'])
  expect(runtime.store.textOf('a.org')).toBe('* A\nPeas.\n')
  expect(await undoLast(runtime)).toMatchObject({ status: 'success' })
  expect(read('memex/a.org')).toBe('* A\nBeans.\n')
  write('work/b.ts', 'let b\n')
  const stale = both()
  write('memex/a.org', '* A\nLeeks.\n')
  expect(await apply(...stale)).toContain('a.org was changed in the meantime')
  expect([read('work/b.ts'), read('memex/a.org')]).toEqual(['let b\n', '* A\nLeeks.\n'])
  expect(await apply(change('~/work/b.ts', 'let b\n'))).toBe('Nothing had to be changed.')
  expect(await apply(change('sub/new.org', '* New\n'))).toContain('new file sub/new.org')
  expect(runtime.memex.files()).toContain('sub/new.org')
})

const withGit = test.runIf(hostSandbox().available && existsSync('/usr/bin/git'))

withGit('what the owner had is committed first', async () => {
  const { home, write, read, change, apply } = setting(true)
  const ask = async (...args: string[]) => {
    const env = { PATH: '/usr/bin:/bin', HOME: home }
    return spawnSync('git', args, { cwd: join(home, 'work'), env, encoding: 'utf8' }).stdout
  }
  await ask('init', '-q', '-b', 'main')
  write('work/.gitignore', 'out.ts\n')
  write('work/a.ts', 'one\n')
  await ask('add', '--', 'a.ts', '.gitignore')
  await ask('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-qm', 'One')
  for (const name of ['a', 'new', 'passwords', 'out']) write(`work/${name}.ts`, 'owner\n')
  const names = ['a', 'new', 'out']
  await apply(...names.map((name) => change(`~/work/${name}.ts`, 'agent\n')))
  expect(await ask('show', '--format=%s', '--name-only')).toBe(
    'Before Passepartout changes ~/work/a.ts\n\na.ts\nnew.ts\n',
  )
  expect([await ask('show', 'HEAD:a.ts'), read('work/a.ts')]).toEqual(['owner\n', 'agent\n'])
  write('work/.git/index.lock', '')
  expect(await apply(change('~/work/a.ts', 'more\n'))).toContain('was not committed first')
  expect(read('work/a.ts')).toBe('agent\n')
})
