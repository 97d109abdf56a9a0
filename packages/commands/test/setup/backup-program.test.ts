import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readDatabase, restorePrefix, savedSnapshots } from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { openEventState } from '@passepartout/skills/events'
import { expect, onTestFinished, test } from 'vitest'
import { backup as backupProgram, restore } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

async function runBackup(
  [word, ...words]: ['backup' | 'restore', ...string[]],
  env: Record<string, string>,
): Promise<[string, number]> {
  const program = word === 'backup' ? backupProgram : restore
  const { code, text } = await told(program, words, { env })
  return [text, code]
}

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
  const hooks = openEventState(join(one.state, 'events.db'))
  onTestFinished(() => hooks.close())
  hooks.pause('all', true)
  mkdirSync(join(one.state, 'trace'))
  writeFileSync(join(one.state, 'trace/2026-11-21.org'), '* One\n')
  const file = join(one.dir, 'backup.tar.gz')
  expect(await runBackup(['backup', file], one.env)).toEqual([
    expect.stringMatching(/^[4-9] files/),
    0,
  ])
  expect((await runBackup(['backup', file], one.env))[1]).toBe(1)
  expect((await runBackup(['restore', file], one.env))[0]).toContain('passepartout stop')
  await daemon.stop()
  expect((await runBackup(['restore', file], one.env))[0]).toContain('--move-aside')
  const two = home('two')
  const [text, code] = await runBackup(['restore', file], two.env)
  expect([code, text]).toEqual([0, expect.stringContaining('config.org is restored')])
  expect(readdirSync(two.state).sort()).toEqual(
    expect.arrayContaining(['events.db', 'memory.db', 'trace']),
  )
  const restored = openEventState(join(two.state, 'events.db'))
  onTestFinished(() => restored.close())
  expect(restored.isPaused('a')).toBe(true)
  const database = readDatabase(two.state)!
  onTestFinished(() => database.close())
  expect(database.connection.prepare('SELECT path FROM files').all()).toMatchObject([
    { path: 'a.org' },
  ])
  const again = await runBackup(['restore', '--move-aside', file], two.env)
  expect(again).toEqual([expect.stringContaining('was left as it is'), 0])
  expect(readdirSync(join(two.dir, 'state'))).toHaveLength(2)
})

test('a restore that was killed is told, and done again', async () => {
  const { dir, env, state } = home('killed')
  const start = () => startDaemon(readDaemonConfig(env), '0.0.0', { say: () => {} })
  await (await start()).stop()
  const file = join(dir, 'backup.tar.gz')
  await runBackup(['backup', file], env)
  renameSync(state, `${state}.before-20261121`)
  mkdirSync(`${restorePrefix(state)}left/state`, { recursive: true })
  await expect(start()).rejects.toThrow(/A restore into .* was ended in the middle/)
  expect(existsSync(state)).toBe(false)
  expect((await runBackup(['restore', file], env))[1]).toBe(0)
  expect(readdirSync(join(dir, 'state')).sort()).toEqual([
    'passepartout',
    'passepartout.before-20261121',
  ])
  await (await start()).stop()
})

/** Changes the memory in an unpacked backup, and the manifest with it. */
function changed(folder: string, change: (path: string) => void): void {
  const path = join(folder, 'state/memory.db')
  change(path)
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const bytes = existsSync(path) ? readFileSync(path) : null
  const sha256 = bytes === null ? '' : createHash('sha256').update(bytes).digest('hex')
  const files = bytes === null ? [] : [{ path: 'state/memory.db', size: bytes.length, sha256 }]
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, files }))
}

const firstSchema = `
CREATE TABLE versions (hash TEXT PRIMARY KEY, facts TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE changes (id TEXT NOT NULL, at INTEGER NOT NULL, hash TEXT, author TEXT NOT NULL,
  signal TEXT, outside INTEGER NOT NULL, file TEXT NOT NULL);
CREATE INDEX changes_of ON changes (id);
CREATE TABLE shapes (digest TEXT PRIMARY KEY, outline TEXT NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT, hash TEXT NOT NULL, shape TEXT NOT NULL);
CREATE TABLE snapshots (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE snapshot_files (name TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL,
  shape TEXT NOT NULL, PRIMARY KEY (name, path));
INSERT INTO snapshots VALUES ('spring', 2000);
PRAGMA user_version = 1;`

