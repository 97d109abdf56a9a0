import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  findInstance,
  holdInstance,
  InstanceError,
  isAlive,
  isHeld,
  isServed,
  startOf,
  watchInstance,
} from '../../src/base/daemon-lock.ts'
import { handClock } from './hand-clock.ts'

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

test('only who holds the lock counts', () => {
  const dir = stateDir()
  expect(findInstance(dir)).toBeNull()
  const right = { pid: process.pid, start: startOf(process.pid), memex: '/m', since: '2026' }
  const found = (value: unknown) => {
    writeFileSync(join(dir, 'daemon.pid'), JSON.stringify(value))
    return findInstance(dir)
  }
  expect(found(right)).toBeNull()
  onTestFinished(holdInstance(dir, '/m', new Date(0)))
  expect(found(right)).toEqual(right)
  const seen = process.platform === 'linux' ? process.pid : undefined
  for (const wrong of [null, 3, { ...right, pid: -1 }, { pid: 1 }])
    expect(found(wrong)?.pid).toBe(seen)
  writeFileSync(join(dir, 'daemon.pid'), '{"pid": 4')
  expect(findInstance(dir)?.pid).toBe(seen)
  rmSync(join(dir, 'daemon.pid'))
  expect([findInstance(dir)?.pid, isServed(dir)]).toEqual([seen, true])
})

test('a signal is for that very process', () => {
  const start = startOf(process.pid)
  expect(isAlive({ pid: process.pid, start })).toBe(true)
  expect(isAlive({ pid: 2 ** 30, start: null })).toBe(false)
  if (start !== null) expect(isAlive({ pid: process.pid, start: 'x:1' })).toBe(false)
})

test('a lock is held by one, and ends with its process', async () => {
  const dir = stateDir()
  const module = join(import.meta.dirname, '../../src/base/daemon-lock.ts')
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
  const clock = handClock()
  const said: string[] = []
  watchInstance(clock, dir, () => said.push('lost'))
  clock.pass(120_000)
  expect([isHeld(dir), said]).toEqual([true, []])
  renameSync(dir, `${dir}.moved`)
  clock.pass(120_000)
  expect([isHeld(dir), said]).toEqual([false, ['lost']])
  renameSync(`${dir}.moved`, dir)
  release()
  release()
  expect([findInstance(dir), isHeld(dir)]).toEqual([null, false])
})
