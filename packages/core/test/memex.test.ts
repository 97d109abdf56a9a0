import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../src/memex.ts'

function folder(files: Record<string, string | Buffer>): string {
  const dir = mkdtempSync(join(tmpdir(), 'memex-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

test('hidden files, other files and links are not notes', () => {
  const dir = folder({ 'b.org': '', 'a/c.org': '', '.git/d.org': '', 'e.txt': '', '.f.org': '' })
  symlinkSync('/etc', join(dir, 'etc'))
  symlinkSync(join(dir, 'b.org'), join(dir, 'twin.org'))
  expect(openMemex(dir).files()).toEqual(['a/c.org', 'b.org'])
})

test.each([
  '../secret.org',
  '/etc/passwd',
  'a/../../secret.org',
  'out/secret.org',
  'link.org',
  '.git/x.org',
  'b.txt',
  'b.org\0.txt',
])('%j does not exist', (path) => {
  const outside = folder({ 'secret.org': 'secret' })
  const dir = folder({ 'b.org': '', 'b.txt': '', '.git/x.org': '' })
  symlinkSync(outside, join(dir, 'out'))
  symlinkSync(join(outside, 'secret.org'), join(dir, 'link.org'))
  expect(() => openMemex(dir).read(path)).toThrow('not a note')
  expect(() => openMemex(dir).patch(path, 'secret', [{ begin: 0, end: 0, text: 'x' }])).toThrow()
  expect(readFileSync(join(outside, 'secret.org'), 'utf8')).toBe('secret')
})

test('what is not text is refused, and a missing file is told', () => {
  const memex = openMemex(folder({ 'b.org': Buffer.from([0x2a, 0x20, 0xff]) }))
  expect(() => memex.read('b.org')).toThrow('not UTF-8')
  expect(() => memex.read('c.org')).toThrow('There is no c.org')
})

test('a patch changes what it says, and leaves nothing behind', () => {
  const text = '\uFEFF* One\r\n* Two\r\n'
  const dir = folder({ 'b.org': text })
  openMemex(dir).patch('b.org', text, [{ begin: 3, end: 6, text: 'Uno' }])
  expect(readFileSync(join(dir, 'b.org'), 'utf8')).toBe('\uFEFF* Uno\r\n* Two\r\n')
  expect(readdirSync(dir)).toEqual(['b.org'])
})

test('a file that changed underneath is not touched', () => {
  const dir = folder({ 'b.org': 'old' })
  const memex = openMemex(dir)
  const text = memex.read('b.org')
  writeFileSync(join(dir, 'b.org'), 'typed by the owner')
  expect(() => memex.patch('b.org', text, [{ begin: 0, end: 3, text: 'new' }])).toThrow(
    expect.objectContaining({ code: 'changed-underneath' }),
  )
  expect(readFileSync(join(dir, 'b.org'), 'utf8')).toBe('typed by the owner')
})
