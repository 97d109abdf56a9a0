import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keyName } from '../../src/command/setup.ts'

const program = join(import.meta.dirname, '../../src/command/passepartout.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

test('a setup without questions', { timeout: 60_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'wizard-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: home,
  }
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [...flags, program, ...args], { env, encoding: 'utf8' })
  expect(run('setup', '--memex', join(home, 'notes'))).toMatchObject({ status: 0 })
  const written = readFileSync(join(home, '.config/passepartout/config.org'), 'utf8')
  expect(written).toContain(':MEMEX: ~/notes')
  const { status, stdout } = run('doctor', '--json')
  expect([status, stdout.includes('"level":"error"')]).toEqual([0, false])
})

test('a key goes into the vault and nowhere else', { timeout: 60_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'wizard-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: home,
  }
  const run = (args: string[], input = '') =>
    spawnSync(process.execPath, [...flags, program, ...args], { env, input, encoding: 'utf8' })
  const name = keyName('openai-compatible')
  expect(run(['vault', 'set', name], 'correct-horse-battery')).toMatchObject({ status: 0 })
  const model = ['--provider', 'anthropic', '--model', 'm', '--key-vault', name]
  const { stdout } = run(['setup', '--memex', join(home, 'notes'), ...model])
  expect(stdout).toContain('models: 1')
  const config = readFileSync(join(home, '.config/passepartout/config.org'), 'utf8')
  expect([config.includes(name), config.includes('horse')]).toEqual([true, false])
})
