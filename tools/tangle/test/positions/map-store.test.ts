import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hash, keepMap, keptMap } from '../../src/positions/map-store.ts'

test('a kept map is not stale', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'maps-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const path = join(root, 'src/a.js')
  const document = join(root, 'a.org')
  writeFileSync(document, 'text')
  const map = { version: 3 as const, file: 'x', sources: ['y'], names: [], mappings: '' }
  const from = { document, text: 'text' }
  const kept = keepMap(root, { path, sum: hash('code') }, from, map)
  expect(keptMap(root, path, hash('code'))).toEqual(kept)
  expect(keptMap(root, path, hash('other'))).toBeNull()
  writeFileSync(document, 'changed')
  expect(keptMap(root, path, hash('code'))).toBeNull()
  expect(readFileSync(join(root, '.cache/org-tangle/.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(join(root, '.cache/org-tangle/maps/src'))).toHaveLength(1)
})
