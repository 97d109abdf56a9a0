import { type ChildProcess, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stateDirectory } from '@passepartout/core/presence'
import { type Client, connect } from '@passepartout/core/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { endProcess, spawnDaemon } from '../../packages/clients/src/session/daemon-process.ts'
import { say } from '../servers/running-daemon.ts'

interface House {
  dir: string
  env: Record<string, string | undefined>
  notes: string
  state: string
  start: () => Promise<{ client: Client; child: ChildProcess }>
}

function writeNotes(dir: string): void {
  mkdirSync(dir)
  for (let at = 0; at < 40; at++) {
    const text = `* TODO Water the ferns ${at}\n${'Ferns need rain. '.repeat(60)}\n`
    writeFileSync(join(dir, `n${at}.org`), text)
  }
}

function house(): House {
  const dir = mkdtempSync(join(tmpdir(), 'disasters-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: dir,
    XDG_STATE_HOME: join(dir, 's'),
    MEMEX_DIR: join(dir, 'notes'),
  }
  const notes = join(dir, 'notes')
  writeNotes(notes)
  const start = async () => {
    const { child, port } = await spawnDaemon(env)
    onTestFinished(async () => void (await endProcess(child.pid!)))
    const token = readFileSync(join(stateDirectory(env), 'token'), 'utf8').trim()
    const client = await connect({ host: '127.0.0.1', port, token })
    onTestFinished(() => client.close())
    return { client, child }
  }
  return { dir, env, notes, state: stateDirectory(env), start }
}

async function ended({ child, client }: { child: ChildProcess; client: Client }): Promise<void> {
  client.close()
  await endProcess(child.pid!)
}

const pageBytes = 4_096

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

const question = 'find ferns 7'
const sentences = (said: string) =>
  said.split('\n').filter((line) => line.startsWith('The memory was'))

test('pages that are zeroed or flipped while the daemon runs', { timeout: 120_000 }, async () => {
  const deeds: ((path: string, page: number) => void)[] = [
    (path, page) => overwrite(path, page * pageBytes, Buffer.alloc(pageBytes)),
    (path, page) => overwrite(path, page * pageBytes + 3, randomBytes(64)),
  ]
  for (const act of deeds) {
    const { start, state } = house()
    const first = await start()
    expect(await say(first.client, question)).toContain('n7.org')
    await ended(first)
    const { client } = await start()
    const path = join(state, 'memory.db')
    for (let page = 8; page < statSync(path).size / pageBytes; page++) act(path, page)
    const said = await say(client, question)
    expect(said).toContain('n7.org')
    expect(sentences(said + (await say(client, question)))).toHaveLength(1)
    const log = readFileSync(join(state, 'log/daemon.jsonl'), 'utf8')
    expect(log.match(/The memory was damaged/g)).toHaveLength(1)
    expect(await say(client, 'capture Feed the snails')).toContain('snails')
    expect(await say(client, 'find snails')).toContain('snails')
  }
})

test('files that go away under a daemon, and damage after a kill', {
  timeout: 120_000,
}, async () => {
  const { start, state } = house()
  const path = join(state, 'memory.db')
  let running = await start()
  expect(await say(running.client, question)).toContain('n7.org')
  const gone: (() => void)[] = [
    () => rmSync(path),
    () => renameSync(path, `${path}.elsewhere`),
    () => rmSync(`${path}-wal`),
  ]
  for (const act of gone) {
    act()
    const said = await say(running.client, question)
    expect(said).toContain('n7.org')
    expect(sentences(said)).toEqual([expect.stringContaining('was moved or deleted')])
  }
  const broken: (() => void)[] = [
    () => truncateSync(path, Math.floor(statSync(path).size / 2)),
    () => overwrite(`${path}-wal`, 32, Buffer.alloc(pageBytes * 4)),
    () => overwrite(`${path}-shm`, 0, randomBytes(4_096)),
    () => overwrite(path, 0, Buffer.alloc(pageBytes)),
  ]
  for (const act of broken) {
    running.client.close()
    running.child.kill('SIGKILL')
    await once(running.child, 'exit')
    act()
    running = await start()
    expect(await say(running.client, question)).toContain('n7.org')
  }
})

test('files that are cut off under a daemon', { timeout: 60_000 }, async () => {
  const { start, state } = house()
  const path = join(state, 'memory.db')
  const { client, child } = await start()
  expect(await say(client, question)).toContain('n7.org')
  expect(await say(client, 'take a snapshot called first')).toContain('first')
  const cut: [name: string, found: RegExp][] = [
    [
      'memory.db-shm',
      /^The index of .*memory\.db-wal was damaged .* nothing of the memory is lost/m,
    ],
    ['memory.db-wal', /^The memory was .*cut off/m],
    ['memory.db', /^The memory was .*cut off/m],
  ]
  for (const [name, found] of cut) {
    truncateSync(join(state, name))
    const said = await say(client, question)
    expect(said).toContain('n7.org')
    expect(said).toMatch(found)
    expect(await say(client, `capture Feed the ${name} snails`)).toContain('snails')
  }
  expect(await say(client, 'snapshots')).toContain('first')
  expect([child.exitCode, existsSync(path)]).toEqual([null, true])
})

test('a state directory that others could write', { timeout: 60_000 }, async () => {
  const { env, start, state } = house()
  const token = () => readFileSync(join(state, 'token'), 'utf8')
  await ended(await start())
  const before = token()
  chmodSync(state, 0o777)
  const { child, warnings } = await spawnDaemon(env)
  onTestFinished(async () => void (await endProcess(child.pid!)))
  expect(warnings).toContain(`Others could write in ${state} (mode 777); now only you can.`)
  expect([statSync(state).mode & 0o777, token() === before]).toEqual([0o700, false])
})

test('a memex that is mounted read-only', { timeout: 120_000 }, async ({ skip }) => {
  const { notes, start } = house()
  if (!mounted(notes)) skip()
  writeFileSync(join(notes, 'n7.org'), '* TODO Water the ferns 7\n')
  const mount = (mode: 'ro' | 'rw') => spawnSync('mount', ['-o', `remount,${mode}`, notes]).status
  expect(mount('ro')).toBe(0)
  const { client } = await start()
  expect(await say(client, question)).toContain('n7.org')
  for (const wish of ['capture Feed the snails', 'complete Water the ferns 7']) {
    const said = await say(client, wish)
    expect([wish, said.match(/EROFS|read-only/g)?.length]).toEqual([wish, 1])
    expect(said).not.toContain('Something went wrong inside')
  }
  expect(readdirSync(notes)).toEqual(['n7.org'])
  expect(mount('rw')).toBe(0)
  expect(await say(client, 'complete Water the ferns 7')).toContain('Done')
  expect(readFileSync(join(notes, 'n7.org'), 'utf8')).toContain('* DONE Water the ferns 7')
})

function mounted(dir: string): boolean {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', dir])
  if (status === 0) onTestFinished(() => void spawnSync('umount', ['-l', dir]))
  return status === 0
}

function fill(path: string): void {
  const file = openSync(path, 'w')
  for (let bytes = 65_536; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes))
    } catch {
      // Smaller pieces may still fit.
    }
  }
  closeSync(file)
}

test('a full disk', { timeout: 120_000 }, async ({ skip }) => {
  const { dir, notes, start } = house()
  if (!mounted(dir)) skip()
  writeNotes(notes)
  const { client } = await start()
  expect(await say(client, question)).toContain('n7.org')
  const texts = () => readdirSync(notes).map((name) => readFileSync(join(notes, name), 'utf8'))
  const before = texts()
  fill(join(dir, 'ballast'))
  writeFileSync(join(notes, 'n7.org'), '* TODO Water the ferns 7\nThey are dry.\n')
  const full = /disk is full/g
  const wishes = ['capture Feed the snails', 'complete Water the ferns 3', question]
  for (const wish of wishes) expect((await say(client, wish)).match(full)).not.toBeNull()
  expect(texts().filter((text) => !before.includes(text))).toEqual([
    '* TODO Water the ferns 7\nThey are dry.\n',
  ])
  rmSync(join(dir, 'ballast'))
  const said = await say(client, 'capture Feed the snails')
  expect(said).toContain('The memory is written again.')
  expect(await say(client, 'find snails')).toContain('inbox.org')
  expect(await say(client, question)).not.toMatch(full)
})
