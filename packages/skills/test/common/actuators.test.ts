import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Action, createRuntime, loadSkills, openMemex, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { actuators } from '../../src/common/actuators.ts'

const heard: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's', origin: 'owner' },
  payload: { sensor: 'user-input' },
  depth: 2,
}

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'actuators-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), '* One\n')
  const said: unknown[] = []
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const reply = (signal: Signal) => said.push(signal.payload.text)
  const runtime = createRuntime({ config, memex: openMemex(dir), reply })
  const echo = {
    name: 'echo',
    description: '',
    parameters: z.object({ text: z.string() }),
    readOnly: true,
    run: async ({ text }: Record<string, unknown>) =>
      ({ status: 'success', content: String(text), origin: 'web' }) as const,
  }
  loadSkills(runtime, [actuators, { name: 'echo', description: '', tools: [echo] }])
  const send = (target: string, payload: Action['payload']) => {
    const actuator = runtime.actuators.get(target)!
    const abort = new AbortController().signal
    return actuator.dispatch({ type: 'request', target, payload }, heard, runtime, abort)
  }
  return { runtime, said, send }
}

test('an answer is said, and a call comes back', async () => {
  const { said, send } = setting()
  expect(await send('cli', { action: 'message', text: 'Hello' })).toBeNull()
  expect(said).toEqual(['Hello'])
  expect(await send('tool', { action: 'call', tool: 'echo', args: { text: 'hi' } })).toMatchObject({
    depth: 3,
    meta: { sessionId: 's', origin: 'web' },
    payload: { sensor: 'tool-output', tool: 'echo', text: 'hi', status: 'success' },
  })
})

test('a call that cannot be made comes back as an error', async () => {
  const { send } = setting()
  const call = { action: 'call', tool: 'echo' }
  expect((await send('tool', call))?.payload).toMatchObject({
    status: 'error',
    text: expect.stringMatching(/^ERROR \[echo\]: “text” is missing\./),
  })
  expect((await send('tool', { ...call, tool: 'grep' }))?.payload).toMatchObject({
    text: 'There is no tool grep.',
  })
})

test('the system reads the notes again and does nothing else', async () => {
  const { runtime, send } = setting()
  expect((await send('system', { action: 'reload' }))?.payload.status).toBe('success')
  expect(runtime.store.query({ type: 'headline' }).map(({ title }) => title)).toEqual(['One'])
  expect((await send('system', { action: 'eval', text: '1' }))?.payload.status).toBe('error')
})
