import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const repository = join(import.meta.dirname, '../..')
const bin = join(repository, 'node_modules/.bin')
const cli = join(repository, 'tools/tangle/src/cli.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function project(path: string, code: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'org-lines-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const lines = code.replace(/^(?=.)/gm, '    ')
  const document = `* Prose\nMore.\n- a\n  - b\n    #+begin_src ts :tangle ${path}\n${lines}    #+end_src\n`
  const settings = { compilerOptions: { noEmit: true, strict: true, types: [] }, include: [path] }
  const biome = { vcs: { enabled: false }, formatter: { indentStyle: 'space' } }
  const files = {
    'package.json': '{"type":"module","org-tangle":{}}',
    'tsconfig.json': JSON.stringify(settings),
    'biome.json': JSON.stringify(biome),
    'a.org': document,
    [path]: code,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const before = document.slice(0, document.indexOf('wrong')).split('\n')
  return { root, at: `${before.length}`, column: `${before.at(-1)!.length + 1}` }
}

function run(cwd: string, command: string, ...args: string[]) {
  const { VITEST: _, NODE_V8_COVERAGE: __, ...inherited } = process.env
  const env = { ...inherited, NO_COLOR: '1', CI: '' }
  const all = [...flags, cli, 'run', '--', join(bin, command), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, all, {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { code: status, out: (stdout + stderr).replaceAll(/\x1b\[[\d;]*m/g, '') }
}

test('tsc', () => {
  const { root, at, column } = project('a.ts', 'const one = 1\nexport const wrong: string = one\n')
  const plain = run(root, 'tsc', '--noEmit', '--pretty', 'false')
  expect(plain.code).not.toBe(0)
  expect(plain.out).toContain(`a.org(${at},${column}): error TS2322`)
  const pretty = run(root, 'tsc', '--noEmit', '--pretty')
  expect(pretty.out).toContain(`a.org:${at}:${column} - error TS2322`)
  expect(plain.out + pretty.out).not.toContain('a.ts')
})

test('biome', () => {
  const code = 'export function f(a: unknown) {\n\treturn a == /wrong/;\n}\n'
  const { root, at } = project('a.ts', code)
  const { code: status, out } = run(root, 'biome', 'lint', '--error-on-warnings', '.')
  expect(status).not.toBe(0)
  expect(out).toMatch(new RegExp(`^a\\.org:${at}:\\d+ lint/suspicious/noDoubleEquals`, 'm'))
  expect(out).not.toContain('a.ts')
})

test('biome, formatting', () => {
  const { root } = project('a.ts', 'export const   wrong = 1\n')
  const { out } = run(root, 'biome', 'format', '.')
  expect(out).toMatch(/^a\.org:6 format ━/m)
  expect(out).not.toMatch(/^a\.ts/m)
})

test('vitest', () => {
  const code =
    "import { expect, test } from 'vitest'\ntest('a', () => {\n  expect(1, 'wrong').toBe(2)\n})\n"
  const { root, at } = project('a.test.ts', code)
  const { code: status, out } = run(root, 'vitest', 'run')
  expect(status).toBe(1)
  expect(out).toMatch(new RegExp(`❯ a\\.org:${at}:\\d+`))
  expect(out).not.toMatch(/a\.test\.ts:\d/)
})

test('a daemon', async () => {
  const code =
    "console.log('ready')\nprocess.stdin.once('data', () => {\n  throw new Error('wrong')\n})\n"
  const { root, at } = project('a.ts', code)
  const register = join(repository, 'tools/tangle/src/positions/register.ts')
  const all = [...flags, '--import', register, join(root, 'a.ts')]
  const child = spawn(process.execPath, all, { cwd: tmpdir() })
  const ended = once(child, 'exit')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  await once(child.stdout, 'data')
  child.stdin.end('go')
  expect(await ended).toEqual([1, null])
  expect(log).toContain(`${join(root, 'a.org')}:${at}\n`)
  expect(log).toMatch(new RegExp(`at .*file://${root}/a\\.org:${at}:\\d+`))
  expect(log).not.toContain('a.ts')
})
