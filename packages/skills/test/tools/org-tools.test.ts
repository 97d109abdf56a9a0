import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack } from '@passepartout/commands/gates-check'
import { callTool, createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import fc from 'fast-check'
import { ancestors, headlines, parse } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import { createOrgTools } from '../../src/tools/org-tools.ts'

const document = `#+title: Garden
* TODO Beds :spring:
** North
Text.
** South
* Tools
#+name: dig
#+begin_src sh
dig
#+end_src
** South
`

function setting(text = document) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'org-tools-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'memex')
  mkdirSync(memexDir)
  writeFileSync(join(memexDir, 'a.org'), text)
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(memexDir) })
  ingestMemex(runtime)
  const tools = new Map(createOrgTools([]).tools!.map((tool) => [tool.name, tool]))
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const call = async (name: string, args: Record<string, unknown>) =>
    (await callTool(tools.get(name)!, { path: 'a.org', ...args }, { runtime, signal, abort })).text
  const write = (text: string) => writeFileSync(join(memexDir, 'a.org'), text)
  return { call, read: () => readFileSync(join(memexDir, 'a.org'), 'utf8'), write }
}

test('the outline has lines', async () => {
  const { call } = setting()
  const lines = (await call('org-outline', {})).split('\n')
  expect(lines.slice(0, 5)).toEqual([
    ...['2: * TODO Beds :spring:', '3: ** North', '5: ** South', '6: * Tools'],
    '8: #+begin_src sh',
  ])
  expect(await call('org-outline', { path: 'a.txt' })).toContain('no Org file')
})

test.each([
  [{ edit: 'add', headline: 'Beds', value: 'East', content: 'Sun.' }, '** East\nSun.\n* Tools'],
  [{ edit: 'add', value: 'End' }, '** South\n* End\n'],
  [{ edit: 'promote', headline: 'North' }, ':spring:\n** South\n* North\nText.\n* Tools'],
  [{ edit: 'demote', headline: 'Tools' }, '** Tools\n'],
  [{ edit: 'move-up', headline: '5' }, ':spring:\n** South\n** North\nText.\n* Tools'],
  [{ edit: 'move-down', headline: 'Beds' }, '** South\n* TODO Beds'],
  [{ edit: 'sort' }, '* TODO Beds'],
  [{ edit: 'tags', headline: 'Beds', value: 'a:b' }, ':a:b:\n'],
  [{ edit: 'set-property', headline: 'Beds / South', name: 'X', value: '1' }, ':X:        1'],
  [{ edit: 'set-property', name: 'X', value: '1' }, ':PROPERTIES:\n:X:        1\n:END:\n#+title'],
  [{ edit: 'block', name: 'dig', content: '* x\n' }, '#+begin_src sh\n,* x\n#+end_src'],
  [{ edit: 'block', headline: 'Tools', content: 'rake' }, '#+begin_src sh\nrake\n#+end_src'],
])('%j', async (args, expected) => {
  const { call, read } = setting()
  expect(await call('edit-outline', args)).toContain(args.edit === 'sort' ? 'Nothing' : 'edited')
  expect(read()).toContain(expected)
})

function parents(text: string): Map<string, string | null> {
  const tree = parse(text)
  const entries = [...headlines(tree)].map((headline): [string, string | null] => {
    return [headline.rawValue, ancestors(tree, headline).at(-1)?.rawValue ?? null]
  })
  return new Map(entries)
}

test('a promoted section takes no other along', async () => {
  const { call, read, write } = setting()
  const level = fc.integer({ min: 1, max: 4 })
  const outline = fc.array(level, { minLength: 2, maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(outline, fc.nat(8), async (levels, pick) => {
      const at = pick % levels.length
      write(levels.map((stars, index) => `${'*'.repeat(stars)} h${index}\n`).join(''))
      const before = parents(read())
      const answer = await call('edit-outline', { edit: 'promote', headline: `h${at}` })
      const after = parents(read())
      expect(answer).toContain(levels[at] === 1 ? 'level 1' : 'edited')
      const moved = (name: string) => name === `h${at}`
      for (const [name, parent] of before) if (!moved(name)) expect(after.get(name)).toBe(parent)
      expect(after.size).toBe(before.size)
    }),
    { numRuns: 60 },
  )
})

test.each([
  [{ edit: 'promote', headline: 'South' }, 'Which one? Say the line:\n  5: ** South\n  11:'],
  [{ edit: 'promote', headline: 'West' }, 'no headline “West”'],
  [{ edit: 'promote', headline: 'Beds' }, 'level 1'],
  [{ edit: 'promote' }, '“promote” needs a headline'],
  [{ edit: 'add', headline: 'Beds' }, '“add” needs a value'],
  [{ edit: 'add', value: 'One\n* Two' }, 'one line'],
  [{ edit: 'set-property', headline: 'Tools', name: 'X', value: 'a\n* b' }, 'one line'],
  [{ edit: 'block', headline: 'Beds', content: 'x' }, 'No such block'],
  [{ edit: 'block', name: 'dig', content: 'x', path: '../b.org' }, 'neither in the memex'],
  [{ edit: 'burn' }, '“edit”: expected one of'],
])('%j is refused: %s', async (args, reason) => {
  const { call, read } = setting()
  expect(await call('edit-outline', args)).toContain(reason)
  expect(read()).toBe(document)
})

test.each([
  ['org-outline', { path: 'a.org' }, 'allow'],
  ['edit-outline', { path: 'a.org', edit: 'sort' }, 'ask'],
  ['edit-outline', { path: 'flight-plans.org', edit: 'sort' }, 'reject'],
  ['edit-outline', { path: '~/.ssh/id_rsa', edit: 'sort' }, 'reject'],
])('%s %j: %s', (tool, args, verdict) => {
  const home = mkdtempSync(join(tmpdir(), 'org-tools-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const stack = openStack({ HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home })
  onTestFinished(() => stack.close())
  const said = judge(stack)({ tool, args, explanation: 'The owner asked for it.' })
  expect([said.verdict, said.reason]).toEqual([verdict, expect.any(String)])
})
