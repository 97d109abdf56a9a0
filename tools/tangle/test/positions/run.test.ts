import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const cli = join(import.meta.dirname, '../../src/cli.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function project(code: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'command-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'package.json'), '{"org-tangle":{}}')
  writeFileSync(
    join(root, 'a.org'),
    `* A\nSome\nprose.\n#+begin_src javascript :tangle a.js\n${code}\n#+end_src\n`,
  )
  writeFileSync(join(root, 'a.js'), `${code}\n`)
  return root
}

function run(cwd: string, args: string[], input = '') {
  const all = [...flags, cli, 'run', ...args]
  const done = spawnSync(process.execPath, all, { cwd, input, encoding: 'utf8' })
  return { code: done.status, signal: done.signal, out: done.stdout, err: done.stderr }
}

test('an error of Node is at a line of the document', () => {
  const root = project('const x = 1\nthrow new Error(String(x))')
  const { code, err } = run(root, ['--', process.execPath, 'a.js'])
  expect(code).toBe(1)
  expect(err).toContain(`${join(root, 'a.org')}:6\nthrow new`)
  expect(err).toContain(`at Object.<anonymous> (${join(root, 'a.org')}:6:7)`)
  expect(err).not.toContain('a.js')
})

test('input, output, arguments and the exit code are those of the command', () => {
  const script = `
    process.stdin.on('data', (bytes) => process.stdout.write(bytes))
    process.stdin.on('end', () => { process.stderr.write(process.argv[1]); process.exitCode = 7 })`
  const input = 'x\r\n\0ä a.js:1:1'
  const root = project('x')
  const echo = run(root, ['--', process.execPath, '-e', script, '--', '--help'], input)
  expect(echo).toEqual({ code: 7, signal: null, out: 'x\r\n\0ä a.org:5:1', err: '--help' })
})

test('a command that is not there', () => {
  const { code, err } = run(project('x'), ['no-such-command'])
  expect(code).toBe(127)
  expect(err).toBe('org-tangle: no-such-command: there is no such command\n')
})

test.each([
  ["process.on('SIGTERM', () => process.exit(5));", 5, null],
  ['', null, 'SIGTERM'],
] as const)('a signal reaches the command: %s', async (handler, code, signal) => {
  const script = `${handler} setInterval(() => {}, 1e6); console.log('ready')`
  const args = [...flags, cli, 'run', '--', process.execPath, '-e', script]
  const child = spawn(process.execPath, args, { cwd: project('x') })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await ended).toEqual([code, signal])
})
