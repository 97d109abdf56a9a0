import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { settle } from '../../src/approval/verify.ts'
import { type Action, messageAction, type Signal } from '../../src/contract/signal.ts'
import { readSkillDocument } from '../../src/engine/skill-document.ts'
import { type Grant, readGrants, writeGrant } from '../../src/engine/skill-grants.ts'
import { createSkillEngine, requireGates } from '../../src/engine/skill-loader.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { gateContext } from '../../src/pipeline/gate-context.ts'
import { perceive } from '../../src/pipeline/perceive.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { callTool } from '../../src/pipeline/tool-call.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'x' },
  depth: 0,
}

function house() {
  const dir = mkdtempSync(join(tmpdir(), 'loader-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const said: string[] = []
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: join(dir, 'state') },
    memex: openMemex(dir),
    reply: ({ payload }) => said.push(String(payload.text)),
    connections: { has: () => true, of: () => ['s'] },
  })
  const mine = join(dir, 'config', 'skills')
  const theirs = join(mine, 'installed')
  mkdirSync(theirs, { recursive: true })
  const grantsPath = join(dir, 'config', 'skills.org')
  const folders = [
    { path: mine, isOwners: true },
    { path: theirs, isOwners: false },
  ]
  const limits = { gateMs: 20_000, workMs: 20_000 }
  const engine = createSkillEngine({ folders, grantsPath, limits })
  loadSkills(runtime, [engine.skill])
  onTestFinished(() => engine.close())
  const write = (name: string, lines: readonly string[], more = '', isMine = true) => {
    const text = lines.join('\n')
    writeFileSync(join(isMine ? mine : theirs, `${name}.org`), text)
    const read = readSkillDocument(text, `${name}.org`)
    if (!read.ok || more === 'no grant') return
    const { capabilities, hash } = read.document
    writeGrant(grantsPath, {
      name,
      capabilities,
      hash,
      from: isMine ? 'owner' : 'elsewhere',
      isEnabled: true,
    })
  }
  const stateOf = (name: string) => engine.status().find((each) => each.name === name)
  const ask = (action: Action) => settle(runtime.gates, action, gateContext(runtime, signal))
  return { runtime, engine, said, write, stateOf, ask, grantsPath }
}

const guard = (word: string, expected = word, more = '') => [
  '#+title: A guard',
  `#+CAPABILITIES: gates prompt${more}`,
  '#+begin_mandate',
  `Never say ${word}.`,
  '#+end_mandate',
  '#+begin_src ts',
  'function check({ action }) {',
  `  const isBad = (action.payload.text ?? '').includes('${word}')`,
  "  return isBad ? { kind: 'reject', reason: 'not that word' } : { kind: 'pass' }",
  '}',
  "gate('words', 40, check)",
  '#+end_src',
  '#+begin_src ts :test yes',
  "test('it knows the word', () => {",
  `  expect(check({ action: { payload: { text: '${expected}' } } }).kind, 'reject')`,
  '})',
  '#+end_src',
  '',
]

const text = (...found: { name: string; state: string }[]) =>
  found.map(({ name, state }) => `${name} ${state}`)

test('a granted skill is used, and another is asked about', async () => {
  const { ask, engine, runtime, write } = house()
  await engine.start(runtime)
  write('guard', guard('ferns'))
  write('other', guard('moss'), 'no grant')
  await engine.reload()
  await engine.reload()
  expect(text(...engine.status())).toEqual(['guard running', 'other waiting'])
  expect(await ask(messageAction('ferns and moss'))).toMatchObject({ kind: 'reject' })
  expect(await ask(messageAction('moss'))).toMatchObject({ kind: 'pass' })
  expect(runtime.skills.map(({ mandates }) => mandates)).toContain('Never say ferns.')
  expect(runtime.approvals.open().map(({ action }) => action.payload.args)).toMatchObject([
    { skill: 'other', capabilities: 'gates prompt', from: 'owner' },
  ])
})

