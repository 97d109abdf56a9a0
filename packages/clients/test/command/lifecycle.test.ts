import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findInstance, logPath, stateDirectory } from '@passepartout/core/presence'
import { expect, onTestFinished, test } from 'vitest'

const program = join(import.meta.dirname, '../../src/command/passepartout.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function home() {
  const state = mkdtempSync(join(tmpdir(), 'life-'))
  writeFileSync(join(state, 'inbox.org'), '* TODO Water the ferns\n')
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: state,
    XDG_STATE_HOME: state,
    MEMEX_DIR: state,
  }
  const run = (...args: string[]) => {
    const all = [...flags, program, ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: 'utf8' })
    return { code: status, out: stdout.replaceAll(state, 'HOME'), err: stderr }
  }
  onTestFinished(() => {
    run('stop')
    rmSync(state, { recursive: true })
  })
  const events = () =>
    readFileSync(logPath(stateDirectory(env)), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event)
  return { env, run, events, instance: () => findInstance(stateDirectory(env)) }
}

async function foreground(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...flags, program, 'start'], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    if (/^ready \d+/m.test(String(text))) return child
  }
  throw new Error('it did not become ready')
}

test('start --detach, status, restart, stop', { timeout: 60_000 }, () => {
  const { run, events, instance } = home()
  expect(run('status')).toMatchObject({ code: 3, out: 'No daemon is running.\n' })
  expect(JSON.parse(run('status', '--json').out)).toEqual({ running: false, state: 'stopped' })
  expect(run('start', '--detach').out).toMatch(/^Ready for HOME \(process \d+\)/)
  const { pid } = instance()!
  expect(run('status')).toMatchObject({ code: 0, out: expect.stringContaining('Running for HOME') })
  const status = JSON.parse(run('status', '--json').out)
  expect(status).toMatchObject({ running: true, state: 'ready', pid, version: '0.1.0' })
  expect(run('start', '--memex', '/elsewhere')).toMatchObject({ code: 1 })
  expect(run('restart', '-d').out).toMatch(/^Ready for HOME/)
  expect(instance()!.pid).not.toBe(pid)
  expect(run('logs', '-n', '1').out).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} info {2}ready: port \d+\n$/)
  expect(run('stop')).toMatchObject({ code: 0, out: 'Stopped.\n' })
  expect(run('stop')).toMatchObject({ code: 0, out: 'No daemon is running.\n' })
  expect(events()).toEqual(['start', 'ready', 'stop', 'stop', 'start', 'ready', 'stop', 'stop'])
})

test('a zombie and a recycled number are no daemon', { timeout: 60_000 }, async () => {
  const { env, run } = home()
  const state = stateDirectory(env)
  const shell = spawn(
    'sh',
    ['-c', '"$0" "$@" & exec sleep 600', process.execPath, ...flags, program, 'start'],
    { env },
  )
  onTestFinished(() => void shell.kill('SIGKILL'))
  for await (const text of shell.stdout.iterator({ destroyOnReturn: false })) {
    if (/^ready \d+/m.test(String(text))) break
  }
  const { pid, start } = findInstance(state)!
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => findInstance(state)).toBeNull()
  expect(run('status').code).toBe(3)
  expect(run('stop').out).toBe('No daemon is running.\n')
  const left = { pid: shell.pid, start: null, memex: env.HOME, since: new Date().toISOString() }
  writeFileSync(join(state, 'daemon.pid'), JSON.stringify(left))
  expect(run('start', '--detach').out).toMatch(/^Ready for HOME/)
  writeFileSync(join(state, 'daemon.pid'), JSON.stringify({ ...left, start: `not ${start}` }))
  expect(run('stop')).toMatchObject({ code: 1, err: expect.stringContaining('another container') })
  expect(shell.exitCode).toBeNull()
  const own = JSON.parse(readFileSync(join(state, 'daemon.json'), 'utf8')).pid
  writeFileSync(join(state, 'daemon.pid'), JSON.stringify({ ...left, pid: own }))
})

test('a memex has one daemon', { timeout: 60_000 }, () => {
  const [one, other] = [home(), home()]
  expect(one.run('start', '--detach').code).toBe(0)
  const memex = String(one.env.MEMEX_DIR)
  const second = other.run('start', '--detach', '--memex', memex)
  expect(second).toMatchObject({
    code: 1,
    err: expect.stringContaining(`A daemon serves ${memex} already`),
  })
  expect(second.err).toContain(String(one.instance()!.pid))
  expect(other.instance()).toBeNull()
  expect(one.run('stop').code).toBe(0)
  expect(other.run('start', '--detach', '--memex', memex).code).toBe(0)
})

test('in the foreground, reloaded, killed, and started again', { timeout: 60_000 }, async () => {
  const { env, run, events, instance } = home()
  const first = await foreground(env)
  expect(instance()!.pid).toBe(first.pid)
  expect(run('start')).toMatchObject({ code: 0, out: expect.stringContaining('Already running') })
  const told = once(first.stderr!, 'data')
  expect(run('reload').out).toContain(`Process ${first.pid}`)
  expect(String((await told)[0])).toContain('the configuration was read again')
  first.kill('SIGKILL')
  await once(first, 'exit')
  expect(run('status').code).toBe(3)
  const second = await foreground(env)
  expect(instance()!.pid).toBe(second.pid)
  second.kill('SIGINT')
  expect(await once(second, 'exit')).toEqual([0, null])
  expect(events()).toEqual(['start', 'ready', 'log', 'start', 'ready', 'stop', 'stop'])
})
