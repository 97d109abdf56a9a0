import { spawnSync } from 'node:child_process'
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { orgTangle } from '../../src/positions/vite.ts'

const repository = join(import.meta.dirname, '../../../..')
const plugin = join(import.meta.dirname, '../../src/positions/vite.ts')

const code = `export function half(n: number): number {
  if (n < 0) {
    throw new RangeError('negative')
  }
  return n / 2
}`
const tests = `import { expect, test } from 'vitest'
import { half } from './half.ts'

test('wrong', () => {
  expect(half(4)).toBe(3)
})
test('thrown', () => {
  half(-1)
})`

function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vite-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const block = (path: string, text: string) =>
    `  #+begin_src typescript :tangle ${path}\n${text.replace(/^(?=.)/gm, '  ')}\n  #+end_src\n`
  const document = `- code\n${block('half.ts', code)}- tests\n${block('half.test.ts', tests)}`
  const config = `const { orgTangle } = await import(String('file://${plugin}'))
export default { plugins: [orgTangle()], test: { coverage: { reporter: 'json' } } }\n`
  const files = {
    'package.json': '{"type":"module","org-tangle":{}}',
    'half.org': document,
    'half.ts': `${code}\n`,
    'half.test.ts': `${tests}\n`,
    'vitest.config.ts': config,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  return root
}

function vitest(cwd: string, ...args: string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const bin = join(repository, 'node_modules/vitest/vitest.mjs')
  const { VITEST: _, NODE_V8_COVERAGE: __, ...inherited } = process.env
  const env = { ...inherited, NO_COLOR: '1' }
  const all = [...flags, bin, 'run', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, all, {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { code: status, out: stdout + stderr }
}

test('only tangled files that agree with their documents are mapped', () => {
  const root = project()
  const watched: string[] = []
  const context = { addWatchFile: (path: string) => watched.push(path) }
  const plugin = orgTangle({ cwd: root })
  const load = (id: string) => plugin.load.call(context, id)
  const path = join(root, 'half.ts')
  expect(load(path)).toMatchObject({
    code: `${code}\n`,
    map: { sources: [join(root, 'half.org')] },
  })
  expect(load(`${path}?v=1`)).not.toBeNull()
  expect(watched[0]).toBe(join(root, 'half.org'))
  for (const other of ['/elsewhere.ts', join(root, 'vitest.config.ts'), '\0virtual']) {
    expect(load(other)).toBeNull()
  }
  writeFileSync(path, '// by hand\n')
  expect(load(path)).toBeNull()
})

test('vitest fails at a line of the document', { timeout: 120_000 }, () => {
  const root = project()
  const { code: status, out } = vitest(root, '--coverage.enabled', '--coverage.reportOnFailure')
  expect(status).toBe(1)
  expect(out).toContain('half.org:16:21')
  expect(out).toContain('half.org:5:13')
  expect(out).toMatch(/16\| +expect\(half\(4\)\)\.toBe\(3\)/)
  expect(out).not.toMatch(/half(?:\.test)?\.ts:\d/)
  const report = JSON.parse(readFileSync(join(root, 'coverage/coverage-final.json'), 'utf8'))
  expect(Object.keys(report)).toEqual([join(root, 'half.org')])
  const [entry] = Object.values<{ fnMap: Record<string, { decl: { start: unknown } }> }>(report)
  expect(entry?.fnMap['0']?.decl.start).toEqual({ line: 3, column: 18 })
})
