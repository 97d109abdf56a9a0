import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findDaemon, readToken, socketPathOf } from '../../src/base/announcement.ts'
import { holdInstance } from '../../src/base/daemon-lock.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a deep home has no socket', () => {
  expect(socketPathOf('/h/state')).toBe('/h/state/daemon.sock')
  expect(socketPathOf(`/${'é'.repeat(50)}`)).toBeUndefined()
})

test('what a crash left behind counts for nothing', () => {
  const stateDir = temporary()
  expect(findDaemon(stateDir)).toBeNull()
  const announce = (text: string) => writeFileSync(join(stateDir, 'daemon.json'), text)
  announce('{"pid": 4')
  expect(findDaemon(stateDir)).toBeNull()
  announce(JSON.stringify({ pid: 2 ** 30, port: 1, memex: '/m' }))
  expect(findDaemon(stateDir)).toBeNull()
  announce(JSON.stringify({ pid: process.pid, port: 1, memex: '/m' }))
  expect(findDaemon(stateDir)).toBeNull()
  onTestFinished(holdInstance(stateDir, '/m', new Date(0)))
  expect(findDaemon(stateDir)).toMatchObject({ port: 1 })
  announce(JSON.stringify({ pid: process.pid + 1, port: 1, memex: '/m' }))
  expect(findDaemon(stateDir)).toBeNull()
})

test('the token is read without its line end', () => {
  const stateDir = temporary()
  writeFileSync(join(stateDir, 'token'), 'abc\n')
  expect(readToken(stateDir)).toBe('abc')
})
