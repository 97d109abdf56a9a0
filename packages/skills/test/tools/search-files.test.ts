import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { callTool, createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { hostSandbox, type SandboxFound, workspacesOf } from '@passepartout/gates/sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSearchFiles, findRipgrep } from '../../src/tools/search-files.ts'

const none: SandboxFound = { available: false, reason: 'none here' }

function setting(program: string | null, sandbox = none) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'search-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('memex/a.org', '* Beans\n')
  write('memex/diary.org', '* Beans :private:\n:PROPERTIES:\n:ID: secret-day\n:END:\n')
  mkdirSync(join(home, 'work'))
  const memexDir = join(home, 'memex')
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(memexDir) })
  ingestMemex(runtime)
  const opened = workspacesOf([{ folder: '~/work', commitFirst: false }], home)
  const [tool] = createSearchFiles(
    opened,
    () => program,
    () => sandbox,
  ).tools!
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const search = async (args: Record<string, unknown>) =>
    (await callTool(tool!, args, { runtime, signal, abort })).text
  return { home, write, search }
}

const ripgrep = findRipgrep()
const engines: [string, string | null, SandboxFound][] = [
  ['ripgrep', ripgrep, hostSandbox()],
  ['ripgrep without a sandbox', ripgrep, none],
  ['the walk', null, none],
]

const possible = engines.filter(
  ([name, program, { available }]) =>
    name === 'the walk' || (program !== null && (available || name !== 'ripgrep')),
)

describe.each(possible)('with %s', (_, program, sandbox) => {
  test('lines are found in what may be shown', async () => {
    const { home, search, write } = setting(program, sandbox)
    const names = [
      'a.ts',
      'src/b.ts',
      'src/c.md',
      'src/out/d.ts',
      'e.log',
      '.env',
      '.git/f',
      'id_rsa',
    ]
    for (const name of names) write(`work/${name}`, 'x\nBeans (green)\n')
    write('work/.gitignore', '*.log\n')
    write('work/src/.gitignore', '/out\n')
    write('work/photo', 'Beans (green)\0')
    symlinkSync('../memex/diary.org', join(home, 'work/link.ts'))
    const all = ['~/work/a.ts', '~/work/src/b.ts', '~/work/src/c.md']
    const lines = (files: string[]) => files.map((file) => `${file}:2: Beans (green)`).join('\n')
    expect(await search({ query: 'beans (', path: '~/work' })).toBe(lines(all))
    expect(await search({ query: 'beans', path: '~/work', ending: 'ts' })).toBe(
      lines(all.slice(0, 2)),
    )
    expect(await search({ query: 'BEANS', path: '~/work' })).toContain('No line')
    expect(await search({ query: 'beans', path: '~/work/src/b.ts' })).toBe(lines([all[1]!]))
    expect(await search({ query: 'beans', path: '~/work/none' })).toContain(
      'There is no ~/work/none',
    )
    expect(await search({ query: 'beans', path: '~' })).toContain('neither in the memex')
    expect(await search({ query: '--files', path: '~/work' })).toContain('No line')
  })

  test('private notes are not found, nor links to them', async () => {
    const { search, write } = setting(program, sandbox)
    write('work/a.md', 'See [[id:secret-day][that day]].\n')
    expect(await search({ query: 'beans' })).toBe('a.org:1: * Beans')
    expect(await search({ query: 'see', path: '~/work' })).toBe('~/work/a.md:1: See [private].')
  })

  test('what is too much is counted', async () => {
    const { search, write } = setting(program, sandbox)
    for (const name of 'abcdefg') write(`work/${name}.ts`, 'let x\n'.repeat(60))
    const text = await search({ query: 'let', path: '~/work' })
    expect(text.split('\n')).toHaveLength(201)
    expect(text).toContain('and 150 more')
  })
})

test.runIf(ripgrep !== null)('a pattern is found by ripgrep', async () => {
  const { search, write } = setting(ripgrep)
  write('work/a.ts', `function one() {}\n${'a'.repeat(5_000)}b\n`)
  const pattern = { pattern: true, path: '~/work' }
  expect(await search({ query: '^function \\w+', ...pattern })).toContain('a.ts:1: function one')
  expect(await search({ query: '(a+)+$', ...pattern })).toContain('No line')
  expect(await search({ query: '(', ...pattern })).toContain('The pattern cannot be read')
})

test('without ripgrep a pattern is refused', async () => {
  const { search } = setting(null)
  expect(await search({ query: 'a+', pattern: true })).toContain('need ripgrep')
})
