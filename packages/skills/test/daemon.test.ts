import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ensureToken, findDaemon, readDaemonConfig, startDaemon } from '../src/daemon.ts'

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

test('what a crash left behind counts for nothing', () => {
  const stateDir = temporary('state')
  expect(findDaemon(stateDir)).toBeNull()
  const announce = (text: string) => writeFileSync(join(stateDir, 'daemon.json'), text)
  announce('{"pid": 4')
  expect(findDaemon(stateDir)).toBeNull()
  announce(JSON.stringify({ pid: 2 ** 30, port: 1, memex: '/m' }))
  expect(findDaemon(stateDir)).toBeNull()
  announce(JSON.stringify({ pid: process.pid, port: 1, memex: '/m' }))
  expect(findDaemon(stateDir)).toMatchObject({ port: 1 })
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
