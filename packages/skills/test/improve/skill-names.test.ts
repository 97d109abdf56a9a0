import { tmpdir } from 'node:os'
import { readSkillDocument } from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { expect, test } from 'vitest'
import { callableTools, checkNames, nameable, toolLines } from '../../src/improve/skill-names.ts'
import { skillTemplate } from '../../src/improve/skill-template.ts'

const config = readDaemonConfig({ HOME: '/home/ann', MEMEX_DIR: tmpdir() })
const there = nameable(skillsOf(config), ['my-own'])
const all = 'gates tools hooks jobs call:search-notes call:list-tasks'

async function named(code: string, capabilities = all) {
  const text = `#+CAPABILITIES: ${capabilities}\n#+begin_src ts\n${code}\n#+end_src\n`
  const read = readSkillDocument(text, 'guard.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const found = await checkNames(text, read.document, there)
  return found.map(({ kind, line, message }) => `${kind} ${line}: ${message}`)
}

const mistakes = async (code: string, capabilities = all) =>
  (await named(code, capabilities)).filter((line) => line.startsWith('mistake'))

const hook = (body: string) => `hook('heartbeat', async ({ at, state }, { call }) => ${body})`

test.each([
  [hook("call('shownote', {})"), 'no tool “shownote”, did you mean “show-note”?'],
  [hook("call('search-notes', { qeury: 'x' })"), 'did you mean “query”?'],
  [hook("call('search-notes', { query: 7 })"), '“query”'],
  [hook("call('search-notes')"), '“query” is missing'],
  [hook("call('add-note', {})"), 'needs call:add-note among'],
  [hook("({ notic: 'x' })"), 'a hook answers no notic, did you mean “notice”?'],
  [hook("at > 'x' ? null : { notice: 'x', stat: 1 }"), 'did you mean “state”?'],
  ["job('a', '0 8 * * 1', function () { return { text: 'x' } })", 'a job answers no text'],
  [
    "hook('heartbeat', ({ tsate }) => null)",
    'no tsate in what a hook is told, did you mean “state”',
  ],
  [
    "hook('heartbeat', (_, { cal }) => null)",
    'no cal in the second parameter, did you mean “call”',
  ],
  [
    "tool('a', { about: 'x', parameters: { word: { type: 'string' } } }, ({ args }) => args.wrod)",
    'no wrod in args',
  ],
  ["const p = { about: 'x' }\ntool('a', p, ({ args: { word } }) => word)", 'there is: nothing'],
  ["gate('a', 1, ({ actoin }) => ({ kind: 'pass' }))", 'did you mean “action”?'],
  ["gate('a', 1, ({ signal }) => ({ kind: signal.scource }))", 'did you mean “source”?'],
  ["const f = () => ({ kind: 'reject' })\ngate('a', 1, f)", 'says reject gives a reason'],
  ["gate('a', 1, () => ({ kind: 'reject', raeson: 'x' }))", 'did you mean “reason”?'],
  ["gate('a', 1, () => ({ kind: 'allow' }))", 'there is no verdict allow'],
  ["gate('a', 1, ({ action }, { call }) => ({ kind: 'pass' }))", 'a gate can call no tool'],
])('%s', async (code, expected) => {
  expect((await mistakes(code)).join('\n')).toContain(expected)
})

test('what is asked for must be there, and is told at its line', async () => {
  expect(await mistakes('', 'call:shownote')).toEqual([
    expect.stringMatching(/^mistake 1: there is no tool “shownote”, did you mean “show-note”\?/),
  ])
  expect(await mistakes("\ntool('a', { about: 'x' }, ({ arg }) => arg)")).toEqual([
    expect.stringMatching(/^mistake 4: there is no arg in what a tool is told/),
  ])
})

test.each([
  hook("call('search-notes', { query: at })"),
  hook("call('search-notes', state)"),
  hook("call('search-notes', { ...state })"),
  hook('call(state.tool, { anything: 1 })'),
  hook('state'),
  hook("[1].map(() => ({ other: 1 })).length > 0 ? { notice: 'x', state: { day: at } } : null"),
  "const other = { call: (name, x) => x }\nother.call('search-notes', { x: 1 })",
  "gate('a', 1, (input) => ({ ...input.verdict }))",
  "gate('a', 1, ({ action: { payload } }) => ({ kind: 'change', action: payload }))",
])('%s', async (code) => {
  expect(await mistakes(code)).toEqual([])
})

test('the template, the tools of others, and remarks', async () => {
  const text = skillTemplate('first')
  const read = readSkillDocument(text, 'first.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  expect(await checkNames(text, read.document, there)).toEqual([])
  expect(await mistakes('', 'call:my-own call:mcp-files-read')).toEqual([])
  expect(await named("hook('heartbaet', () => null)", 'hooks call:my-own')).toEqual([
    'remark 1: call:my-own is asked for, and no call of my-own is written out',
    'remark 3: nothing in the house sends heartbaet, did you mean “heartbeat”?',
  ])
})

test('the tools are listed with what they take', () => {
  const tools = callableTools(there)
  expect(tools.length).toBeGreaterThan(40)
  expect(tools.map(({ name }) => name)).not.toContain('allow-skill')
  expect(tools.filter(({ example }) => example === null)).toEqual([])
  const lines = toolLines(callableTools(there, 'search-notes'))
  expect(lines).toMatch(/^search-notes {2}\(only looks\)\n/)
  expect(lines).toContain('takes query (text)')
  expect(lines).toContain("call('search-notes', {")
})
