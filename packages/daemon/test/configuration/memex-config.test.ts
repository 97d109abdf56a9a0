import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import { memexFolder, memexSection } from '../../src/configuration/memex-config.ts'

test('the notes are where the owner says', () => {
  const home = mkdtempSync(join(tmpdir(), 'memex-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const name of ['notes', 'other']) mkdirSync(join(home, name))
  const other = { MEMEX_DIR: join(home, 'other') }
  expect(memexFolder({}, ['~/notes'], home)).toBe(join(home, 'notes'))
  expect(memexFolder(other, ['~/notes'], home)).toBe(join(home, 'other'))
  expect(() => memexFolder({}, [], home)).toThrow('Which notes?')
  expect(() => memexFolder({}, ['~/none'], home)).toThrow(':MEMEX: of config.org names')
  expect(() => memexFolder({ MEMEX_DIR: '/none' }, [], home)).toThrow('which MEMEX_DIR names')
  const entry = (path: string) => `* N\n:PROPERTIES:\n:MEMEX: ${path}\n:END:\n`
  const read = (path: string) => readConfig(entry(path), 'c', { memex: memexSection })
  expect(read('~/notes').sections.memex).toEqual(['~/notes'])
  expect(read('notes').problems[0]?.message).toContain('begins with / or ~/')
})