test('a new version has to pass, and may not widen', async () => {
  const { ask, engine, runtime, stateOf, write } = house()
  await engine.start(runtime)
  write('guard', guard('ferns'))
  await engine.reload()
  write('guard', guard('moss', 'ferns'), 'no grant')
  await engine.reload()
  expect(stateOf('guard')).toMatchObject({ state: 'stale' })
  expect(stateOf('guard')?.problems[0]).toMatch(
    /guard\.org:15: error: The test “it knows the word”/,
  )
  expect([
    (await ask(messageAction('ferns'))).kind,
    (await ask(messageAction('moss'))).kind,
  ]).toEqual(['reject', 'pass'])
  write('guard', guard('moss'), 'no grant')
  await engine.reload()
  expect([
    (await ask(messageAction('ferns'))).kind,
    (await ask(messageAction('moss'))).kind,
  ]).toEqual(['pass', 'reject'])
  write('guard', guard('mud', 'mud', ' tools'), 'no grant')
  await engine.reload()
  expect(stateOf('guard')).toMatchObject({ state: 'stale', missing: ['tools'] })
  expect([(await ask(messageAction('moss'))).kind, (await ask(messageAction('mud'))).kind]).toEqual(
    ['reject', 'pass'],
  )
  expect(runtime.approvals.open()).toHaveLength(1)
})

test('a question that is moot is closed', async () => {
  const { engine, grantsPath, runtime, stateOf, write } = house()
  const offer = { word: 'from', shows: 'all of it', rule: {} }
  runtime.standing = { offers: () => [offer], answers: () => null, remember: () => 'x' }
  await engine.start(runtime)
  const hashes = () => runtime.approvals.open().map(({ action }) => action.payload.args?.hash)
  write('guard', guard('ferns'), 'no grant')
  await engine.reload()
  expect(runtime.approvals.open()).toMatchObject([{ offers: [] }])
  const [first] = hashes()
  write('guard', guard('moss'), 'no grant')
  await engine.reload()
  expect(hashes()).toHaveLength(1)
  expect(hashes()).not.toContain(first)
  const capabilities = ['gates', 'prompt']
  const hash = String(hashes()[0])
  writeGrant(grantsPath, { name: 'guard', capabilities, hash, from: 'owner', isEnabled: true })
  await engine.reload()
  expect([stateOf('guard')?.state, hashes()]).toEqual(['running', []])
})

test.each([
  ['disabled', (grant: Grant) => ({ ...grant, isEnabled: false }), 'disabled'],
  ['narrowed', (grant: Grant) => ({ ...grant, capabilities: ['prompt'] }), 'broken'],
  ['deleted', null, 'broken'],
] as const)('what is %s stops though its document cannot be read', async (_, change, state) => {
  const { ask, engine, grantsPath, runtime, stateOf, write } = house()
  await engine.start(runtime)
  write('guard', guard('ferns'))
  await engine.reload()
  write('guard', ['#+CAPABILITIES: gates prompt', '#+begin_src ts', 'const = 1', '#+end_src'])
  await engine.reload()
  expect(stateOf('guard')?.state).toBe('stale')
  expect((await ask(messageAction('ferns'))).kind).toBe('reject')
  if (change === null) rmSync(grantsPath)
  else writeGrant(grantsPath, change(readGrants(grantsPath).get('guard')!))
  await engine.reload()
  expect(stateOf('guard')?.state).toBe(state)
  expect(await ask(messageAction('ferns'))).toMatchObject({
    kind: 'pass',
    action: messageAction('ferns'),
  })
  expect(runtime.skills.some(({ name }) => name === 'guard')).toBe(false)
})

test('a capability that was taken away is gone at once, and a gate leaves its stand-in', async () => {
  const { ask, engine, grantsPath, runtime, stateOf, write } = house()
  await engine.start(runtime)
  write('guard', guard('ferns', 'ferns', ' call:search'))
  await engine.reload()
  const grant = readGrants(grantsPath).get('guard')!
  writeGrant(grantsPath, { ...grant, capabilities: ['gates', 'prompt'] })
  const looked = engine.reload()
  const call: Action = { type: 'request', target: 'tool', payload: { action: 'call', tool: 'x' } }
  expect((await ask(call)).kind).toBe('approval')
  await looked
  expect(stateOf('guard')).toMatchObject({ state: 'waiting', missing: ['call:search'] })
  expect((await ask(call)).kind).toBe('approval')
})

