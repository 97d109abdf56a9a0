import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyPatches } from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { rehearse } from '../../src/approval/dry-run.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import type { Runtime, Tool } from '../../src/pipeline/runtime.ts'

function setting(run: (runtime: Runtime) => void, fields: Partial<Tool> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'rehearsal-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), '* One\n* Two\n')
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  ingestMemex(runtime)
  const tool: Tool = {
    name: 'write',
    description: '',
    parameters: z.object({}),
    readOnly: false,
    reach: 'notes',
    async run(_, context) {
      run(context.runtime)
      return { status: 'success', content: '' }
    },
    ...fields,
  }
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const abort = new AbortController().signal
  return { dir, runtime, show: () => rehearse(tool, {}, { runtime, signal, abort }) }
}

function put(runtime: Runtime, path: string, text: string): void {
  const before = runtime.memex.read(path)
  const patches = [{ begin: before.length, end: before.length, text }]
  runtime.memex.patch(path, before, patches)
  runtime.store.ingestFile(path, applyPatches(before, patches))
}

test('a rehearsal shows what would change, and changes nothing', async () => {
  const { dir, runtime, show } = setting((given) => {
    put(given, 'a.org', '* Three\n')
    put(given, 'a.org', '* Four\n')
    given.memex.create('b.org', '* New\n')
    expect(given.memex.files()).toEqual(['a.org', 'b.org'])
    expect(() => given.memex.create('b.org', '')).toThrow('there is one')
    expect(() => given.memex.patch('a.org', 'else', [])).toThrow('in the meantime')
    expect(() => given.memex.read('flight-plans.org')).toThrow()
    expect(given.store.query({ type: 'headline' })).toHaveLength(4)
  })
  const root = runtime.store.root()
  const diff = await show()
  expect(diff).toContain(
    '--- a.org\n+++ a.org\n@@ -1,3 +1,5 @@\n * One\n * Two\n+* Three\n+* Four\n ',
  )
  expect(diff).toContain('+++ b.org\n@@ -1,1 +1,2 @@\n+* New\n')
  expect([readFileSync(join(dir, 'a.org'), 'utf8'), readdirSync(dir)]).toEqual([
    '* One\n* Two\n',
    ['a.org'],
  ])
  expect(runtime.store.root()).toBe(root)
})

test.each<[string, Partial<Tool>]>([
  ['reaches further', { reach: undefined as never }],
  ['looks', { readOnly: true }],
  ['is guarded', { guard: () => 'not on Sundays' }],
])('a tool that %s is not rehearsed', async (_, fields) => {
  let runs = 0
  const { show } = setting(() => void runs++, fields)
  expect([await show(), runs]).toEqual([null, 0])
})

test('a tool that fails has nothing to show', async () => {
  const run = async () => ({ status: 'error' as const, message: 'which one?' })
  expect(await setting(() => {}, { run }).show()).toBeNull()
})
