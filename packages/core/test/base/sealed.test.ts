import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SealedFolder } from '../../src/base/sealed.ts'

const one = '1'.repeat(32)
const two = '2'.repeat(32)

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sealed-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return join(dir, 'approvals')
}

test('a record outlives the daemon, and is closed to others', () => {
  const dir = folder()
  expect(new SealedFolder(dir).contents()).toEqual({ open: [], spent: [], broken: [] })
  new SealedFolder(dir).put(one, { cmd: 'ls' })
  expect(new SealedFolder(dir).contents().open).toEqual([{ id: one, value: { cmd: 'ls' } }])
  const modes = ['', 'key', `${one}.open`].map((name) => statSync(join(dir, name)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600, 0o600])
  expect(readdirSync(dir)).toHaveLength(2)
})

test('a record is spent once, by one of two daemons, backups notwithstanding', () => {
  const dir = folder()
  const first = new SealedFolder(dir)
  first.put(one, 1)
  copyFileSync(join(dir, `${one}.open`), join(dir, 'backup'))
  const second = new SealedFolder(dir)
  expect([second.spend(one), first.spend(one), second.spend(one)]).toEqual([true, false, false])
  copyFileSync(join(dir, 'backup'), join(dir, `${one}.open`))
  expect(first.spend(one)).toBe(false)
  first.bury(one)
  expect(first.contents().spent).toEqual([])
})

test('of many processes one spends a record', { timeout: 60_000 }, () => {
  const dir = folder()
  new SealedFolder(dir).put(one, 1)
  const module = JSON.stringify(new URL('../../src/base/sealed.ts', import.meta.url))
  const script = `const { SealedFolder } = await import(${module})
    console.log(new SealedFolder(process.argv.at(-1)).spend('${one}'))`
  const flags = '--conditions=@passepartout/source --input-type=module --eval'
  const run = `"$0" ${flags} "$1" -- "$2" &`
  const command = `${run.repeat(4)} wait`
  const out = execFileSync('sh', ['-c', command, process.execPath, script, dir])
  expect(out.toString().trim().split('\n').sort()).toEqual(['false', 'false', 'false', 'true'])
})

test.each([
  ['its value', (text: string) => text.replace('ls', 'rm')],
  ['its seal', (text: string) => text.replace(/^./, 'g')],
  ['its end', (text: string) => text.slice(0, -2)],
  ['all of it', () => ''],
])('a record with %s changed is set aside', (_, change) => {
  const dir = folder()
  new SealedFolder(dir).put(one, { cmd: 'ls' })
  const path = join(dir, `${one}.open`)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
  const { open, broken } = new SealedFolder(dir).contents()
  expect({ open, broken }).toEqual({ open: [], broken: [one] })
  expect(new SealedFolder(dir).spend(one)).toBe(false)
})

test('a record under another name, or under an open key, is none', () => {
  const dir = folder()
  new SealedFolder(dir).put(one, 1)
  renameSync(join(dir, `${one}.open`), join(dir, `${two}.open`))
  expect(new SealedFolder(dir).contents().broken).toEqual([two])
  new SealedFolder(dir).put(one, 1)
  chmodSync(join(dir, 'key'), 0o644)
  expect(new SealedFolder(dir).contents().open).toEqual([])
})
