import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { unitPlaces, unitText, writeUnit } from '../../src/lifecycle/systemd-unit.ts'

function owner(folder: string) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'unit-')))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const memex = join(base, folder)
  mkdirSync(memex, { recursive: true })
  return { base, memex, env: { HOME: join(base, 'home'), MEMEX_DIR: memex } }
}

function pathsIn(text: string): string[] {
  const lines = [...text.matchAll(/^ReadWritePaths=(["'])-(.*)\1$/gm)]
  return lines.map(([, , path]) => path!.replaceAll('%%', '%'))
}

const folders = ['srv/notes', 'my notes', '100%/notes', "Ann's notes", 'a"b', 'ü/日記', 'no$tes']

test.each(folders)('the notes in %s can be written', (folder) => {
  const { env, memex } = owner(folder)
  const text = unitText('/node', '/d.ts', unitPlaces(env))
  expect(pathsIn(text)).toContain(memex)
  expect(text).toContain('PrivateTmp=no')
  expect(text).toMatch(/^Environment="MEMEX_DIR=/m)
})

test('a link is followed, a workspace counts, and what is in the home needs no line', () => {
  const { base, env, memex } = owner('disk/notes')
  const link = join(base, 'link')
  symlinkSync(memex, link)
  mkdirSync(join(base, 'home/.config/passepartout'), { recursive: true })
  const config = `* Work\n:PROPERTIES:\n:WORKSPACE: ${base}/work\n:END:\n`
  writeFileSync(join(base, 'home/.config/passepartout/config.org'), config)
  const { writes } = unitPlaces({ ...env, MEMEX_DIR: link })
  expect(writes).toEqual(expect.arrayContaining([link, memex, join(base, 'work')]))
  const home = mkdtempSync(join(homedir(), '.unit-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  expect(unitPlaces({ HOME: homedir(), MEMEX_DIR: home }).writes).toEqual([])
  expect(() => unitText('/n', '/d', { writes: ['/a\nExecStart=/evil'], environment: {} })).toThrow(
    'cannot name the folder',
  )
})

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

test.runIf(checker).each(folders)('systemd reads the unit for notes in %s', (folder) => {
  const { base, env } = owner(folder)
  writeUnit(env, true)
  const path = join(base, 'home/.config/systemd/user/passepartout.service')
  expect(readFileSync(path, 'utf8')).toContain('ReadWritePaths=')
  const session = { PATH: process.env.PATH, HOME: base, XDG_RUNTIME_DIR: base }
  const words = ['--user', '--man=no', 'verify', path]
  const { status, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8', env: session })
  const faults = stderr.split('\n').filter((line) => line.includes('passepartout.service:'))
  expect([status, faults]).toEqual([0, []])
})