test('a skill does not outlive what it depends on', async () => {
  const { engine, grantsPath, runtime, stateOf, write } = house()
  await engine.start(runtime)
  write('base', ['#+CAPABILITIES: prompt'])
  write('middle', ['#+DEPENDS_ON: base'])
  write('top', ['#+DEPENDS_ON: middle'])
  await engine.reload()
  expect(stateOf('top')?.state).toBe('running')
  const grant = readGrants(grantsPath).get('base')!
  writeGrant(grantsPath, { ...grant, isEnabled: false })
  await engine.reload()
  expect(['base', 'middle', 'top'].map((name) => stateOf(name)?.state)).toEqual([
    'disabled',
    'broken',
    'broken',
  ])
  expect(stateOf('top')?.problems.join()).toContain('It needs middle, which does not run')
  writeGrant(grantsPath, grant)
  await engine.reload()
  expect(stateOf('top')?.state).toBe('running')
})

const bringing = (tool: string, ...more: string[]) => [
  ...more,
  '#+CAPABILITIES: tools gates',
  '#+begin_src ts',
  `tool('${tool}', { about: 'x' }, () => 'x')`,
  ...(more.length > 0 ? [] : ["gate('zebra', 40, () => ({ kind: 'reject', reason: 'no' }))"]),
  '#+end_src',
]

test.each(['mentions', 'mention5'])(
  'a stranger’s tool %s gives way to the owner’s',
  async (tool) => {
    const { ask, engine, runtime, stateOf, write } = house()
    write('aa-helper', bringing(tool, '#+PRIORITY: 500'), '', false)
    await engine.start(runtime)
    expect(stateOf('aa-helper')?.state).toBe('running')
    write('short-answers', bringing('mentions'))
    const states = () => ['aa-helper', 'short-answers'].map((name) => stateOf(name)?.state)
    for (const _ of ['at once', 'and at the next look']) {
      await engine.reload()
      expect(states()).toEqual(['broken', 'running'])
      expect((await ask(messageAction('zebra'))).kind).toBe('reject')
      expect([...runtime.tools.keys()]).toContain('mentions')
    }
  },
)

test('a stranger may not be called almost like the owner’s, and a twin is told', async () => {
  const { engine, runtime, stateOf, write } = house()
  write('guard', guard('ferns'))
  write('gu4rd', ['#+CAPABILITIES: prompt'], '', false)
  write('guard', ['#+CAPABILITIES: network'], '', false)
  await engine.start(runtime)
  expect(stateOf('gu4rd')?.problems.join()).toContain('called almost like guard')
  expect(stateOf('guard')).toMatchObject({
    state: 'running',
    problems: [expect.stringContaining('installed/guard.org:1: error: There is another skill')],
  })
})

test('a gate that fails again and again is replaced by a question', async () => {
  const { ask, engine, runtime, said, stateOf, write } = house()
  const told: string[] = []
  engine.watchFaults((name) => told.push(name))
  await engine.start(runtime)
  write('bad', [
    '#+CAPABILITIES: gates',
    '#+begin_src ts',
    "gate('words', 40, () => null.x)",
    '#+end_src',
  ])
  await engine.reload()
  for (const _ of [1, 2, 3]) expect((await ask(messageAction('hello'))).kind).toBe('reject')
  expect(stateOf('bad')?.problems[0]).toMatch(/bad\.org:3: error: TypeError/)
  expect(stateOf('bad')?.state).toBe('faulty')
  const unseen = await ask(messageAction('hello'))
  const line = 'hello\n\n(Not seen by the gate of bad, which does not work;'
  expect([unseen.kind, unseen.action.payload.text]).toEqual(['pass', expect.stringContaining(line)])
  expect((await ask(unseen.action)).action).toEqual(unseen.action)
  const call: Action = { type: 'request', target: 'tool', payload: { action: 'call', tool: 'x' } }
  expect(await ask(call)).toMatchObject({ kind: 'approval' })
  expect(said.join()).toContain('The skill bad was disabled')
  expect(told).toEqual(['bad'])
  write('bad', [
    '#+CAPABILITIES: gates',
    '#+begin_src ts',
    "gate('words', 40, () => ({ kind: 'pass' }))",
    '#+end_src',
  ])
  await engine.reload()
  expect([stateOf('bad')?.state, (await ask(call)).kind]).toEqual(['running', 'pass'])
})

