import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readWitness, shortfall, writeWitness } from '../../src/memory/witness.ts'

const names = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`)

test.each([
  [{ commits: 3, snapshots: ['a'] }, { commits: 4, snapshots: ['b', 'a'] }, null],
  [{ commits: 3, snapshots: [] }, { commits: 2, snapshots: [] }, 'the last change'],
  [
    { commits: 9, snapshots: ['a'] },
    { commits: 2, snapshots: [] },
    'the last 7 changes and the snapshot a',
  ],
  [{ commits: 0, snapshots: ['a', 'b'] }, { commits: 0, snapshots: [] }, 'the snapshots a, b'],
  [
    { commits: 0, snapshots: names(10) },
    { commits: 0, snapshots: ['s0'] },
    `the snapshots ${names(10).slice(1).join(', ')}`,
  ],
  [
    { commits: 0, snapshots: names(11) },
    { commits: 0, snapshots: [] },
    `the snapshots ${names(9).join(', ')} and 2 more`,
  ],
])('%o of %o', (witness, held, missing) => {
  expect(shortfall(witness, held)).toBe(missing)
})

test('what was attested is read again, by its owner only', () => {
  const dir = mkdtempSync(join(tmpdir(), 'witness-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  expect(readWitness(dir)).toBeNull()
  const witness = { commits: 3, snapshots: ['a'], lost: null }
  writeWitness(dir, witness)
  expect(readWitness(dir)).toEqual(witness)
  expect(statSync(join(dir, 'memory.witness')).mode & 0o777).toBe(0o600)
  writeFileSync(join(dir, 'memory.witness'), '{"commits": ')
  expect(readWitness(dir)).toBeNull()
})
