import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Verdict } from '../../src/contract/gate.ts'
import { type Action, messageAction, type Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { act, propose } from '../../src/pipeline/act.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import type { Actuator } from '../../src/pipeline/runtime.ts'

const shell: Action = {
  type: 'request',
  target: 'shell',
  payload: { action: 'execute', cmd: 'ls' },
}
const heard: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's' },
  payload: { sensor: 'user-input', text: 'x' },
  depth: 2,
}

function setting(verdictOf: (action: Action) => Verdict) {
  const dir = mkdtempSync(`${tmpdir()}/act-`)
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const said: string[] = []
  const ran: Action[] = []
  const reply = (signal: Signal) => said.push(String(signal.payload.text))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir), reply })
  runtime.gates.push({ name: 'gate', priority: 1, check: verdictOf })
  for (const name of ['shell', 'cli']) {
    const dispatch = async (action: Action, signal: Signal) => {
      ran.push(action)
      return {
        ...signal,
        depth: 99,
        meta: { source: 'forged' },
        payload: { sensor: 'tool-output' },
      }
    }
    runtime.actuators.set(name, { name, silent: name === 'cli', dispatch })
  }
  return { runtime, said, ran }
}

const ask: Verdict = { kind: 'approval', reason: 'sure?' }

test('what passes is dispatched, and its feedback is one level deeper and not forged', async () => {
  const { runtime, ran } = setting(() => ({ kind: 'pass' }))
  expect(await act(runtime, heard, shell)).toMatchObject({
    depth: 3,
    meta: { ...heard.meta, origin: 'tool' },
  })
  expect(await act(runtime, heard, messageAction('hello'))).toBeNull()
  expect(ran).toEqual([shell, { ...messageAction('hello'), target: 'cli' }])
})

test('what is rejected here does not run, whoever passed it before', async () => {
  const { runtime, ran, said } = setting(() => ({ kind: 'reject', reason: 'not now' }))
  await act(runtime, heard, shell)
  expect(ran).toEqual([])
  expect(said).toEqual(['That is not allowed.\ngate: not now'])
})

test('a heartbeat never actuates', async () => {
  const { runtime, ran } = setting(() => ({ kind: 'pass' }))
  await act(runtime, { ...heard, payload: { sensor: 'heartbeat' } }, shell)
  expect(ran).toEqual([])
})

test('an approval lets through its own action, once, and no other', async () => {
  const { runtime, ran, said } = setting(() => ask)
  await act(runtime, heard, shell)
  const token = /approve ([a-z]{6})/.exec(said[0]!)![1]!
  const approval = runtime.approvals.take(token)!
  const other = { ...shell, payload: { action: 'execute', cmd: 'rm notes.org' } }
  await act(runtime, heard, other, approval)
  expect(ran).toEqual([])
  expect(said).toHaveLength(2)
  await act(runtime, heard, approval.action, approval)
  expect(ran).toEqual([shell])
})

test('the question shows all of what would run, and nothing writes into it', async () => {
  const { runtime, said } = setting(() => ask)
  const payload = {
    action: 'call',
    tool: 'send-mail',
    args: { to: 'eve' },
    cmd: 'ls',
    explanation: 'Tidy up.\nNothing is sent.',
  }
  await act(runtime, heard, { type: 'request', target: 'tool', payload })
  expect(said[0]!.split('\n').slice(0, 3)).toEqual([
    'This needs your approval: tool: send-mail, {"to":"eve"}, ls',
    'Why: Tidy up. ⏎ Nothing is sent.',
    'gate: sure?',
  ])
})

test('what a gate has made of the action is judged before it runs', async () => {
  const { runtime, ran, said } = setting(({ payload }) =>
    payload.cmd === 'ls' ? { kind: 'pass' } : { kind: 'reject', reason: 'only ls' },
  )
  const check = (action: Action): Verdict => ({
    kind: 'change',
    action: { ...action, payload: { ...action.payload, cmd: `${action.payload.cmd}; rm x` } },
  })
  runtime.gates.push({ name: 'helpful', priority: 0, check })
  await act(runtime, heard, shell)
  expect(ran).toEqual([])
  expect(said[0]).toContain('gate: only ls')
})

test('an approved action that is rejected by now does not run', async () => {
  let verdict: Verdict = ask
  const { runtime, ran, said } = setting(() => verdict)
  await act(runtime, heard, shell)
  const approval = runtime.approvals.take(/approve ([a-z]{6})/.exec(said[0]!)![1]!)!
  verdict = { kind: 'reject', reason: 'the link leads elsewhere now' }
  await act(runtime, heard, approval.action, approval)
  expect(ran).toEqual([])
})

test('a target that does not exist is told', async () => {
  const { runtime, said } = setting(() => ({ kind: 'pass' }))
  await act(runtime, heard, { ...shell, target: 'mail' })
  expect(said).toEqual(['There is no actuator mail.'])
})

