import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fileBytesMax, readText, writeText } from '../../src/common/text-files.ts'

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'texts-')))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('what is no text is told in a sentence', () => {
  const dir = folder()
  const of = (name: string) => readText(join(dir, name), name)
  writeFileSync(join(dir, 'a'), '\ufeffäöü\r\n')
  expect(of('a')).toBe('\ufeffäöü\r\n')
  expect(of('none')).toBeNull()
  writeFileSync(join(dir, 'photo'), Buffer.from([137, 80, 0, 71]))
  expect(() => of('photo')).toThrow('photo is binary')
  writeFileSync(join(dir, 'latin'), Buffer.from([0xe4, 10]))
  expect(() => of('latin')).toThrow('not UTF-8')
  writeFileSync(join(dir, 'log'), '')
  truncateSync(join(dir, 'log'), fileBytesMax + 1)
  expect(() => of('log')).toThrow('search-files finds lines')
  expect(() => of('')).toThrow('is a folder')
  symlinkSync('a', join(dir, 'link'))
  expect(() => of('link')).toThrow('ELOOP')
  execFileSync('mkfifo', [join(dir, 'pipe')])
  expect(() => of('pipe')).toThrow('no ordinary file')
})

test('a file keeps its mode, and one that has changed is left alone', () => {
  const dir = folder()
  const place = { file: join(dir, 'run.sh'), shown: 'run.sh' }
  writeText(place, null, 'a\n')
  expect(() => writeText(place, null, 'b\n')).toThrow('changed in the meantime')
  chmodSync(place.file, 0o755)
  writeText(place, 'a\n', 'b\n')
  expect([readFileSync(place.file, 'utf8'), statSync(place.file).mode & 0o777]).toEqual([
    'b\n',
    0o755,
  ])
  expect(() => writeText(place, 'a\n', 'c\n')).toThrow('run.sh was changed in the meantime')
  rmSync(place.file)
  expect(() => writeText(place, 'b\n', 'c\n')).toThrow('run.sh')
  writeText({ file: join(dir, 'x/y/z'), shown: 'z' }, null, 'z')
  expect(readdirSync(dir)).toEqual(['x'])
})

test('nobody writes through a link or over unsaved changes', () => {
  const dir = folder()
  writeFileSync(join(dir, 'target'), 'a')
  symlinkSync('target', join(dir, 'link'))
  symlinkSync('.', join(dir, 'here'))
  expect(() => writeText({ file: join(dir, 'link'), shown: 'link' }, 'a', 'b')).toThrow('ELOOP')
  const around = { file: join(dir, 'here/new'), shown: 'new' }
  expect(() => writeText(around, null, 'b')).toThrow('leads elsewhere')
  symlinkSync(`ann@${hostname()}.${process.pid}`, join(dir, '.#target'))
  const locked = { file: join(dir, 'target'), shown: 'target' }
  expect(() => writeText(locked, 'a', 'b')).toThrow('unsaved changes by ann')
  expect(readdirSync(dir).sort()).toEqual(['.#target', 'here', 'link', 'target'])
})
