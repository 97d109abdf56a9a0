import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { callTool, createRuntime, openMemex } from '@passepartout/core'
import { findSandbox, workspacesOf } from '@passepartout/gates/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { createLiterateTools } from '../../src/tools/literate-tools.ts'

const document = `* One
#+name: greet
#+begin_src sh :tangle one.sh :noweb yes
<<name>>
echo hello
#+end_src

#+name: name
#+begin_src sh
who=ann
#+end_src
`

function setting() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'literate-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['memex', 'work/node_modules/.bin', 'work/sub', 'state'])
    mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, 'work/a.org'), document)
  const program = '#!/bin/sh\nprintf "%s|" "$@"\n'
  writeFileSync(join(home, 'work/node_modules/.bin/org-tangle'), program, { mode: 0o755 })
  const config = { home, memexDir: join(home, 'memex'), stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(config.memexDir) })
  const opened = workspacesOf([{ folder: '~/work', commitFirst: false }], home)
  const tools = new Map(createLiterateTools(opened).tools!.map((tool) => [tool.name, tool]))
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  return async (name: string, args: Record<string, unknown>) =>
    (await callTool(tools.get(name)!, args, { runtime, signal, abort })).text
}

test('a block is shown as it is tangled', async () => {
  const call = setting()
  const text = '~/work/a.org:3: sh, tangled to: one.sh\n\nwho=ann\necho hello'
  expect(await call('show-block', { path: '~/work/a.org', block: 'greet' })).toBe(text)
  expect(await call('show-block', { path: '~/work/a.org', block: '3' })).toBe(text)
  expect(await call('show-block', { path: '~/work/a.org', block: 'x' })).toContain('no block x')
  expect(await call('show-block', { path: '~/work/b.org', block: 'x' })).toContain('no file')
  expect(await call('show-block', { path: '~/b.org', block: 'x' })).toContain(
    'neither in the memex',
  )
})

test.runIf(findSandbox().available)('the tangler of the project is run', async () => {
  const call = setting()
  const run = (args: Record<string, unknown>) => call('run-tangle', args)
  expect(await run({ path: '~/work' })).toBe('--check|\nIt ended with 0.')
  expect(await run({ path: '~/work/a.org', action: 'detangle' })).toContain('--detangle|--|a.org|')
  expect(await run({ path: '~/work/sub', action: 'lint' })).toContain('lint|--|sub|')
  expect(await run({ path: '~/work', action: '--force' })).toContain('“action”')
  expect(await run({ path: '~' })).toContain('neither in the memex')
})

test.each([
  ['show-block', { path: 'a.org', block: 'x' }, 'allow'],
  ['run-tangle', { path: '~/work' }, 'ask'],
  ['run-tangle', { path: '~/work', action: 'tangle' }, 'ask'],
  ['show-block', { path: '~/.ssh/id_rsa', block: '1' }, 'reject'],
])('%s %j: %s', (tool, args, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'literate-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const said = judge(stack)({ tool, args, explanation: 'The owner asked for it.' })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
