import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVectors } from '../../src/search/vector-store.ts'

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'vectors-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('vectors are kept by model and text', () => {
  const directory = folder()
  const kept = openVectors(directory)
  kept.put('m', [
    ['a', Float32Array.of(0, 3)],
    ['b', Float32Array.of(1, 0)],
  ])
  kept.put('n', [['a', Float32Array.of(1, 0, 0)]])
  kept.remove('m', ['b', 'none'])
  kept.close()
  const again = openVectors(directory)
  expect(again.models()).toEqual([
    { model: 'm', dimension: 2, count: 1 },
    { model: 'n', dimension: 3, count: 1 },
  ])
  expect(again.load('m')!.get('a')).toEqual(Float32Array.of(0, 1))
  expect(again.load('other')).toBeNull()
  again.removeModel('m')
  expect(again.models().map(({ model }) => model)).toEqual(['n'])
  again.close()
})

test('a damaged file is begun anew', () => {
  const directory = folder()
  writeFileSync(join(directory, 'vectors.db'), 'nonsense '.repeat(1_000))
  const kept = openVectors(directory)
  expect(kept.models()).toEqual([])
  kept.put('m', [['a', Float32Array.of(1)]])
  expect(kept.load('m')?.size).toBe(1)
  kept.close()
})
