import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Action,
  createRuntime,
  messageAction,
  openMemex,
  type Signal,
} from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  checkMode,
  createSessionModes,
  type SessionMode,
} from '../../src/permissions/session-modes.ts'
import { annContext, callOf, commandOf } from '../verdicts/ann.ts'

const tools = new Map([
  ['look', { parameters: z.object({}), readOnly: true }],
  ['change', { parameters: z.object({}), readOnly: false }],
])

function verdict(mode: SessionMode | undefined, action: Action): string {
  const facts = mode === undefined ? {} : { 'session-modes': mode }
  return checkMode(action, annContext({ tools, facts })).kind
}

test.each<[SessionMode | undefined, Action, string]>([
  [undefined, callOf('change'), 'pass'],
  ['ask', callOf('change'), 'pass'],
  ['confirm', callOf('change'), 'approval'],
  ['confirm', callOf('look'), 'pass'],
  ['look', callOf('change'), 'reject'],
  ['look', callOf('no-such-tool'), 'reject'],
  ['look', callOf('look'), 'pass'],
  ['look', messageAction('hello'), 'pass'],
  ['look', commandOf('ls'), 'pass'],
  ['look', commandOf('touch x'), 'reject'],
  ['look', { type: 'request', target: 'system', payload: { action: 'reload' } }, 'reject'],
])('%s: %j → %s', (mode, action, kind) => {
  expect(verdict(mode, action)).toBe(kind)
})

test('a mode is for one session, and for who has proved itself', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'modes-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const told: unknown[] = []
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const reply = ({ payload }: Signal) => void told.push(payload.mode)
  const runtime = createRuntime({ config, memex: openMemex(dir), reply })
  const skill = createSessionModes()
  const signal = (sessionId: string, mode: unknown, more = {}): Signal => ({
    type: 'event',
    meta: { source: 'acp', sessionId, origin: 'message', ...more },
    payload: { sensor: 'session-mode', mode },
    depth: 0,
  })
  const send = (given: Signal) => skill.sensors!['session-mode']!(given, runtime)
  await send(signal('a', 'look'))
  await send(signal('a', 'everything'))
  await send(signal('b', 'look', { isUnproven: true }))
  expect(told).toEqual(['look', 'look'])
  expect(skill.facts!(runtime, signal('a', ''))).toBe('look')
  expect(skill.facts!(runtime, signal('b', ''))).toBeUndefined()
})
