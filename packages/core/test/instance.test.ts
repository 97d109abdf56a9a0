import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findInstance, holdInstance, InstanceError, startOf } from '../src/instance.ts'

function stateDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'instance-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test.runIf(process.platform === 'linux')('a process keeps its mark', () => {
  expect(startOf(process.pid)).toMatch(/^[\w-]+:\d+$/)
  expect(startOf(process.pid)).toBe(startOf(process.pid))
  expect(startOf(process.pid)).not.toBe(startOf(process.ppid))
  expect(startOf(2 ** 30)).toBeNull()
})

test('only the process itself counts', () => {
  const dir = stateDir()
  expect(findInstance(dir)).toBeNull()
  const start = startOf(process.pid)
  const right = { pid: process.pid, start, memex: '/m', since: '2026-11-21T09:00:00.000Z' }
  const found = (value: unknown) => {
    writeFileSync(join(dir, 'daemon.pid'), JSON.stringify(value))
    return findInstance(dir)
  }
  expect(found(right)).toEqual(right)
  for (const wrong of [null, 3, { ...right, pid: -1 }, { ...right, pid: 2 ** 30 }, { pid: 1 }]) {
    expect(found(wrong)).toBeNull()
  }
  if (start !== null) expect(found({ ...right, start: 'x:1' })).toBeNull()
  writeFileSync(join(dir, 'daemon.pid'), '{"pid": 4')
  expect(findInstance(dir)).toBeNull()
})

test('a lock is held by one, and ends with its process', async () => {
  const dir = stateDir()
  const module = join(import.meta.dirname, '../src/instance.ts')
  const code = `import { holdInstance } from ${JSON.stringify(module)}
    holdInstance(${JSON.stringify(dir)}, '/notes', new Date(0))
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code])
  await once(child.stdout, 'data')
  expect(findInstance(dir)).toMatchObject({ pid: child.pid, memex: '/notes' })
  for (const name of ['daemon.lock', 'daemon.pid']) {
    expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
  }
  const taken = () => holdInstance(dir, '/mine', new Date(0))
  expect(taken).toThrow(InstanceError)
  expect(taken).toThrow(`process ${child.pid}, for /notes, since 1970`)
  expect(taken).toThrow('passepartout stop')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(findInstance(dir)).toBeNull()
  expect(readFileSync(join(dir, 'daemon.pid'), 'utf8')).toContain(String(child.pid))
  const release = taken()
  expect(findInstance(dir)).toMatchObject({ pid: process.pid, memex: '/mine' })
  release()
  release()
  expect(findInstance(dir)).toBeNull()
})

test('a lock that is no lock is replaced', () => {
  const dir = stateDir()
  writeFileSync(
    join(dir, 'daemon.lock'),
    'rubbish, and enough of it to look like a file'.repeat(99),
  )
  holdInstance(dir, '/m', new Date(0))()
  expect(findInstance(dir)).toBeNull()
})
