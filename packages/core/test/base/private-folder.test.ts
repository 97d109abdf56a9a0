import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FolderError, keepPrivate } from '../../src/base/private-folder.ts'

function folder(mode = 0o700): string {
  const dir = mkdtempSync(join(tmpdir(), 'private-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'f'))
  chmodSync(join(dir, 'f'), mode)
  return join(dir, 'f')
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a mode is mended, and told when others could write', () => {
  for (const mode of [0o700, 0o755, 0o777, 0o702, 0o711]) {
    const path = folder(mode)
    const { said, wasOpen } = keepPrivate(path, 'secret')
    expect([mode, modeOf(path), wasOpen]).toEqual([mode, 0o700, (mode & 0o002) !== 0])
    expect(said.filter((line) => line.includes(`mode ${mode.toString(8)}`))).toHaveLength(
      wasOpen ? 1 : 0,
    )
    const other = folder(mode)
    keepPrivate(other, 'trusted')
    expect([mode, modeOf(other)]).toEqual([mode, mode & ~0o022])
  }
  const fresh = join(folder(), 'a/b')
  expect(keepPrivate(fresh, 'secret')).toEqual({ said: [], wasOpen: false })
  expect(modeOf(fresh)).toBe(0o700)
  const linked = join(folder(), 'link')
  const target = folder(0o777)
  symlinkSync(target, linked)
  expect(keepPrivate(linked, 'secret').wasOpen).toBe(true)
  expect(modeOf(target)).toBe(0o700)
  expect(keepPrivate('/no/such/folder', 'trusted').said).toEqual([])
})

test('a folder that everybody may write above it is told', () => {
  const path = folder()
  chmodSync(join(path, '..'), 0o777)
  expect(keepPrivate(path, 'secret').said).toEqual([expect.stringContaining('chmod o-w')])
})

test.runIf(process.getuid?.() === 0)('what is somebody else’s is not used', () => {
  const theirs = folder()
  chownSync(theirs, 4_321, 4_321)
  expect(() => keepPrivate(theirs, 'secret')).toThrow(FolderError)
  const planted = folder(0o777)
  writeFileSync(join(planted, 'token'), 'x')
  lchownSync(join(planted, 'token'), 4_321, 4_321)
  expect(() => keepPrivate(planted, 'trusted')).toThrow('token belongs to user 4321')
  const link = join(folder(), 'link')
  symlinkSync(folder(), link)
  lchownSync(link, 4_321, 4_321)
  expect(() => keepPrivate(link, 'secret')).toThrow(FolderError)
})
