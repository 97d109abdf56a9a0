import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const program = join(import.meta.dirname, '../src/passepartout.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

test('a setup without questions', { timeout: 30_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'wizard-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const env = { PATH: process.env.PATH, HOME: home }
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [...flags, program, ...args], { env, encoding: 'utf8' })
  expect(run('setup', '--memex', join(home, 'notes'))).toMatchObject({ status: 0 })
  const written = readFileSync(join(home, '.config/passepartout/config.org'), 'utf8')
  expect(written).toContain(':MEMEX: ~/notes')
  const { status, stdout } = run('doctor', '--json')
  expect([status, stdout.includes('"level":"error"')]).toEqual([0, false])
})
