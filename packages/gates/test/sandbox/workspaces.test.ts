import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRuntime, formatProblem, ingestMemex, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import {
  hiddenWithout,
  isShown,
  placeOf,
  workspaceSection,
  workspacesOf,
} from '../../src/sandbox/workspaces.ts'
import { readConfig } from '../../src/secrets/config-secrets.ts'

function setting() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'workspaces-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const write = (path: string, text = 'x\n') => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('memex/a.org', '* A\n')
  write('memex/diary.org', '* Day :private:\n')
  write('memex/flight-plans.org', '* Plan\n')
  write('memex/state/token')
  write('memex/old/plan.txt')
  write('memex/.passepartoutignore', 'old/\ndraft.*\n')
  for (const path of ['garden/src/a.ts', 'garden/.git/config', 'garden/.env', 'letters/tax.txt'])
    write(path)
  const memexDir = join(home, 'memex')
  const config = { home, memexDir, stateDir: join(home, 'memex/state') }
  const runtime = createRuntime({ config, memex: openMemex(memexDir) })
  ingestMemex(runtime)
  const opened = workspacesOf([{ folder: '~/garden', commitFirst: true }], home)
  return { home, runtime, opened, write }
}

test('a workspace is a folder inside of the home', () => {
  const head = (value: string) => `* W\n:PROPERTIES:\n:WORKSPACE: ${value}\n:END:\n`
  const text = `${head('~/src')}${head('~')}${head('~/src/..')}`
  const { problems, sections } = readConfig(text, 'c.org', { w: workspaceSection })
  expect(problems.map(formatProblem)).toEqual([
    'c.org:7: error: :WORKSPACE: expected a folder inside of your home, such as ~/src/garden',
  ])
  expect(workspacesOf(sections.w, '/home/ann')).toEqual([
    { folder: '/home/ann/src', commitFirst: false },
  ])
})

test('a path is found in the memex and in a workspace', () => {
  const { home, runtime, opened } = setting()
  const of = (path: string) => {
    const { workspace, note, path: inside, shown } = placeOf(runtime, opened, path)
    return [inside, note, shown, workspace.commitFirst]
  }
  expect(of('a.org')).toEqual(['a.org', 'a.org', 'a.org', false])
  expect(of('new/b.org')).toEqual(['new/b.org', 'new/b.org', 'new/b.org', false])
  expect(of('~/garden/src/a.ts')).toEqual(['src/a.ts', null, '~/garden/src/a.ts', true])
  expect(of(join(home, 'garden'))).toEqual(['', null, '~/garden', true])
  expect(of('../garden/new.ts')).toEqual(['new.ts', null, '~/garden/new.ts', true])
})

test.each([
  ['~/letters/tax.txt', 'neither in the memex'],
  ['../letters/tax.txt', 'neither in the memex'],
  ['~/garden/../letters/tax.txt', 'neither in the memex'],
  ['~/garden/out/tax.txt', 'neither in the memex'],
  ['~/garden/nowhere', 'neither in the memex'],
  ['~/gardening', 'neither in the memex'],
  ['/etc/hostname', 'neither in the memex'],
  ['~/garden/.env', 'is a secret'],
  ['~/garden/env', 'is a secret'],
  ['state/token', 'is a secret'],
  ['~/garden/.git/config', 'version control'],
  ['~/garden/sub/.GIT/hooks/x', 'version control'],
  ['diary.org', 'something private'],
  ['old/plan.txt', 'left out of the memex'],
  ['old', 'left out of the memex'],
  ['draft.txt', 'left out of the memex'],
  ['diary.org~', 'something private'],
  ['~/garden/diary', 'something private'],
  ['flight-plans.org', 'by the daemon only'],
  ['flight-plans.org~', 'by the daemon only'],
  ['a.org\0.ts', 'zero character'],
])('%s is refused: %s', (path, reason) => {
  const { home, runtime, opened } = setting()
  symlinkSync('../letters', join(home, 'garden/out'))
  symlinkSync('../letters/new', join(home, 'garden/nowhere'))
  symlinkSync('.env', join(home, 'garden/env'))
  symlinkSync('../memex/diary.org', join(home, 'garden/diary'))
  expect(() => placeOf(runtime, opened, path)).toThrow(reason)
})

test('tools for programs are offered where there is a folder', () => {
  const { opened } = setting()
  const tools = [{ name: 'git-status' }]
  expect([hiddenWithout([], tools), hiddenWithout(opened, tools)]).toEqual([['git-status'], []])
})

test('a walk shows what may be named, and no link', () => {
  const { home, runtime, opened } = setting()
  symlinkSync('a.ts', join(home, 'garden/src/b.ts'))
  const shown = (path: string) => isShown(runtime, opened, join(home, path))
  expect(['garden/src/a.ts', 'memex/a.org'].map(shown)).toEqual([true, true])
  const others = ['garden/src/b.ts', 'garden/.env', 'garden/.git', 'memex/diary.org', 'letters']
  expect(others.map(shown)).toEqual([false, false, false, false, false])
})
