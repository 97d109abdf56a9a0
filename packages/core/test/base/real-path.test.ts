import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pathFollower } from '../../src/base/real-path.ts'

function emptyFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'real-path-')))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('a path leads where the system says that it leads', () => {
  const dir = emptyFolder()
  mkdirSync(join(dir, 'a/b'), { recursive: true })
  writeFileSync(join(dir, 'a/b/file'), '')
  symlinkSync('a/b', join(dir, 'short'))
  symlinkSync('../short/../b/file', join(dir, 'a/back'))
  symlinkSync(join(dir, 'short'), join(dir, 'a/b/far'))
  const follow = pathFollower()
  for (const path of ['a', 'short/file', 'a/back', 'a/b/far/far/file', 'a/../short', 'a/./b/']) {
    expect(follow(join(dir, path))).toBe(realpathSync.native(join(dir, path)))
    expect(follow(`${dir}/${path}`)).toBe(follow(join(dir, path)))
  }
})

test('a link is followed even to what does not exist yet', () => {
  const dir = emptyFolder()
  symlinkSync('/etc', join(dir, 'notes'))
  symlinkSync('/etc/no-such-file', join(dir, 'new'))
  symlinkSync('new', join(dir, 'newer'))
  symlinkSync('circle', join(dir, 'circle'))
  const follow = pathFollower()
  expect(follow(join(dir, 'notes/new/file'))).toBe('/etc/new/file')
  expect(follow(join(dir, 'new'))).toBe('/etc/no-such-file')
  expect(follow(join(dir, 'newer'))).toBe('/etc/no-such-file')
  expect(follow(join(dir, 'circle/x'))).toBe(join(dir, 'circle/x'))
  expect(follow('/nowhere/../etc')).toBe('/etc')
  expect(follow('/a\0b')).toBe('/a\0b')
})
