import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from '../src/parse/parse.ts'
import { jsonParts } from '../src/tree/json.ts'

const command = join(import.meta.dirname, '../bin/org-ast.js')
const env = { PATH: process.env.PATH, HOME: process.env.HOME }

const garden = `#+todo: OPEN | SHUT
* OPEN [#A] Sow /broad/ beans :spring:
** SHUT Buy seeds
* COMMENT Winter
`

function folder(files: Record<string, string | Buffer>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'org-ast-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  return cwd
}

function run(cwd: string, args: string[], more: object = {}): SpawnSyncReturns<string> {
  const options = { cwd, env, encoding: 'utf8' as const, ...more }
  return spawnSync(process.execPath, [command, ...args], options)
}

test.each([
  [[], 'no file is named'],
  [['--jsn', 'a.org'], "'--jsn'"],
  [['--json', '--stats', 'a.org'], '--json and --stats exclude one another'],
  [['-', '-'], 'named twice'],
  [['--json=yes', 'a.org'], "'--json'"],
])('%j is not understood', (args, words) => {
  const { status, stdout, stderr } = run(folder({ 'a.org': garden }), args, { input: '' })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(words)
  expect(stderr).toContain('org-ast --help')
})

test('help and version are answers and not errors', () => {
  const cwd = folder({})
  expect(run(cwd, ['-h'])).toMatchObject({ status: 0, stderr: '' })
  expect(run(cwd, ['--help']).stdout).toContain('--outline')
  expect(run(cwd, ['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('what cannot be read is explained, and the rest is read', () => {
  const latin = Buffer.from('* A\n* Caf\xe9\n', 'latin1')
  const cwd = folder({ 'latin.org': latin, 'good.org': '\uFEFF* Good\n' })
  mkdirSync(join(cwd, 'notes'))
  const files = ['none.org', 'notes', 'latin.org', 'good.org']
  const { status, stdout, stderr } = run(cwd, ['--outline', ...files])
  expect(status).toBe(1)
  expect(stderr).toMatch(/^org-ast: none\.org: there is no such file in /m)
  expect(stderr).toMatch(/^org-ast: notes: this is a folder; name the files in it/m)
  expect(stderr).toMatch(/^org-ast: latin\.org:2: not UTF-8/m)
  expect(stdout).toBe('latin.org\n1  * A\n2  * Caf\uFFFD\n\ngood.org\n1  * Good\n')
})

test('a locked file is called locked', () => {
  const cwd = folder({ 'a.org': garden })
  chmodSync(join(cwd, 'a.org'), 0)
  const words = [process.execPath, command, 'a.org']
  const bound = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', ...words]
  const [program = '', ...args] = process.getuid?.() === 0 ? bound : words
  expect(spawnSync(program, args, { cwd, env, encoding: 'utf8' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('a.org: it may not be read by you'),
  })
})

test('an outline has lines, keywords, words and tags', () => {
  const cwd = folder({ 'a.org': garden, 'b.org': '* \x1b[2J\x07 gone\n*** deep\n' })
  const { status, stdout, stderr } = run(cwd, ['--outline', 'a.org'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(`2  * OPEN [#A] Sow broad beans  :spring:
3  ** SHUT Buy seeds
4  * COMMENT Winter
`)
  expect(run(cwd, ['--outline', 'b.org']).stdout).toBe('1  * ␛[2J␇ gone\n2  *** deep\n')
})

const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false

test('colours are for those who see them', () => {
  const cwd = folder({ 'a.org': garden })
  const forced = run(cwd, ['--outline', 'a.org'], { env: { ...env, FORCE_COLOR: '1' } })
  expect(forced.stdout).toContain('\x1b[31mOPEN\x1b[39m')
  expect(run(cwd, ['--outline', 'a.org']).stdout).not.toContain('\x1b')
})

test.skipIf(!hasScript)('on a terminal the outline is the default, and coloured', () => {
  const cwd = folder({ 'a.org': garden })
  const line = `'${process.execPath}' '${command}' a.org`
  const onTerminal = (more: object) =>
    spawnSync('script', ['-qec', line, '/dev/null'], {
      cwd,
      env: { ...env, TERM: 'xterm', ...more },
      encoding: 'utf8',
    }).stdout
  expect(onTerminal({})).toContain('\x1b[32mSHUT\x1b[39m')
  expect(onTerminal({ NO_COLOR: '1' })).toContain('3  ** SHUT Buy seeds')
})

test('the numbers are those of the text', () => {
  const cwd = folder({ 'a.org': '* a\n* b\n- /c/', 'empty.org': '' })
  const { status, stdout } = run(cwd, ['--stats', 'a.org', 'empty.org'])
  expect(status).toBe(0)
  const [one, none, all] = stdout.split(/^(?=\S)/m)
  expect(one).toMatch(
    /^a\.org: 13 bytes, 3 lines, 11 nodes, parsed in [\d.]+ ms \([\d.]+ MB\/s\)\n/,
  )
  expect(one).toContain('\n        3  plain-text\n        2  headline\n        1  italic\n')
  expect(none).toMatch(/^empty\.org: 0 bytes, 0 lines, 1 node, .*\n +1 {2}org-data\n$/)
  expect(all).toMatch(/^2 files: 13 bytes, 3 lines, 12 nodes, /)
})

test('in a pipe every file is a line of JSON', () => {
  const cwd = folder({ 'a.org': garden })
  const { status, stdout } = run(cwd, ['a.org', '-'], { input: '* TODO b' })
  expect(status).toBe(0)
  const expected = [
    [...jsonParts(parse(garden), { file: 'a.org' })].join(''),
    [...jsonParts(parse('* TODO b'), { file: '-' })].join(''),
  ]
  expect(stdout).toBe(`${expected.join('\n')}\n`)
  expect(run(cwd, ['--', 'a.org']).stdout).toBe(`${expected[0]}\n`)
})

test('a reader that hangs up is no error', async () => {
  const cwd = folder({ 'big.org': '* TODO /One/ of many :tag:\ntext\n'.repeat(10_000) })
  const child = spawn(process.execPath, [command, '--json', 'big.org'], { cwd, env })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (words) => {
    complaints += words
  })
  child.stdout.once('data', () => child.stdout.destroy())
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
})

test.skipIf(!existsSync('/dev/full'))('a full disk is an error', () => {
  const cwd = folder({ 'a.org': garden })
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `'${process.execPath}' '${command}' --json a.org >/dev/full`],
    { cwd, env, encoding: 'utf8' },
  )
  expect(status).toBe(1)
  expect(stderr).toMatch(/^org-ast: the output could not be written: .*ENOSPC/)
})
