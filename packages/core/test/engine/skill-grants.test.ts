import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Grant, readGrants, writeGrant } from '../../src/engine/skill-grants.ts'

function emptyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grants-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'passepartout', 'skills.org')
}

const grant: Grant = {
  name: 'night-guard',
  capabilities: ['call:search', 'gates'],
  from: 'owner',
  hash: 'a'.repeat(64),
  isEnabled: true,
}

test('a grant is written and read', () => {
  const path = emptyFile()
  expect(readGrants(path).size).toBe(0)
  writeGrant(path, grant)
  writeGrant(path, { ...grant, name: 'other', from: 'elsewhere', capabilities: [] })
  const edited = readFileSync(path, 'utf8').replace('* other', 'I trust this one.\n* other')
  writeFileSync(path, edited)
  writeGrant(path, { ...grant, isEnabled: false })
  expect([...readGrants(path).values()]).toEqual([
    { ...grant, isEnabled: false },
    { ...grant, name: 'other', from: 'elsewhere', capabilities: [] },
  ])
  expect(readFileSync(path, 'utf8')).toContain('I trust this one.\n* other')
  expect(statSync(path).mode & 0o077).toBe(0)
})

test.each([
  ['a word that is none', 'gates', 'gates network'],
  ['no state', 'enabled', 'perhaps'],
  ['half a hash', 'aaaaaaaa', 'b'],
  ['a twin', '* night-guard', '* night-guard\n:PROPERTIES:\n:HASH: x\n:END:\n* night-guard'],
])('%s grants nothing, or nothing more', (name, from, to) => {
  const path = emptyFile()
  writeGrant(path, grant)
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  expect(readGrants(path).size).toBe(name === 'a twin' ? 1 : 0)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text + text)
  expect(readGrants(path).size).toBe(0)
})
