import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Headline, parse } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

function npmStart(input: string) {
  const state = mkdtempSync(join(tmpdir(), 'start-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const { MEMEX_DIR: _, ...inherited } = process.env
  const env = { ...inherited, XDG_STATE_HOME: state }
  const run = spawnSync('npm', ['start', '--silent'], { cwd: root, env, input, encoding: 'utf8' })
  const demo = join(state, 'passepartout/demo')
  return { code: run.status, out: run.stdout, err: run.stderr, demo }
}

test('four questions, four useful answers', { timeout: 60_000 }, () => {
  const questions = ['what is next?', 'capture buy oat milk tomorrow', 'agenda', 'find sourdough']
  const { code, out, demo } = npmStart(`${questions.join('\n')}\n`)
  expect(code).toBe(0)
  const [next, captured, agenda, found] = out.split(/^› .*\n/m).slice(1)
  expect(next).toMatch(/^Next: .+\n[\s\S]*[\w/]+\.org:\d+/)
  expect(captured).toMatch(/^Captured “Buy oat milk” in inbox\.org:\d+, scheduled for tomorrow, /)
  expect(agenda).toMatch(
    /^Tomorrow, .*\n(?: {2}.*\n)*? {2}scheduled {2}Buy oat milk +inbox\.org:\d+$/m,
  )
  expect(found).toMatch(/recipes\/bread\.org:\d+ {2}Sourdough/)
  const before = readFileSync(join(root, 'test/memex/inbox.org'), 'utf8')
  const after = readFileSync(join(demo, 'memex/inbox.org'), 'utf8')
  expect(after.startsWith(before)).toBe(true)
  const headline = parse(after).children.at(-1) as Headline
  expect(headline).toMatchObject({ level: 1, todoKeyword: 'TODO', rawValue: 'Buy oat milk' })
  expect(after.slice(before.length)).toMatch(
    /^\* TODO Buy oat milk\nSCHEDULED: <\d{4}-\d\d-\d\d [A-Z][a-z]{2}>\n$/,
  )
  expect(existsSync(join(demo, 'passepartout/daemon.json'))).toBe(false)
})

test('a folder that does not exist is an error that says so', () => {
  const state = mkdtempSync(join(tmpdir(), 'start-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const env = { ...process.env, XDG_STATE_HOME: state, MEMEX_DIR: join(state, 'none') }
  const run = spawnSync('npm', ['start', '--silent'], {
    cwd: root,
    env,
    input: '',
    encoding: 'utf8',
  })
  expect(run.status).toBe(1)
  expect(run.stderr).toContain('MEMEX_DIR')
})

test('a daemon for another folder is not joined', async () => {
  const state = mkdtempSync(join(tmpdir(), 'start-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const folders = ['one', 'two'].map((name) => join(state, name))
  for (const folder of folders) mkdirSync(folder)
  const env = { ...process.env, XDG_STATE_HOME: state }
  const [one, two] = folders.map((MEMEX_DIR) => ({ ...env, MEMEX_DIR }))
  const first = spawn('npm', ['start', '--silent'], { cwd: root, env: one! })
  first.stdin.write('help\n')
  await once(first.stdout, 'data')
  const input = 'capture a secret\n'
  const options = { cwd: root, env: two!, input, encoding: 'utf8' } as const
  const second = spawnSync('npm', ['start', '--silent'], options)
  first.stdin.end()
  await once(first, 'exit')
  expect(second).toMatchObject({ status: 1, stdout: '' })
  expect(second.stderr).toContain(`A daemon is running for ${folders[0]}`)
  expect(folders.map((folder) => readdirSync(folder))).toEqual([[], []])
})
