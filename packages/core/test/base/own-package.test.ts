import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownPackage, ownVersion } from '../../src/base/own-package.ts'

test('a manifest is found upwards', () => {
  const root = mkdtempSync(join(tmpdir(), 'own-package-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src/room'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{ "version": "1.2.3" }')
  for (const folder of ['.', 'src', 'src/room']) {
    expect(ownPackage(join(root, folder))).toBe(join(root, 'package.json'))
    expect(ownVersion(join(root, folder))).toBe('1.2.3')
  }
})