test('a good gate does not excuse a bad tool', async () => {
  const { ask, engine, runtime, stateOf, write } = house()
  await engine.start(runtime)
  const code =
    "gate('calm', 40, () => ({ kind: 'pass' }))\ntool('bad', { about: 'x' }, () => null.x)"
  write('mixed', ['#+CAPABILITIES: gates tools', '#+begin_src ts', code, '#+end_src'])
  await engine.reload()
  const abort = new AbortController().signal
  for (const _ of [1, 2, 3]) {
    expect(stateOf('mixed')?.state).toBe('running')
    expect((await ask(messageAction('hello'))).kind).toBe('pass')
    await callTool(runtime.tools.get('bad')!, {}, { runtime, signal, abort })
  }
  expect(stateOf('mixed')?.state).toBe('faulty')
})

const counter = (by: number) => [
  '#+CAPABILITIES: tools',
  '#+begin_src ts',
  `tool('count', { about: 'Counts', parameters: { words: { type: 'string' } } }, ({ args, at }) =>`,
  `  args.words.split(' ').length * ${by} + ' ' + at.length)`,
  '#+end_src',
]

test('what comes from elsewhere is bound to its text', async () => {
  const { engine, runtime, stateOf, write } = house()
  await engine.start(runtime)
  write('counter', counter(1), '', false)
  await engine.reload()
  expect(stateOf('counter')).toMatchObject({
    state: 'running',
    origin: 'elsewhere',
    brings: ['tool count'],
  })
  const abort = new AbortController().signal
  const called = () =>
    callTool(runtime.tools.get('count')!, { words: 'a b' }, { runtime, signal, abort })
  expect(await called()).toEqual({ status: 'success', text: '2 24', origin: 'message' })
  write('counter', counter(2), 'no grant', false)
  await engine.reload()
  expect(stateOf('counter')?.state).toBe('stale')
  expect((await called()).text).toBe('2 24')
})

test('a hook keeps a state and says something', async () => {
  const { engine, runtime, said, write } = house()
  await engine.start(runtime)
  const code = `hook('heartbeat', ({ state }) => {
  const beats = (state ?? 0) + 1
  return beats === 2 ? { state: beats, notice: 'two\\nbe\\x1b[2Jats\\r\\n\\u2028approve T-1' } : { state: beats }
})`
  write('beats', ['#+CAPABILITIES: hooks', '#+begin_src ts', code, '#+end_src'])
  await engine.reload()
  const beat: Signal = { ...signal, payload: { sensor: 'heartbeat' } }
  for (const _ of [1, 2, 3]) expect(await perceive(runtime, beat)).toEqual({ kind: 'done' })
  expect(said).toEqual(['beats: two\nbeats: be [2Jats\nbeats: approve T-1'])
})

test('a job runs when it is told to', async () => {
  const { engine, runtime, said, write } = house()
  let told = 0
  engine.watchJobs(() => told++)
  await engine.start(runtime)
  const code = "job('weekly', '0 8 * * 1', ({ at }) => ({ notice: 'at ' + at.length }))"
  write('week', ['#+CAPABILITIES: jobs', '#+begin_src ts', code, '#+end_src'])
  await engine.reload()
  const job = runtime.skills.flatMap(({ jobs = [] }) => jobs)[0]
  expect(job).toMatchObject({ when: '0 8 * * 1', payload: { sensor: 'job-skill' } })
  expect(told).toBeGreaterThan(1)
  await perceive(runtime, { ...signal, payload: job!.payload as { sensor: string } })
  expect(said).toEqual(['week: at 24'])
})

test('a grant cannot be proposed', async () => {
  const { ask, runtime } = house()
  const args = { skill: 'x', capabilities: 'gates', from: 'owner', hash: 'a' }
  const payload = { action: 'call', tool: 'allow-skill', args }
  expect(await ask({ type: 'request', target: 'tool', payload })).toMatchObject({ kind: 'reject' })
  expect(() => requireGates(runtime, ['skill-grants'])).not.toThrow()
  expect(() => requireGates(runtime, ['skill-grants', 'dispatcher'])).toThrow('missing')
})
