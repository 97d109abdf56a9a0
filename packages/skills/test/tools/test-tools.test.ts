import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { callTool, createRuntime, openMemex } from '@passepartout/core'
import { findSandbox, workspacesOf } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { createTestTools, testCommand } from '../../src/tools/test-tools.ts'

function setting(files: Record<string, string>) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'test-tools-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['memex', 'work', 'state']) mkdirSync(join(home, folder))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'work', name), text)
  const config = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(config.memexDir) })
  const [tool] = createTestTools(workspacesOf([{ folder: '~/work', commitFirst: false }], home))
    .tools!
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = { runtime, signal, abort }
  const call = async (args: Record<string, unknown>) => (await callTool(tool!, args, context)).text
  return {
    folder: join(home, 'work'),
    call,
    preview: (args: object) => tool!.preview!({ ...args }, context),
  }
}

test.each([
  ['package.json', '{"scripts":{"test":"vitest"}}', null, 'npm test --silent'],
  ['package.json', '{"scripts":{"test":"vitest"}}', 'a.ts', "npm test --silent -- 'a.ts'"],
  ['package.json', '{"scripts":{}}', null, null],
  ['package.json', '{"scripts":', null, null],
  ['Makefile', 'all:\ntest: all\n\ttrue\n', 'one', "make test ONLY='one'"],
  ['Makefile', 'tests:\n', null, null],
  ['Cargo.toml', '', null, 'cargo test --offline'],
  ['go.mod', '', 'One', "go test ./... -run 'One'"],
  ['pyproject.toml', '', 'one', "python3 -m pytest -q -k 'one'"],
  ['readme.md', '', null, null],
])('%s %s with %s: %s', (name, text, only, command) => {
  expect(testCommand(setting({ [name]: text }).folder, only)).toBe(command)
})

const canMake = findSandbox().available && existsSync('/usr/bin/make')

test.runIf(canMake)('tests are run in the project', async () => {
  const makefile = 'test:\n\t@echo run $(ONLY) && test "$(ONLY)" != bad\n'
  const { call, preview } = setting({ Makefile: makefile })
  const args = { path: '~/work', only: 'one' }
  expect(await preview(args)).toBe("in ~/work: make test ONLY='one'")
  expect(await call(args)).toBe('run one\nIt ended with 0.')
  expect(await call({ ...args, only: 'bad' })).toContain('ERROR [run-tests]: run bad')
})

test('what is no project is told', async () => {
  const { call } = setting({})
  expect(await call({ path: '~/work' })).toContain('does not say how it is tested')
  expect(await call({ path: '~' })).toContain('neither in the memex')
  for (const only of ['-x', "'; touch x; '", '$(touch x)', 'a\nb'])
    expect(await call({ path: '~/work', only })).toContain('“only”: ')
})

test.each([
  [{ path: '~/work' }, 'ask'],
  [{ path: '~/work', only: '$(touch x)' }, 'reject'],
  [{ path: '~/.ssh/id_rsa' }, 'reject'],
])('run-tests %j: %s', (args, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'test-tools-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const explanation = 'The owner asked for it.'
  const said = judge(stack)({ tool: 'run-tests', args, explanation })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
