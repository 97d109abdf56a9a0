import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDaemon, stateDirectory } from '@passepartout/core/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { endProcess, preloads, spawnDaemon } from '../../src/session/daemon-process.ts'

function environment(memex?: string): Record<string, string | undefined> {
  const state = mkdtempSync(join(tmpdir(), 'state-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: state,
    XDG_STATE_HOME: state,
    MEMEX_DIR: memex ?? state,
  }
}

test('a daemon is ready when it says so, and gone when it was ended', async () => {
  const env = environment()
  const { child, port } = await spawnDaemon(env)
  expect(findDaemon(stateDirectory(env))).toMatchObject({ pid: child.pid, port })
  expect(await endProcess(child.pid!)).toBe('ended')
  expect(findDaemon(stateDirectory(env))).toBeNull()
  expect(await endProcess(child.pid!)).toBe('gone')
})

test('what a daemon has to say at its start is handed on', async () => {
  const env = environment()
  const folder = join(env.HOME ?? '', '.config/passepartout')
  mkdirSync(folder, { recursive: true })
  const model = '* Big\n:PROPERTIES:\n:PROVIDER: anthropic\n:END:\n'
  writeFileSync(join(folder, 'config.org'), model)
  const { child, warnings } = await spawnDaemon(env)
  expect(warnings).toMatch(/config\.org:\d+: error: :MODEL:/)
  await endProcess(child.pid!)
})

test('a daemon that does not start says why', async () => {
  await expect(spawnDaemon(environment('/nowhere'))).rejects.toThrow('MEMEX_DIR')
})

test('what was loaded first is loaded first by the daemon', () => {
  const flags = ['--inspect=0', '--import', 'a', '--conditions=b', '--import=c']
  expect(preloads(flags)).toEqual(['--import', 'a', '--import=c'])
})
