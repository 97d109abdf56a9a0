import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { callTool, createRuntime, openMemex } from '@passepartout/core'
import { workspacesOf } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { createTypeScriptTools } from '../../src/tools/typescript-tools.ts'

const files = {
  'tsconfig.json':
    '{"compilerOptions":{"strict":true,"module":"nodenext","noEmit":true,"allowImportingTsExtensions":true,"types":[],"lib":["ES2024"]},"include":["src"]}',
  'src/area.ts': `import { pi, unused } from './numbers.ts'

export interface Circle {
  radius: number
}

/** The area. */
export function area(circle: Circle): number {
  return pi * circle.radius ** 2
}

export class Box {
  size(): number {
    return area({ radius: unused })
  }
}
`,
  'src/numbers.ts': 'export const pi = 3\nexport const unused = 1\n',
  'src/main.ts':
    "import { area, Box } from './area.ts'\n\nconst total = area({ radius: 1 })\nexport const all = total + new Box().size()\n",
}

function setting(more: Record<string, string> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'typescript-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  for (const [path, text] of Object.entries({ ...files, ...more })) write(`work/${path}`, text)
  mkdirSync(join(home, 'memex'))
  const config = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(config.memexDir) })
  const opened = workspacesOf([{ folder: '~/work', commitFirst: false }], home)
  const tools = new Map(createTypeScriptTools(opened).tools!.map((tool) => [tool.name, tool]))
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const call = async (name: string, args: Record<string, unknown>) =>
    (
      await callTool(
        tools.get(name)!,
        { path: '~/work/src/area.ts', ...args },
        { runtime, signal, abort },
      )
    ).text
  const read = (path: string) => readFileSync(join(home, 'work', path), 'utf8')
  return { call, read, write }
}

test('the compiler answers questions', { timeout: 120_000 }, async () => {
  const { call, write } = setting()
  expect(await call('ts-look', {})).toBe(
    [
      ...['3: export interface Circle', '4:   radius: number'],
      ...['8: export function area(circle: Circle): number', '12: export class Box'],
      '13:   size(): number',
    ]
      .map((line) => `~/work/src/area.ts:${line}`)
      .join('\n'),
  )
  const pi = await call('ts-look', { question: 'definition', name: 'pi', line: 9 })
  expect(pi).toBe('~/work/src/numbers.ts:1: export const pi = 3')
  const uses = await call('ts-look', { question: 'references', name: 'area' })
  expect(uses.split('\n').map((line) => line.split(': ')[0])).toEqual([
    ...['~/work/src/area.ts:14', '~/work/src/main.ts:1', '~/work/src/main.ts:3'],
  ])
  expect(await call('ts-look', { question: 'check' })).toBe('The compiler has no objection.')
  write('work/src/main.ts', "import { area } from './area.ts'\narea(1)\n")
  expect(await call('ts-look', { path: '~/work/src/main.ts', question: 'check' })).toMatch(
    /^~\/work\/src\/main.ts:2: TS2345: /,
  )
  expect(await call('ts-look', { question: 'definition' })).toContain('needs a name')
  expect(await call('ts-look', { question: 'definition', name: 'x' })).toContain('is called x')
  expect(await call('ts-look', { path: '~/work/tsconfig.json' })).toContain('is no TypeScript')
  expect(await call('ts-look', { path: '~/x.ts' })).toContain('neither in the memex')
})

test('a declaration is renamed everywhere', { timeout: 120_000 }, async () => {
  const { call, read } = setting()
  const said = await call('ts-edit', { edit: 'rename', name: 'area', new_name: 'surface' })
  expect(said).toContain('+++ ~/work/src/main.ts')
  expect(said).not.toContain('compiler then says')
  expect(read('src/main.ts')).toContain('const total = surface({ radius: 1 })')
  expect(read('src/area.ts')).toContain('return surface({ radius: unused })')
  const clash = await call('ts-edit', { edit: 'rename', name: 'surface', new_name: 'Box' })
  expect(clash).toContain('The compiler then says:\n~/work/src/area.ts:')
})

test('a declaration moves with its imports', { timeout: 120_000 }, async () => {
  const { call, read } = setting()
  const args = { edit: 'extract', name: 'area', new_path: '~/work/src/circle/area.ts' }
  const said = await call('ts-edit', args)
  expect(said).not.toContain('compiler then says')
  expect(read('src/circle/area.ts')).toBe(
    `import { pi } from '../numbers.ts';
import type { Circle } from '../area.ts';

/** The area. */
export function area(circle: Circle): number {
  return pi * circle.radius ** 2
}
`,
  )
  expect(read('src/main.ts')).toContain("import { area } from './circle/area.ts';")
  expect(read('src/area.ts')).not.toContain('pi,')
  expect(await call('ts-look', { question: 'check' })).toBe('The compiler has no objection.')
})

test('a body is replaced inside of its braces', { timeout: 120_000 }, async () => {
  const { call, read } = setting()
  const args = { edit: 'replace-body', name: 'Box.size' }
  expect(await call('ts-edit', { ...args, body: 'return 7' })).toContain('return 7')
  expect(read('src/area.ts')).toMatch(/size\(\): number \{\s+return 7\s+\}/)
  const body = 'return 1 }\n}\nfunction evil() { if (1) {'
  expect(await call('ts-edit', { ...args, body })).toContain('stay inside of its place')
  expect(await call('ts-edit', { ...args, body: 'return (' })).toContain('would not parse')
  expect(await call('ts-edit', { ...args, name: 'Circle', body: '' })).toContain('has no body')
  expect(await call('ts-edit', args)).toContain('needs body')
})

test('an edit that would go too far is refused', { timeout: 120_000 }, async () => {
  const closed = { 'src/closed.ts': 'const key = 1\nexport const open = () => key\n' }
  const { call, read } = setting(closed)
  const from = { path: '~/work/src/closed.ts', edit: 'extract', name: 'open' }
  expect(await call('ts-edit', { ...from, new_path: '~/work/src/new.ts' })).toContain(
    'uses key, which the file does not export',
  )
  expect(await call('ts-edit', { ...from, new_path: '~/elsewhere.ts' })).toContain('neither in')
  expect(await call('ts-edit', { ...from, edit: 'rename', new_name: 'a b' })).toContain(
    'is no name',
  )
  expect(read('src/closed.ts')).toBe(closed['src/closed.ts'])
})

test.each([
  ['ts-look', { path: 'a.ts' }, 'allow'],
  ['ts-edit', { path: 'a.ts', edit: 'rename', name: 'a', new_name: 'b' }, 'ask'],
  ['ts-edit', { path: 'a.ts', edit: 'extract', name: 'a', new_path: '/etc/passwd' }, 'reject'],
  ['ts-edit', { path: 'a.ts', edit: 'format', name: 'a' }, 'reject'],
  ['ts-look', { path: '~/.ssh/id_rsa' }, 'reject'],
])('%s %j: %s', (tool, args, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'typescript-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const said = judge(stack)({ tool, args, explanation: 'The owner asked for it.' })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