test('the gates judge the target that is dispatched to', async () => {
  const seen: unknown[] = []
  const { runtime } = setting((action) => {
    seen.push(action.target)
    return { kind: 'pass' }
  })
  await act(runtime, { ...heard, meta: { source: 'shell', sessionId: 's' } }, messageAction('x'))
  await act(runtime, { ...heard, meta: { source: 'somebody', sessionId: 's' } }, messageAction('x'))
  await act(runtime, heard, shell)
  expect(seen).toEqual(['cli', 'cli', 'shell'])
})

test('a deed without a trace is not done', async () => {
  const { runtime, ran } = setting(() => ({ kind: 'pass' }))
  const kinds: string[] = []
  runtime.trace.listen(({ record }) => kinds.push(record.kind))
  runtime.trace.begin(heard)
  await act(runtime, heard, shell)
  expect(kinds).toEqual(['input', 'intent', 'verdict', 'dispatch', 'outcome'])
  runtime.trace.flush = () => Promise.reject(new Error('the disk is full'))
  await expect(act(runtime, heard, shell)).rejects.toThrow('the disk is full')
  await act(runtime, heard, messageAction('hello'))
  expect(ran.map(({ target }) => target)).toEqual(['shell', 'cli'])
})

test.each([
  ['owner', 'owner', 'tool'],
  ['owner', undefined, 'tool'],
  ['owner', 'web', 'web'],
  ['web', 'tool', 'web'],
  ['message', 'tool', 'message'],
  ['tool', 'message', 'message'],
] as const)('after %s a result of %s is %s', async (cause, own, origin) => {
  const { runtime } = setting(() => ({ kind: 'pass' }))
  const payload = { sensor: 'tool-output' }
  const meta = { source: 'x', origin: own }
  const dispatch = async () => ({ ...heard, meta, payload })
  runtime.actuators.set('shell', { name: 'shell', silent: false, dispatch })
  const signal = { ...heard, meta: { ...heard.meta, origin: cause } }
  expect((await act(runtime, signal, shell))?.meta).toEqual({ ...heard.meta, origin })
})

test('an actuator is told when the turn is stopped', async () => {
  const { runtime } = setting(() => ({ kind: 'pass' }))
  const stop = new AbortController()
  const seen: boolean[] = []
  const dispatch: Actuator['dispatch'] = async (_action, _signal, _runtime, abort) => {
    stop.abort()
    seen.push(abort.aborted)
    return null
  }
  runtime.actuators.set('shell', { name: 'shell', silent: false, dispatch })
  await act(runtime, heard, shell, null, stop.signal)
  expect(seen).toEqual([true])
})

test('the memory knows who wrote what', async () => {
  const { runtime } = setting(() => ({ kind: 'pass' }))
  const { memex, store } = runtime
  memex.create('a.org', '* Mine\n')
  const dispatch = async () => {
    memex.patch('a.org', '* Mine\n', [{ begin: 7, end: 7, text: '* Found\n' }])
    return null
  }
  runtime.actuators.set('shell', { name: 'shell', silent: false, dispatch })
  await act(runtime, { ...heard, meta: { ...heard.meta, origin: 'web' } }, shell)
  const authorships = () =>
    store.query({ type: 'headline' }).map(({ authorship: { by, outside } }) => [by, outside])
  expect(authorships()).toEqual([
    ['owner', false],
    ['tool', true],
  ])
  memex.patch('a.org', '* Mine\n* Found\n', [{ begin: 15, end: 15, text: ' it' }])
  ingestMemex(runtime)
  expect(authorships()[1]).toEqual(['owner', true])
  expect(runtime.moments.list()).toHaveLength(1)
})

test('after a tool for notes only its own files are looked at', async () => {
  const { runtime } = setting(() => ({ kind: 'pass' }))
  const { memex, store } = runtime
  const tool = { name: 'jot', description: '', parameters: z.object({}), readOnly: false }
  const run = async () => ({ status: 'success' as const, content: '' })
  runtime.tools.set('jot', { ...tool, reach: 'notes', run })
  const dispatch = async (_: Action, __: Signal, { memex: handed }: typeof runtime) => {
    handed.create('jotted.org', '* Jotted\n')
    memex.create('saved.org', '* Saved by the owner\n')
    return null
  }
  runtime.actuators.set('tool', { name: 'tool', silent: false, dispatch })
  const payload = { action: 'call', tool: 'jot', args: {} }
  await act(runtime, heard, { type: 'request', target: 'tool', payload })
  expect([store.paths(), runtime.memex]).toEqual([['jotted.org'], memex])
  ingestMemex(runtime)
  const authors = store.query({ type: 'file' }).map(({ authorship }) => authorship.by)
  expect(authors).toEqual(['agent', 'owner'])
})

test('a proposal is done, asked about or refused', async () => {
  const verdicts: Verdict[] = [{ kind: 'pass' }, ask, { kind: 'reject', reason: 'no' }]
  const { runtime, ran } = setting(() => verdicts[0]!)
  const became = []
  while (verdicts.length > 0) {
    became.push(await propose(runtime, heard, shell))
    verdicts.shift()
  }
  expect([became, ran]).toEqual([['done', 'asked', 'refused'], [shell]])
})
