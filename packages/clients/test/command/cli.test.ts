import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const command = join(import.meta.dirname, '../../src/command/cli.ts')

function session(): (...args: string[]) => { code: number | null; out: string; err: string } {
  const state = mkdtempSync(join(tmpdir(), 'cli-'))
  writeFileSync(join(state, 'inbox.org'), '* TODO Water the ferns\n')
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: state,
    XDG_STATE_HOME: state,
  }
  const run = (...args: string[]) => {
    const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
    const all = [...flags, command, ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: 'utf8' })
    return { code: status, out: stdout.replaceAll(state, 'MEMEX'), err: stderr }
  }
  onTestFinished(() => {
    run('stop')
    rmSync(state, { recursive: true })
  })
  return (...args) => run(...args.map((arg) => arg.replace('MEMEX', state)))
}

test('start, status, ask, stop', () => {
  const run = session()
  expect(run('status')).toMatchObject({ code: 3, out: 'No daemon is running.\n' })
  expect(run('ask', 'agenda')).toMatchObject({
    code: 1,
    err: expect.stringContaining('start --detach'),
  })
  expect(run('start')).toMatchObject({ code: 1, err: expect.stringContaining('Which notes?') })
  expect(run('start', '-d', '--memex', 'MEMEX').out).toMatch(/^Ready for MEMEX \(process \d+\)/)
  expect(run('start').out).toMatch(/^Already running/)
  expect(run('status')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Running for MEMEX'),
  })
  expect(run('ask', 'find', 'ferns')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Water the ferns'),
    err: '',
  })
  expect(run('stop')).toMatchObject({ code: 0, out: 'Stopped.\n' })
  expect(run('stop')).toMatchObject({ code: 0, out: 'No daemon is running.\n' })
})

test('help is 0, a typo is 2', () => {
  const run = session()
  expect(run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('\nThe notes:\n') })
  expect(run('strat')).toMatchObject({
    code: 2,
    err: expect.stringContaining('did you mean start?'),
  })
  expect(run('search', '--jsn', 'x').err).toContain('did you mean --json?')
  expect(run('gates', 'check', '--nonsense').code).toBe(2)
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
  )
  expect(run('--version')).toMatchObject({ code: 0, out: `${version}\n` })
  const guard = join(import.meta.dirname, '../../bin/passepartout.cjs')
  const told = spawnSync(process.execPath, [guard, '--version'], { encoding: 'utf8' })
  expect(told.stdout).toBe(`${version}\n`)
})

test('every word has its help, and its options are in it', async () => {
  const { passepartout } = await import('../../src/command/cli.ts')
  const { programsIn, runProgram } = await import('#commands/program')
  for (const { path, program } of programsIn(passepartout)) {
    const { code, out } = await runProgram(passepartout, [...path.slice(1), '--help'], {})
    expect([code, out]).toEqual([0, expect.stringContaining(`Usage: ${path.join(' ')}`)])
    if (program.programs !== undefined) continue
    for (const name of Object.keys(program.options ?? {})) expect(out).toContain(`--${name}`)
  }
})

test('a reader who has seen enough is no fault', async () => {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const child = spawn(process.execPath, [...flags, command, '--help'])
  child.stdout.destroy()
  let complaints = ''
  child.stderr.on('data', (text) => {
    complaints += text
  })
  const [code] = await once(child, 'close')
  expect({ code, complaints }).toEqual({ code: 141, complaints: '' })
})

const hook = `
import { registerHooks } from 'node:module'
const seen = new Set()
registerHooks({ load: (url, context, next) => (seen.add(url), next(url, context)) })
process.on('exit', () => console.error('LOADED ' + [...seen].join(' ')))
`

test.each([
  [['--help'], /node_modules/],
  [['status'], /node_modules/],
  [['search', '--memex', '.', 'ferns'], /node_modules\/(?:ai|ink|react|unbash|chokidar|@clack)\//],
])('%j loads its own modules only', (words, never) => {
  const home = mkdtempSync(join(tmpdir(), 'loads-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, 'hook.mjs'), hook)
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const all = [...flags, '--import', join(home, 'hook.mjs'), command, ...words]
  const env = { PATH: process.env.PATH, HOME: home }
  const { stderr } = spawnSync(process.execPath, all, { env, cwd: home, encoding: 'utf8' })
  expect(stderr).toContain('LOADED ')
  expect(stderr.match(never)).toBeNull()
})
