import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Action, Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { gateContext, withTarget } from '../../src/pipeline/gate-context.ts'
import type { Runtime, Tool } from '../../src/pipeline/runtime.ts'

function emptyFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gate-context-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('facts are found out once, when a gate asks', () => {
  const dir = emptyFolder()
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  let asked = 0
  const facts = () => {
    asked++
    if (asked > 1) throw new Error('the vault is locked')
    return { count: asked }
  }
  runtime.skills.push({ name: 'vault', description: '', facts })
  const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }
  const context = gateContext(runtime, signal)
  expect(asked).toBe(0)
  expect([context.facts.vault, context.facts.vault]).toEqual([{ count: 1 }, { count: 1 }])
  const next = gateContext(runtime, signal)
  for (const _ of [1, 2]) expect(() => next.facts.vault).toThrow('the vault is locked')
  expect(asked).toBe(2)
})

const run: Tool = {
  name: 'run',
  description: '',
  parameters: z.object({ command: z.string().trim().min(1) }),
  readOnly: false,
  means: ({ command }) => ({
    target: 'shell',
    payload: { action: 'execute', cmd: String(command) },
  }),
  run: async () => ({ status: 'error', message: 'never' }),
}
const short = { tools: new Map([['run', run]]), actuators: new Map() } as unknown as Runtime
const called: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }

test.each<[Action['payload'], Partial<Action>]>([
  [
    { action: 'call', tool: 'run', args: { command: ' ls ' }, explanation: 'to see' },
    { target: 'shell', payload: { action: 'execute', cmd: 'ls', explanation: 'to see' } },
  ],
  [
    { action: 'message', text: 'Hello', tool: 'run', args: { command: 'ls' } },
    { target: 'shell', payload: { action: 'execute', cmd: 'ls', explanation: undefined } },
  ],
  [{ action: 'call', tool: 'run', args: { command: '' } }, { target: 'tool' }],
  [{ action: 'call', tool: 'other', args: {} }, { target: 'tool' }],
])('what %j stands for is judged', (payload, meant) => {
  const action = { type: 'request', target: 'tool', payload } as const
  expect(withTarget(short, called, action)).toMatchObject(meant)
})
