import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  formatLogLine,
  type LogOptions,
  lastLogLines,
  logPath,
  openLog,
} from '../../src/base/log-file.ts'

const clock = { now: () => new Date(Date.UTC(2026, 10, 21, 9)) }

function setting(options: Partial<LogOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'log-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const log = openLog({ path: logPath(dir), clock, ...options })
  return { dir, log, lines: () => lastLogLines(dir, 1_000) }
}

test('a log that was moved, deleted or cut goes on at its path', () => {
  const deeds: ((path: string) => void)[] = [
    (path) => renameSync(path, `${path}.old`),
    (path) => rmSync(path),
    (path) => rmSync(dirname(path), { recursive: true }),
    (path) => truncateSync(path, 0),
  ]
  const { dir, log, lines } = setting()
  for (const [at, act] of deeds.entries()) {
    log.write('info', 'log', `before ${at}`)
    act(logPath(dir))
    log.write('info', 'log', `after ${at}`)
    expect(lines().map((line) => JSON.parse(line).message)).toEqual([`after ${at}`])
  }
})

test('a log that cannot be turned over is written on', () => {
  const { dir, log, lines } = setting({ bytesMax: 200, filesMax: 1 })
  mkdirSync(join(`${logPath(dir)}.1`, 'in the way'), { recursive: true })
  for (const at of [1, 2, 3]) log.write('info', 'log', `line ${at} ${'x'.repeat(80)}`)
  expect(lines()).toHaveLength(3)
})

test('an event is a line, masked, for its owner only', () => {
  const mask = (text: string) => {
    if (text.includes('fail')) throw new Error('no rules')
    return text.replaceAll('hunter2', '…')
  }
  const { dir, log, lines } = setting({ mask })
  log.write('warn', 'log', 'hunter2\n{"level":"error"}')
  log.write('info', 'log', 'this will fail')
  const [first, second, ...rest] = lines().map((line) => JSON.parse(line))
  const time = '2026-11-21T09:00:00.000Z'
  const message = '…\n{"level":"error"}'
  expect(first).toEqual({ time, level: 'warn', event: 'log', pid: process.pid, message })
  expect(second.message).toContain('withheld')
  expect(rest).toEqual([])
  expect(statSync(logPath(dir)).mode & 0o777).toBe(0o600)
})

test('a log is turned over by its size', () => {
  const { dir, log, lines } = setting({ bytesMax: 500, filesMax: 2 })
  for (let at = 0; at < 30; at++) log.write('info', 'log', `event ${at}`)
  log.close()
  const names = readdirSync(join(dir, 'log')).sort()
  expect(names).toEqual(['daemon.jsonl', 'daemon.jsonl.1', 'daemon.jsonl.2'])
  for (const name of names) expect(statSync(join(dir, 'log', name)).size).toBeLessThan(501)
  const kept = lines().map((line) => JSON.parse(line).message)
  const from = 30 - kept.length
  expect(kept.length).toBeGreaterThan(5)
  expect(kept).toEqual(kept.map((_, index) => `event ${from + index}`))
})

test('what was said before a crash is there after it', () => {
  const { dir, log, lines } = setting()
  const module = join(import.meta.dirname, '../../src/base/log-file.ts')
  const code = `import { openLog } from ${JSON.stringify(module)}
    const log = openLog({ path: ${JSON.stringify(logPath(dir))}, clock: { now: () => new Date() } })
    for (let at = 0; at < 100; at++) log.write('info', 'log', 'event ' + at)
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['--input-type=module', '-e', code])
  expect(JSON.parse(lines().at(-1)!).message).toBe('event 99')
  appendFileSync(logPath(dir), '{"time":"2026')
  log.write('info', 'start', 'again')
  expect(lines().at(-2)).toBe('{"time":"2026')
  expect(JSON.parse(lines().at(-1)!).message).toBe('again')
})

test('a log that cannot be written is no fault', () => {
  const { dir } = setting()
  appendFileSync(join(dir, 'log'), 'a file in the place of the folder')
  const log = openLog({ path: logPath(dir), clock })
  log.write('info', 'log', 'lost')
  rmSync(join(dir, 'log'))
  log.write('info', 'log', 'kept')
  expect(readFileSync(logPath(dir), 'utf8')).toContain('kept')
})

test('a line is shown and not obeyed', () => {
  const event = { time: '2026-11-21T09:00:00.000Z', level: 'warn', event: 'job' }
  const line = JSON.stringify({ ...event, message: 'a\u001b[2J\nb\u202ec' })
  expect(formatLogLine(line)).toMatch(/^2026-11-2\d \d\d:\d\d:\d\d warn {2}job: a␛\[2J b\\u202ec$/)
  expect(formatLogLine('{"torn\u001b')).toBe('{"torn␛')
})
