import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { unitText, writeUnit } from '../src/systemd-unit.ts'

test('a unit is written once', () => {
  const home = mkdtempSync(join(tmpdir(), 'unit-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const env = { HOME: home }
  const path = join(home, '.config/systemd/user/passepartout.service')
  expect(writeUnit(env, true)).toContain('is written')
  expect(readFileSync(path, 'utf8')).toBe(writeUnit(env, false))
  expect(writeUnit(env, true)).toContain('is there.')
  appendFileSync(path, '# mine\n')
  expect(writeUnit(env, true)).toContain('left as it is')
  const exec = /^ExecStart=(.*)$/m.exec(unitText('/opt/my node/100%/node', '/d.ts'))?.[1]
  expect(exec).toMatch(/^"\/opt\/my node\/100%%\/node" --disable/)
})

const checker = spawnSync('systemd-analyze', ['--version']).status === 0

test.runIf(checker)('systemd reads the unit', () => {
  const home = mkdtempSync(join(tmpdir(), 'unit-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  writeUnit({ HOME: home }, true)
  const path = join(home, '.config/systemd/user/passepartout.service')
  const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home }
  const words = ['--user', 'verify', path]
  const { stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8', env })
  expect(stderr).not.toContain('Failed to initialize')
  expect(stderr.split('\n').filter((line) => line.includes('passepartout.service:'))).toEqual([])
})
