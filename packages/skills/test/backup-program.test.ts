import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDatabase } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { runBackup } from '../src/backup-program.ts'
import { readDaemonConfig, startDaemon } from '../src/daemon.ts'

function home(name: string) {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'notes'))
  writeFileSync(join(dir, 'notes/a.org'), '* One\n:PROPERTIES:\n:ID: one\n:END:\n')
  const env = {
    HOME: dir,
    XDG_STATE_HOME: join(dir, 'state'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    MEMEX_DIR: join(dir, 'notes'),
  }
  return {
    dir,
    env,
    state: join(dir, 'state/passepartout'),
    config: join(dir, 'config/passepartout'),
  }
}

test('a backup comes back', async () => {
  const one = home('one')
  mkdirSync(one.config, { recursive: true })
  writeFileSync(join(one.config, 'config.org'), '#+title: Mine\n')
  const daemon = await startDaemon(readDaemonConfig(one.env), '0.0.0', { say: () => {} })
  mkdirSync(join(one.state, 'trace'))
  writeFileSync(join(one.state, 'trace/2026-11-21.org'), '* One\n')
  const file = join(one.dir, 'backup.tar.gz')
  expect(await runBackup(['backup', file], one.env)).toEqual([
    expect.stringContaining('3 files'),
    0,
  ])
  expect((await runBackup(['backup', file], one.env))[1]).toBe(1)
  expect((await runBackup(['restore', file], one.env))[0]).toContain('passepartout stop')
  await daemon.stop()
  expect((await runBackup(['restore', file], one.env))[0]).toContain('--move-aside')
  const two = home('two')
  const [text, code] = await runBackup(['restore', file], two.env)
  expect([code, text]).toEqual([0, expect.stringContaining('config.org is restored')])
  expect(readdirSync(two.state).sort()).toEqual(['memory.db', 'trace'])
  const database = readDatabase(two.state)!
  onTestFinished(() => database.close())
  expect(database.connection.prepare('SELECT path FROM files').all()).toMatchObject([
    { path: 'a.org' },
  ])
  const again = await runBackup(['restore', '--move-aside', file], two.env)
  expect(again).toEqual([expect.stringContaining('was left as it is'), 0])
  expect(readdirSync(join(two.dir, 'state'))).toHaveLength(2)
})

test('what is no whole backup is refused', async () => {
  const one = home('one')
  const daemon = await startDaemon(readDaemonConfig(one.env), '0.0.0', { say: () => {} })
  await daemon.stop()
  const file = join(one.dir, 'backup.tar.gz')
  await runBackup(['backup', file], one.env)
  const changes: Record<string, (folder: string) => void> = {
    damaged: (folder) => writeFileSync(join(folder, 'state/memory.db'), 'x'),
    'does not belong': (folder) => writeFileSync(join(folder, 'state/token'), 'x'),
    'state/link does not': (folder) => symlinkSync('/etc/passwd', join(folder, 'state/link')),
    'no manifest': (folder) => {
      const path = join(folder, 'manifest.json')
      writeFileSync(path, readFileSync(path, 'utf8').replace('state/memory.db', 'state/../../m.db'))
    },
  }
  for (const [reason, change] of Object.entries(changes)) {
    const folder = mkdtempSync(join(one.dir, 'changed-'))
    execFileSync('tar', ['-xzf', file, '-C', folder])
    change(folder)
    const changed = `${folder}.tar.gz`
    execFileSync('tar', ['-czf', changed, '-C', folder, '.'])
    const two = home('two')
    expect(await runBackup(['restore', changed], two.env)).toEqual([
      expect.stringContaining(reason),
      1,
    ])
    expect(existsSync(two.state)).toBe(false)
  }
})
