import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holdInstance } from '../../src/base/daemon-lock.ts'
import { presenceOf, whyNoDaemon } from '../../src/wire/presence.ts'
import { startServer } from '../../src/wire/server.ts'

function stateDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'presence-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function announced(dir: string): string {
  const socket = join(dir, 'daemon.sock')
  const announcement = { pid: process.pid, port: 4_711, socket, memex: '/m' }
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify(announcement))
  return socket
}

test('a daemon is seen as what it is', async () => {
  const dir = stateDir()
  expect(await presenceOf(dir)).toBeNull()
  expect(whyNoDaemon(dir)).toContain('No daemon is running.')
  const release = holdInstance(dir, '/m', new Date(0))
  onTestFinished(release)
  expect(await presenceOf(dir)).toMatchObject({ state: 'starting', port: null, memex: '/m' })
  expect(whyNoDaemon(dir)).toContain('is still starting')
  const socketPath = announced(dir)
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    socketPath,
    token: 'a'.repeat(64),
    version: '0.1.0',
    onSignal: () => {},
    onHealth: () => ({ uptimeMs: 12, memex: '/m' }),
  })
  const health = { version: '0.1.0', uptimeMs: 12, memex: '/m' }
  expect(await presenceOf(dir)).toMatchObject({ state: 'ready', port: 4_711, health })
  await server.close()
})

test('one that says nothing is there and hangs', async () => {
  const dir = stateDir()
  onTestFinished(holdInstance(dir, '/m', new Date(0)))
  const mute = createServer(() => {})
  await new Promise<void>((done) => mute.listen(announced(dir), done))
  onTestFinished(() => void mute.close())
  expect(await presenceOf(dir, 20)).toMatchObject({ state: 'hanging', health: null })
  expect(whyNoDaemon(dir)).toContain(`(process ${process.pid}, for /m) does not answer now`)
})
