import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  findDocument,
  hashOf,
  keepProposal,
  type ProposalRecord,
  readRecord,
  readRecords,
  readText,
  swapDocument,
} from '../../src/improve/keeping.ts'

function place() {
  const dir = mkdtempSync(join(tmpdir(), 'keeping-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const skills = join(dir, 'skills')
  mkdirSync(skills)
  const path = join(skills, 'guard.org')
  writeFileSync(path, 'old\n')
  return {
    dir,
    path,
    kept: join(dir, 'kept'),
    places: { folders: [{ path: skills, isOwners: true }] },
  }
}

const record: ProposalRecord = {
  kind: 'change',
  skill: 'guard',
  path: '/skills/guard.org',
  base: hashOf('old\n'),
  proposal: hashOf('new\n'),
  provider: 'model',
  why: 'It was broken.',
  lines: [],
  state: 'proposed',
  at: '2026-11-22T12:00:00.000Z',
}

test('a proposal is kept under its hash', () => {
  const { kept } = place()
  expect(readRecords(kept)).toEqual([])
  keepProposal(kept, record, { base: 'old\n', proposed: 'new\n' })
  expect(readRecords(kept)).toEqual([record])
  expect(readText(kept, record.proposal)).toBe('new\n')
  writeFileSync(join(kept, `${record.proposal}.org`), 'evil\n')
  expect(readText(kept, record.proposal)).toBeNull()
  writeFileSync(join(kept, `${record.proposal}.json`), JSON.stringify({ ...record, state: 'good' }))
  expect(readRecord(kept, record.proposal)).toBeNull()
  expect(readRecord(kept, '../../etc/passwd')).toBeNull()
})

test('a document is taken only in the place of the one that was meant', () => {
  const { dir, path, places } = place()
  const take = (where: string, base: string) => () =>
    swapDocument(places, where, hashOf(base), 'new\n')
  expect(take(path, 'other\n')).toThrow('has changed since')
  expect(take(join(dir, 'guard.org'), 'old\n')).toThrow('in no folder')
  expect(take(join(dir, 'skills', '..', 'guard.org'), 'old\n')).toThrow('in no folder')
  expect(take(path, '')).toThrow('is there already')
  expect(readFileSync(path, 'utf8')).toBe('old\n')
  take(path, 'old\n')()
  expect(readFileSync(path, 'utf8')).toBe('new\n')
  take(join(dir, 'skills/other.org'), '')()
  expect(findDocument(places, 'other')?.text).toBe('new\n')
})

test('a link is no document', () => {
  const { dir, places } = place()
  writeFileSync(join(dir, 'secret.org'), 'secret\n')
  symlinkSync(join(dir, 'secret.org'), join(dir, 'skills/link.org'))
  expect(findDocument(places, 'link')).toBeNull()
  expect(findDocument(places, '../secret')).toBeNull()
  const through = join(dir, 'skills/link.org')
  expect(() => swapDocument(places, through, hashOf('secret\n'), 'x')).toThrow('has changed')
  expect(readFileSync(join(dir, 'secret.org'), 'utf8')).toBe('secret\n')
})
