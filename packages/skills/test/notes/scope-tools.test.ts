import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { memoryTools } from '../../src/notes/memory-tools.ts'
import { notes } from '../../src/notes/notes.ts'
import { scopeTools } from '../../src/notes/scope-tools.ts'
import { tasks } from '../../src/notes/tasks.ts'
import { readCommand } from '../../src/planner/grammar.ts'

const text = `* TODO Sow
* Roof
:PROPERTIES:
:SCOPE: project:roof
:END:
** TODO Buy tiles
* TODO Secret tiles :private:
`

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'scopes-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'notes')
  mkdirSync(memexDir)
  writeFileSync(join(memexDir, 'a.org'), text)
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const clock = { now: () => new Date(2026, 10, 21, 9, 30) }
  const runtime = createRuntime({ config, memex: openMemex(memexDir), clock })
  ingestMemex(runtime)
  const skills = [scopeTools, notes, tasks, memoryTools]
  const tools = new Map(skills.flatMap((skill) => skill.tools!).map((tool) => [tool.name, tool]))
  return async (sessionId: string, name: string, args: Record<string, unknown> = {}) => {
    const abort = new AbortController().signal
    const signal = {
      type: 'event',
      meta: { source: 'cli', sessionId },
      depth: 0,
      payload: { sensor: 'user-input', text: '' },
    } as never
    const result = await tools.get(name)!.run(args, { runtime, signal, abort })
    return result.status === 'success' ? result.content : result.message
  }
}

test('a project is seen by the session that went into it', async () => {
  const run = setting()
  const tiles = () => run('a', 'list-tasks', { about: 'tiles' })
  const nothing = 'No open task is like that.'
  expect(await tiles()).toBe(nothing)
  expect(await run('a', 'push-context', { scope: 'roof' })).toBe('You are in memex / project:roof.')
  expect(await tiles()).toContain('Buy tiles  a.org:6')
  expect(await run('a', 'list-tasks')).toContain('Buy tiles')
  expect(await run('b', 'list-tasks')).not.toContain('Buy tiles')
  expect(await run('b', 'push-context', { scope: 'barn' })).toContain('No note is in it yet')
  expect(await run('a', 'pop-context')).toBe('You are in memex.')
  expect(await tiles()).toBe(nothing)
  expect(await run('a', 'push-context', { scope: '../x' })).toContain('A context is')
})

test('words and queries are answered within the scope', async () => {
  const run = setting()
  const search = (query: string) => run('a', 'search-notes', { query })
  expect(await search('tiling tiles')).toContain('Nothing in your notes mentions')
  expect(await search('todo:open tiles')).toBe('Nothing in your notes meets todo:open tiles.')
  await run('a', 'push-context', { scope: 'roof' })
  expect(await search('buying a tile')).toMatch(
    /^Nearest to .*\n\na.org:6 {2}Roof \/ TODO Buy tiles$/,
  )
  expect(await search('todo:open tiles')).toMatch(/^One note meets todo:open tiles:\n\na.org:6 /)
  expect(await search('“buy tiles”')).toContain('One note meets "buy tiles"')
  expect(await search('sow or reap')).toContain('One note meets')
  expect(await search('slates or tilers')).toContain('Nearest to')
  expect(await search('tga:x')).toContain('tga:x\n^\n')
})

test('what is not seen is neither shown nor edited', async () => {
  const run = setting()
  const away =
    '“Buy tiles” belongs to project:roof, where you are not. “push-context project:roof” goes there.'
  expect(await run('a', 'show-note', { query: 'buy tiles' })).toBe(away)
  expect(await run('a', 'complete-task', { query: 'buy tiles' })).toBe(away)
  expect(await run('a', 'note-history', { query: 'buy tiles' })).toBe(away)
  expect(await run('a', 'refile-task', { query: 'sow', under: 'Roof' })).toContain(
    'no place called',
  )
  await run('a', 'push-context', { scope: 'roof' })
  expect(await run('a', 'show-note', { query: 'roof' })).toContain('** TODO Buy tiles')
  expect(await run('a', 'complete-task', { query: 'buy tiles' })).toContain('Done: “Buy tiles”')
  expect(await run('b', 'show-note', { query: 'buy tiles' })).toBe(away)
  expect(await run('b', 'show-note', { query: 'secret tiles' })).toContain('No note is titled')
})

test.each([
  ['push-context roof', 'push-context', { scope: 'roof' }],
  ['push context project:roof', 'push-context', { scope: 'project:roof' }],
  ['pop-context', 'pop-context', {}],
])('%s', (sentence, tool, args) => {
  expect(readCommand(sentence, new Date(2026, 10, 21))).toMatchObject({ kind: 'call', tool, args })
})
