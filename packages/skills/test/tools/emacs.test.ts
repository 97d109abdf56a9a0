import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Action,
  createLoop,
  createRuntime,
  loadSkills,
  openMemex,
  type Signal,
} from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'

function setting(connected: string[] = ['e']) {
  const dir = mkdtempSync(join(tmpdir(), 'emacs-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), '* One\n')
  const config = readDaemonConfig({ HOME: dir, XDG_STATE_HOME: dir, MEMEX_DIR: dir })
  const sent: Signal[] = []
  const sessions = {
    has: (id: string) => id === 'c' || connected.includes(id),
    of: (source: string) => (source === 'emacs' ? connected : ['c']),
  }
  const reply = (signal: Signal) => sent.push(signal)
  const runtime = createRuntime({ config, memex: openMemex(dir), reply, connections: sessions })
  loadSkills(runtime, skillsOf(config))
  let next: Action | null = null
  const propose = async function* () {
    if (next === null) yield { type: 'text', text: 'Well.' } as const
    else yield { type: 'action', action: next } as const
    next = null
  }
  runtime.providers.splice(0, runtime.providers.length, { name: 'model', propose })
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const meta = { source: 'cli', sessionId: 'c' }
  const run = async (action: Action) => {
    next = action
    const payload = { sensor: 'user-input', text: 'Go on.' }
    await loop.process({ type: 'event', meta, payload, depth: 0 })
  }
  const asked = () => sent.filter(({ meta, type }) => meta.sessionId === 'e' && type !== 'status')
  const said = () =>
    sent.flatMap(({ type, payload: { text } }) =>
      type === 'response' && text !== 'Well.' ? [text] : [],
    )
  return { asked, said, loop, run }
}

const explanation = 'The owner asked for it.'

function call(tool: string, args: Record<string, unknown>): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool, args, explanation } }
}

test.each([
  ['emacs-insert-at-end', { file: 'a.org', text: 'More.' }],
  ['emacs-insert-node', { file: 'a.org', title: 'Two', under: 'One' }],
  ['emacs-show', { file: 'a.org', line: 1 }],
  ['emacs-message', { text: 'Done.' }],
])('%s reaches Emacs without a question', async (tool, args) => {
  const { asked, run } = setting()
  await run(call(tool, args))
  expect(asked()).toMatchObject([
    { type: 'request', meta: { sessionId: 'e' }, payload: { action: tool.slice(6), ...args } },
  ])
})

test.each(['../a.org', 'none.org', '/etc/passwd', 'flight-plans.org'])(
  '%s is no note',
  async (file) => {
    const { asked, run } = setting()
    await run(call('emacs-insert-at-end', { file, text: 'x' }))
    expect(asked()).toEqual([])
  },
)

test('Lisp asks the owner, however it is written', async () => {
  const payload = { action: 'eval', text: '(+ 1 2)', explanation }
  const actions: Action[] = [
    call('emacs-eval', { code: '(+ 1 2)' }),
    { type: 'request', target: 'emacs', payload },
    { type: 'request', target: 'emacs', payload: { ...payload, tool: 'emacs-eval' } },
  ]
  for (const action of actions.slice(0, 2)) {
    const { asked, said, run } = setting()
    await run(action)
    expect(said()).toEqual([expect.stringContaining('This needs your approval: tool: emacs-eval')])
    expect(asked()).toEqual([])
  }
  const { asked, run } = setting()
  await run(actions[2]!)
  expect(asked()).toEqual([])
})

test('an action for Emacs is a call, and a message there an answer', async () => {
  const { asked, run } = setting()
  const action = (payload: Action['payload']): Action => ({
    type: 'request',
    target: 'emacs',
    payload: { ...payload, explanation },
  })
  await run(action({ action: 'insert-at-end', text: 'More.', args: { file: 'a.org' } }))
  await run(action({ action: 'message', text: 'Hello' }))
  expect(asked()).toMatchObject([
    { type: 'request', payload: { action: 'insert-at-end', file: 'a.org', text: 'More.' } },
    { type: 'response', payload: { text: 'Hello' } },
  ])
})

test('without an Emacs nothing is sent', async () => {
  const { asked, run } = setting([])
  await run(call('emacs-message', { text: 'Done.' }))
  expect(asked()).toEqual([])
})

test('what failed is told, and nobody else can tell it', async () => {
  const { asked, said, loop, run } = setting()
  await run(call('emacs-message', { text: 'Done.' }))
  const { id } = asked()[0]!.payload
  const report = (sessionId: string) =>
    loop.process({
      type: 'event',
      meta: { source: 'emacs', sessionId },
      payload: { sensor: 'emacs-result', id, status: 'error', text: 'The owner stopped it' },
      depth: 0,
    })
  const before = said().length
  await report('c')
  expect(said().slice(before)).toEqual([])
  await report('e')
  await report('e')
  expect(said().slice(before)).toEqual(['Emacs, message: no, The owner stopped it'])
})
