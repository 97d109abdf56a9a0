import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { passepartout } from '../../packages/clients/src/command/cli.ts'

const cli = join(import.meta.dirname, '../../packages/clients/src/command/passepartout.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

const nasty = 'x\x1b[2J\x1b]0;t\x07\u009b31m\r\u202ey\u{e0041}'
const drawer = (...lines: string[]) => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`

const home = mkdtempSync(join(tmpdir(), 'escapes-'))
const memex = join(home, `notes${nasty}`)
const env = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  HOME: home,
  MEMEX_DIR: memex,
  TERM: 'xterm-256color',
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CONFIG_HOME: join(home, 'config'),
}

const files: Record<string, string> = {
  [`${nasty}.org`]: `#+title: ${nasty}\n* TODO Task ${nasty} :a:\n${drawer(
    ':ID: same',
    `:X: ${nasty}`,
  )}[[id:gone${nasty}][${nasty}]] [[file:${nasty}.txt]]\n* DONE Old ${nasty}\nCLOSED: [2020-01-01 Wed]\n`,
  'other.org': `* Task ${nasty}\n${drawer(':ID: same')}SCHEDULED: <2026-11-22 Sun>\n`,
  [`broken${nasty}.org`]: '\xff',
  [`skills/${nasty}.org`]: `#+title: ${nasty}\n#+begin_src typescript\nthrow ${nasty}\n#+end_src\n`,
}

function prepare(): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(memex, path)), { recursive: true })
    writeFileSync(join(memex, path), text, path.startsWith('broken') ? 'latin1' : 'utf8')
  }
  const config = join(home, 'config/passepartout')
  mkdirSync(join(config, 'skills'), { recursive: true })
  writeFileSync(join(config, 'skills', `${nasty}.org`), files[`skills/${nasty}.org`]!)
  const wrong = [`:PROVIDER: ${nasty}`, `:MODEL: ${nasty}`, `:KEY_ENV: ${nasty}`]
  writeFileSync(join(config, 'config.org'), `* Models ${nasty}\n${drawer(...wrong)}`)
}

const outside = new Set('tui chat acp mcp setup start stop restart reload top help'.split(' '))

const words: Record<string, string[][]> = {
  gates: [['check']],
  memory: [
    ['history', 'same'],
    ['check'],
    ['snapshot', `named${nasty}`],
    ['why', 'same'],
    ['list'],
  ],
  search: [['Task'], ['Task', '--json'], [`tag:${nasty}`], ['Task', '--explain']],
  show: [['same'], [nasty], ['same', '--json']],
  agenda: [[], ['--json']],
  backlinks: [['same'], [nasty]],
  context: [['show'], ['push', nasty]],
  events: [['list'], ['retry', nasty]],
  garden: [['--dry-run'], []],
  doctor: [['--offline'], ['--offline', '--json'], ['--dry-run', '--offline']],
  backup: [[join(home, `b${nasty}.tgz`)]],
  restore: [[join(home, `none${nasty}.tgz`)]],
  'import-memories': [['chatgpt', join(home, nasty)], [nasty]],
  gateway: [['list'], ['link', nasty]],
  skill: [['list'], ['check', nasty], ['why', nasty], ['list', '--json'], ['enable', nasty]],
  config: [['show'], ['check'], ['set', nasty, nasty]],
  usage: [['--all'], ['--by', nasty]],
  why: [[], ['--json'], [nasty]],
  vault: [['list'], ['remove', nasty]],
  models: [['--json'], []],
  logs: [[], ['--json']],
  ask: [[`find ${nasty}`], ['agenda'], [`capture ${nasty} tomorrow`]],
  status: [[], ['--json']],
}

function run(...given: string[]): { code: number | null; out: string } {
  const done = spawnSync(process.execPath, [...flags, cli, ...given], {
    env,
    cwd: home,
    timeout: 60_000,
    encoding: 'utf8' as const,
    input: `${nasty}\n`,
  })
  return { code: done.status, out: done.stdout + done.stderr }
}

const obeyed =
  /[^\n]*[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}][^\n]*/u

afterAll(() => {
  run('stop')
  rmSync(home, { recursive: true, force: true })
})

test('a start tells its warnings without obeying them', { timeout: 120_000 }, () => {
  prepare()
  const { out } = run('start', '--detach', '--memex', memex)
  expect(obeyed.exec(out)).toBe(null)
  expect(out).toContain('␛[2J')
})

const commands = passepartout.programs!.map(({ name }) => name).filter((name) => !outside.has(name))

test.each(commands)('%s prints nothing that a terminal obeys', { timeout: 240_000 }, (name) => {
  for (const more of words[name] ?? [[], [nasty]]) {
    const { out } = run(name, ...more)
    expect([name, ...more, obeyed.exec(out)?.[0]]).toEqual([name, ...more, undefined])
  }
})

test('no log and no trace holds a raw escape', () => {
  const state = join(home, 'state/passepartout')
  const kept = readdirSync(state, { recursive: true, encoding: 'utf8' })
    .filter((path) => /trace\/.*\.org$|\.log$/.test(path))
    .map((path) => [path, readFileSync(join(state, path), 'utf8')] as const)
  expect(kept.some(([path]) => path.startsWith('trace'))).toBe(true)
  for (const [path, text] of kept) expect([path, obeyed.exec(text)?.[0]]).toEqual([path, undefined])
})