test('an archive of the first schema is brought up to date', async () => {
  const one = home('one')
  const daemon = await startDaemon(readDaemonConfig(one.env), '0.0.0', { say: () => {} })
  await daemon.stop()
  const file = join(one.dir, 'backup.tar.gz')
  await runBackup(['backup', file], one.env)
  const folder = join(one.dir, 'unpacked')
  mkdirSync(folder)
  execFileSync('tar', ['-xzf', file, '-C', folder])
  for (const name of readdirSync(join(folder, 'state')))
    rmSync(join(folder, 'state', name), { recursive: true })
  changed(folder, (path) => {
    const old = new DatabaseSync(path)
    old.exec(firstSchema)
    old.close()
  })
  const archive = join(one.dir, 'old.tar.gz')
  execFileSync('tar', ['-czf', archive, '-C', folder, '.'])
  const two = home('two')
  expect(await runBackup(['restore', archive], two.env)).toEqual([
    expect.stringContaining('1 files'),
    0,
  ])
  const again = await startDaemon(readDaemonConfig(two.env), '0.0.0', { say: () => {} })
  const { database } = again.runtime
  expect(savedSnapshots(database!).map(({ name }) => name)).toContain('spring')
  await again.stop()
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
    'later version made it': (folder) => {
      const path = join(folder, 'manifest.json')
      writeFileSync(path, readFileSync(path, 'utf8').replace('"format": 1', '"format": 2'))
    },
    'later version of Passepartout': (folder) =>
      changed(folder, (path) => {
        const db = new DatabaseSync(path)
        db.exec('PRAGMA user_version = 99')
        db.close()
      }),
    'no memory in it': (folder) => changed(folder, (path) => rmSync(path)),
  }
  for (const [reason, change] of Object.entries(changes)) {
    const folder = mkdtempSync(join(one.dir, 'changed-'))
    execFileSync('tar', ['-xzf', file, '-C', folder])
    change(folder)
    const archive = `${folder}.tar.gz`
    execFileSync('tar', ['-czf', archive, '-C', folder, '.'])
    const two = home('two')
    expect(await runBackup(['restore', archive], two.env)).toEqual([
      expect.stringContaining(reason),
      1,
    ])
    expect(existsSync(two.state)).toBe(false)
  }
})

test('a name that leads out is not unpacked', async () => {
  const one = home('one')
  mkdirSync(join(one.dir, 'a/b'), { recursive: true })
  writeFileSync(join(one.dir, 'evil.org'), 'evil')
  for (const name of ['../../evil.org', join(one.dir, 'evil.org')]) {
    const archive = join(one.dir, 'evil.tar.gz')
    execFileSync('tar', ['-czPf', archive, '-C', join(one.dir, 'a/b'), name])
    const two = home('two')
    const [text, code] = await runBackup(['restore', archive], two.env)
    expect([code, text]).toEqual([1, expect.stringContaining('does not belong into a backup')])
    expect(existsSync(join(two.dir, 'evil.org'))).toBe(false)
  }
})

test('a damaged memory is not backed up', async () => {
  const one = home('one')
  const daemon = await startDaemon(readDaemonConfig(one.env), '0.0.0', { say: () => {} })
  await daemon.stop()
  const file = openSync(join(one.state, 'memory.db'), 'r+')
  writeSync(file, Buffer.alloc(8_192), 0, 8_192, 8_192)
  closeSync(file)
  const backup = join(one.dir, 'backup.tar.gz')
  expect(await runBackup(['backup', backup], one.env)).toEqual([
    expect.stringContaining('doctor --fix'),
    1,
  ])
  expect(existsSync(backup)).toBe(false)
})
