import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  cacheDirectory,
  configDirectory,
  leftRestores,
  restorePrefix,
  skillsDirectory,
  stateDirectory,
} from '../../src/base/directories.ts'

test('the folders follow XDG', () => {
  const all = (env: Record<string, string>) =>
    [configDirectory, skillsDirectory, stateDirectory, cacheDirectory].map((of) => of(env))
  expect(all({ HOME: '/h' })).toEqual([
    '/h/.config/passepartout',
    '/h/.local/share/passepartout/skills',
    '/h/.local/state/passepartout',
    '/h/.cache/passepartout',
  ])
  const set = { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s' }
  expect(all({ HOME: '/h', ...set, XDG_CACHE_HOME: '/x' })).toEqual([
    '/c/passepartout',
    '/d/passepartout/skills',
    '/s/passepartout',
    '/x/passepartout',
  ])
  expect(stateDirectory({ HOME: '/h', XDG_STATE_HOME: 's' })).toBe('/h/.local/state/passepartout')
})

test('what a restore has left is found', () => {
  const dir = mkdtempSync(join(tmpdir(), 'directories-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const state = join(dir, 'state/passepartout')
  expect(leftRestores(state)).toEqual([])
  const left = `${restorePrefix(state)}x`
  for (const folder of [left, `${state}.before-1`, join(dir, 'state/.restore-y')])
    mkdirSync(folder, { recursive: true })
  expect(leftRestores(state)).toEqual([left])
})
