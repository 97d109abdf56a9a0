import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDaemon } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { ensureToken, readDaemonConfig, startDaemon } from '../src/daemon.ts'

function temporary(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('the configuration comes from the environment, and what is wrong is named', () => {
  const memex = temporary('memex')
  const env = { HOME: '/home/ann', MEMEX_DIR: memex }
  expect(readDaemonConfig(env)).toEqual({
    memexDir: memex,
    stateDir: '/home/ann/.local/state/passepartout',
    home: '/home/ann',
    port: 0,
    openAi: null,
  })
  expect(() => readDaemonConfig({})).toThrow('MEMEX_DIR')
  expect(() => readDaemonConfig({ ...env, MEMEX_DIR: join(memex, 'none') })).toThrow('MEMEX_DIR')
  expect(() => readDaemonConfig({ ...env, PASSEPARTOUT_PORT: '70000' })).toThrow(
    'PASSEPARTOUT_PORT',
  )
})

test('the token is made once, and only its owner can read it', () => {
  const stateDir = join(temporary('state'), 'passepartout')
  const token = ensureToken(stateDir)
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(ensureToken(stateDir)).toBe(token)
  expect(statSync(join(stateDir, 'token')).mode & 0o777).toBe(0o600)
})

test('a daemon answers, will not have a second one, and cleans up', async () => {
  const state = temporary('state')
  const env = { HOME: state, XDG_STATE_HOME: state, MEMEX_DIR: temporary('memex') }
  const config = readDaemonConfig(env)
  const daemon = await startDaemon(config, '0.0.0')
  expect(findDaemon(config.stateDir)).toMatchObject({ port: daemon.port, pid: process.pid })
  await expect(startDaemon(config, '0.0.0')).rejects.toThrow('already running')
  await daemon.stop()
  expect(findDaemon(config.stateDir)).toBeNull()
})
