import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findInstance, logPath, stateDirectory } from '@passepartout/core/presence'
import { expect, onTestFinished, test } from 'vitest'

const program = join(import.meta.dirname, '../src/passepartout.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function home() {
  const state = mkdtempSync(join(tmpdir(), 'life-'))
  writeFileSync(join(state, 'inbox.org'), '* TODO Water the ferns\n')
  const env = { PATH: process.env.PATH, HOME: state, XDG_STATE_HOME: state, MEMEX_DIR: state }
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
  expect(run('restart').out).toMatch(/^Ready for HOME/)
  expect(instance()!.pid).not.toBe(pid)
  expect(run('logs', '-n', '1').out).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} info {2}ready: port \d+\n$/)
  expect(run('stop')).toMatchObject({ code: 0, out: 'Stopped.\n' })
  expect(run('stop')).toMatchObject({ code: 0, out: 'No daemon is running.\n' })
  expect(events()).toEqual(['start', 'ready', 'stop', 'stop', 'start', 'ready', 'stop', 'stop'])
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
