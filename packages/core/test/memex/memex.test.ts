import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MemexError, openMemex, withoutFiles } from '../../src/memex/memex.ts'
import { handClock } from '../base/hand-clock.ts'

function folder(files: Record<string, string | Buffer>): string {
  const dir = mkdtempSync(join(tmpdir(), 'memex-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

/** Runs code with a `memex` in another process, inside a shell command. Gives what it printed. */
function elsewhere(dir: string, code: string, command = 'exec "$@"'): string {
  const module = JSON.stringify(new URL('../../src/memex/memex.ts', import.meta.url))
  const script = `const { openMemex } = await import(${module})
    const memex = openMemex(${JSON.stringify(dir)})
    try { ${code} } catch (error) { console.log(error.code) }`
  const flags = ['--conditions=@passepartout/source', '--input-type=module', '--eval', script]
  const words = ['-c', command, 'sh', process.execPath, ...flags]
  return execFileSync('sh', words, { encoding: 'utf8', timeout: 20_000 })
}

const bound =
  process.getuid?.() === 0
    ? 'exec setpriv --bounding-set -dac_override,-dac_read_search "$@"'
    : 'exec "$@"'

test('hidden files, other files and links are not notes', () => {
  const dir = folder({ 'b.org': '', 'a/c.org': '', '.git/d.org': '', 'e.txt': '', '.f.org': '' })
  symlinkSync('/etc', join(dir, 'etc'))
  symlinkSync(join(dir, 'b.org'), join(dir, 'twin.org'))
  expect(openMemex(dir).files()).toEqual(['a/c.org', 'b.org'])
})

test('what the owner’s patterns name is not listed', () => {
  const dir = folder({ '.passepartoutignore': 'mail/\n', 'mail/a.org': '', 'b.org': '' })
  for (const name of ['.#b.org', '#b.org#', 'b.org~']) writeFileSync(join(dir, name), '')
  expect(openMemex(dir).files()).toEqual(['b.org'])
})

test('a folder that may not be opened hides no other', () => {
  const dir = folder({ 'a/c.org': '', 'b.org': '' })
  chmodSync(join(dir, 'a'), 0)
  onTestFinished(() => chmodSync(join(dir, 'a'), 0o700))
  expect(elsewhere(dir, 'console.log(...memex.files())', bound)).toBe('b.org\n')
})

test('a file is had when it is listed', () => {
  const names = ['a/b.org', 'a/.c.org', '.d/e.org', 'f.txt', 'mail/g.org', 'h.org.gpg']
  const dir = folder({ ...Object.fromEntries(names.map((name) => [name, ''])), i: '' })
  writeFileSync(join(dir, '.passepartoutignore'), 'mail/\n')
  symlinkSync('a', join(dir, 'link'))
  mkdirSync(join(dir, 'folder.org'))
  const memex = openMemex(dir)
  const asked = [
    ...names,
    'link/b.org',
    'folder.org',
    './a/b.org',
    'a//b.org',
    '../x.org',
    'none.org',
  ]
  expect(asked.filter((path) => memex.has(path))).toEqual(memex.files())
  expect(memex.unread()).toEqual([{ path: 'h.org.gpg', why: 'encrypted' }])
})

test('a name that is not UTF-8 is told and not listed', () => {
  const dir = folder({ 'b.org': '', 'a\uFFFD.org': '' })
  const latin = (name: string) => Buffer.from(join(dir, name), 'latin1')
  for (const name of ['café.org', 'plan\xE9.txt', 'h\xE9.org.gpg']) writeFileSync(latin(name), 'x')
  mkdirSync(latin('\xE9t\xE9'))
  writeFileSync(latin('\xE9t\xE9/c.org'), '* C\n')
  const memex = openMemex(dir)
  expect(memex.files()).toEqual(['a\uFFFD.org', 'b.org'])
  const found = memex.unread().map(({ path, why }) => `${path} ${why}`)
  const told = ['caf\uFFFD.org', 'h\uFFFD.org.gpg', '\uFFFDt\uFFFD']
  expect(found.sort()).toEqual(told.map((name) => `${name} name not text`).sort())
})

test('what may not be read is told by name', () => {
  const dir = folder({ 'a/c.org': '', 'b.org': '' })
  for (const name of ['a', 'b.org']) chmodSync(join(dir, name), 0)
  onTestFinished(() => chmodSync(join(dir, 'a'), 0o700))
  const code = "for (const { path, why } of memex.unread()) console.log(path + ' ' + why)"
  const found = elsewhere(dir, code, bound).trim().split('\n').sort()
  expect(found).toEqual(['a not permitted', 'b.org not permitted'])
})

test.each([
  '../secret.org',
  '/etc/passwd',
  'a/../../secret.org',
  'out/secret.org',
  'link.org',
  '.git/x.org',
  'notes/x.org',
  'b.txt',
  'b.org\0.txt',
])('%j does not exist', (path) => {
  const outside = folder({ 'secret.org': 'secret' })
  const dir = folder({ 'b.org': '', 'b.txt': '', '.git/x.org': '' })
  symlinkSync('.git', join(dir, 'notes'))
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

test('a folder with the name of a note cannot be read', () => {
  const memex = openMemex(folder({ 'd.org/x.txt': '' }))
  expect(memex.files()).toEqual([])
  expect(() => memex.read('d.org')).toThrow(expect.objectContaining({ code: 'unreadable' }))
})

test('a note that may not be read is told, and not changed', () => {
  const dir = folder({ 'b.org': 'text' })
  chmodSync(join(dir, 'b.org'), 0)
  expect(elsewhere(dir, "memex.read('b.org')", bound)).toBe('unreadable\n')
  const patch = "memex.patch('b.org', 'text', [{ begin: 0, end: 4, text: '' }])"
  expect(elsewhere(dir, patch, bound)).toBe('unreadable\n')
  chmodSync(join(dir, 'b.org'), 0o600)
  expect(openMemex(dir).read('b.org')).toBe('text')
})

test('a folder that may not be written leaves the note as it was', () => {
  const dir = folder({ 'a/b.org': 'text' })
  chmodSync(join(dir, 'a'), 0o500)
  onTestFinished(() => chmodSync(join(dir, 'a'), 0o700))
  const patch = "memex.patch('a/b.org', 'text', [{ begin: 0, end: 4, text: '' }])"
  expect(elsewhere(dir, patch, bound)).toBe('unwritable\n')
  expect(openMemex(dir).read('a/b.org')).toBe('text')
})

test('a pipe with the name of a note is not waited for', { timeout: 30_000 }, () => {
  const dir = folder({})
  execFileSync('mkfifo', [join(dir, 'pipe.org')])
  expect(elsewhere(dir, `memex.read('pipe.org')`)).toBe('unreadable\n')
})

function lateHouse(text: string) {
  const dir = folder({ 'b.org': text })
  const clock = handClock()
  const said: string[] = []
  const memex = openMemex(dir, clock, (sentence) => said.push(sentence.replaceAll(dir, '')))
  const patch = () => memex.patch('b.org', text, [{ begin: 2, end: 3, text: 'B' }])
  const read = () => readFileSync(join(dir, 'b.org'), 'utf8')
  const open = (flags: string) => {
    const handle = openSync(join(dir, 'b.org'), flags)
    onTestFinished(() => closeSync(handle))
    return handle
  }
  return { clock, dir, memex, open, patch, read, said }
}

test('what is appended to a note that was replaced is not lost', () => {
  const { clock, memex, open, patch, read, said } = lateHouse('* A\n')
  const slow = open('a')
  patch()
  writeSync(slow, '* TODO sl')
  memex.files()
  expect([read(), said]).toEqual(['* B\n', []])
  writeSync(slow, 'ow\n* No end')
  memex.files()
  memex.files()
  expect(read()).toBe('* B\n* TODO slow\n')
  expect(said).toEqual([expect.stringContaining('its lines are at the end now')])
  clock.pass(60_000)
  memex.files()
  expect(read()).toBe('* B\n* TODO slow\n* No end')
  writeSync(slow, ' and too late\n')
  memex.files()
  expect(read()).toBe('* B\n* TODO slow\n* No end')
})

test('what cannot be appended is kept beside the note', () => {
  const { clock, dir, memex, open, patch, read, said } = lateHouse('* A\n')
  const other = open('r+')
  patch()
  ftruncateSync(other, 0)
  writeSync(other, '* Other\n', 0)
  memex.files()
  const [beside = ''] = readdirSync(dir).filter((name) => /^b\.org\.~\d+~$/.test(name))
  expect(readFileSync(join(dir, beside), 'utf8')).toBe('* Other\n')
  expect(said).toEqual([expect.stringContaining(`/${beside}.`)])
  expect([read(), memex.files()]).toEqual(['* B\n', ['b.org']])
  clock.pass(60_000)
  memex.files()
  expect(said).toHaveLength(1)
})

test('a bounded number of replaced files stays open', () => {
  const { memex, read } = lateHouse('* A\n')
  const count = () => readdirSync('/proc/self/fd').length
  const before = count()
  for (let at = 0; at < 100; at++)
    memex.patch('b.org', read(), [{ begin: 2, end: 3, text: `${at % 10}` }])
  expect(count() - before).toBeLessThanOrEqual(16)
})

test('a patch changes what it says, and leaves nothing behind', () => {
  const text = '\uFEFF* One\r\n* Two\r\n'
  const dir = folder({ 'b.org': text })
  openMemex(dir).patch('b.org', text, [{ begin: 3, end: 6, text: 'Uno' }])
  expect(readFileSync(join(dir, 'b.org'), 'utf8')).toBe('\uFEFF* Uno\r\n* Two\r\n')
  expect(readdirSync(dir)).toEqual(['b.org'])
})

test('a note with carriage returns alone keeps them', () => {
  const dir = folder({ 'b.org': '* One\r* Two\r' })
  const memex = openMemex(dir)
  const text = memex.read('b.org')
  expect(text).toBe('* One\n* Two\n')
  memex.patch('b.org', text, [{ begin: 6, end: 6, text: 'Between.\n' }])
  expect(readFileSync(join(dir, 'b.org'), 'utf8')).toBe('* One\rBetween.\r* Two\r')
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

test('nor one that changes while the patches are applied', () => {
  const dir = folder({ 'b.org': 'old' })
  const patch = {
    begin: 0,
    end: 3,
    get text() {
      writeFileSync(join(dir, 'b.org'), 'typed by the owner')
      return 'new'
    },
  }
  expect(() => openMemex(dir).patch('b.org', 'old', [patch])).toThrow('in the meantime')
  expect(readFileSync(join(dir, 'b.org'), 'utf8')).toBe('typed by the owner')
  expect(readdirSync(dir)).toEqual(['b.org'])
})

test('a disk without room leaves the old file whole', { timeout: 30_000 }, () => {
  const dir = folder({ 'b.org': 'a'.repeat(20_000) })
  const code = `memex.patch('b.org', memex.read('b.org'), [{ begin: 0, end: 0, text: 'b' }])`
  expect(elsewhere(dir, code, 'ulimit -f 8; exec "$@"')).toBe('unwritable\n')
  expect(readFileSync(join(dir, 'b.org'), 'utf8')).toBe('a'.repeat(20_000))
  expect(readdirSync(dir)).toEqual(['b.org'])
})

test('another folder under the name of the memex is not written', () => {
  const dir = folder({ 'a.org': '* A\n' })
  const memex = openMemex(dir)
  const deeds = [
    () => memex.files(),
    () => memex.has('a.org'),
    () => memex.create('b.org', '* B\n'),
    () => memex.patch('a.org', '* A\n', [{ begin: 2, end: 3, text: 'B' }]),
  ]
  renameSync(dir, `${dir}-away`)
  for (const act of deeds) expect(act).toThrow(/is not there any more\. Nothing is read or written/)
  mkdirSync(dir)
  for (const act of deeds) expect(act).toThrow('is another folder than before')
  expect(readdirSync(dir)).toEqual([])
  rmdirSync(dir)
  renameSync(`${dir}-away`, dir)
  for (const act of deeds) expect(act).not.toThrow()
  expect(memex.files()).toEqual(['a.org', 'b.org'])
})

test('a new note is made, and no old one replaced', () => {
  const dir = folder({ 'a.org': 'mine' })
  const memex = openMemex(dir)
  memex.create('b.org', '* New\n')
  expect(memex.read('b.org')).toBe('* New\n')
  for (const path of ['a.org', 'b.org', 'none/c.org']) {
    expect(() => memex.create(path, 'x')).toThrow(MemexError)
  }
  expect(() => memex.create('../c.org', 'x')).toThrow('not a note')
  expect(() => memex.create('../new/c.org', 'x', 'folders')).toThrow('not a note')
  expect(() => memex.create('.git/c.org', 'x', 'folders')).toThrow('not a note')
  expect(() => memex.create('/c/c.org', 'x', 'folders')).toThrow('not a note')
  expect(() => memex.create('new/.git/c.org', 'x', 'folders')).toThrow('not a note')
  expect(() => memex.create('a.org/c.org', 'x', 'folders')).toThrow('a.org is a file')
  expect(readdirSync(dir).sort()).toEqual(['a.org', 'b.org'])
  expect(memex.read('a.org')).toBe('mine')
  symlinkSync(tmpdir(), join(dir, 'out'))
  expect(() => memex.create('out/new/c.org', 'x', 'folders')).toThrow('not a note')
  memex.create('new/deep/c.org', '* C\n', 'folders')
  expect(memex.read('new/deep/c.org')).toBe('* C\n')
})

test.each(['plans.org', 'PLANS.org', './plans.org', 'plans.org/', '//plans.org', 'ｐlans.org'])(
  'a file that is the daemon’s own is not there as %s',
  (path) => {
    const memex = withoutFiles(openMemex(folder({ 'a.org': '', 'plans.org': 'x' })), ['plans.org'])
    expect(memex.files()).toEqual(['a.org'])
    expect(() => memex.read(path)).toThrow(MemexError)
    expect(() => memex.patch(path, 'x', [{ begin: 0, end: 1, text: 'y' }])).toThrow(MemexError)
    expect(() => memex.create(path, 'y')).toThrow(MemexError)
  },
)
