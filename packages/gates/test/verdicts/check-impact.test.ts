import type { Action, Verdict } from '@passepartout/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkImpact } from '../../src/verdicts/check-impact.ts'
import { annContext } from './ann.ts'

const context = annContext({
  tools: new Map([['list-deleted', { parameters: z.object({}), readOnly: true }]]),
})

function kind(tool: string, args: Record<string, unknown> = {}): string {
  return judged(tool, args).kind
}

function judged(tool: string, args: Record<string, unknown>): Verdict {
  const action: Action = {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool, args },
  }
  return checkImpact.check(action, context)
}

test('what the arguments tell is asked about', () => {
  expect(kind('query-database', { sql: 'DELETE FROM users' })).toBe('approval')
  expect(kind('query-database', { sql: 'select 1' })).toBe('pass')
  expect(kind('search-notes', { query: 'drop off the parcel' })).toBe('pass')
  expect(kind('emacs', { code: '(delete-file "x")' })).toBe('approval')
  expect(kind('write-file', { path: 'a.ts', code: 'x' })).toBe('pass')
  expect(kind('list-passwords')).toBe('approval')
  expect(kind('set-permission', { tool: 'shell' })).toBe('approval')
})

test.each(['frobnicate', 'zap', 'computer', 'x', 'do-it'])('%s is not let through', (tool) => {
  expect(kind(tool)).toBe('approval')
  expect(kind(tool, { text: 'please' })).toBe('approval')
})

test('a tool with a schema that has nowhere to go needs no name that tells', () => {
  const tools = new Map([['jot', { parameters: z.object({ count: z.number() }), readOnly: false }]])
  const action: Action = {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool: 'jot' },
  }
  expect(checkImpact.check(action, { ...context, tools }).kind).toBe('pass')
})

test('many at once are asked about', () => {
  const items = Array.from({ length: batchOf(1) }, () => 'x')
  expect(kind('edit-notes', { items })).toBe('approval')
  expect(kind('edit-notes', { items: items.slice(1) })).toBe('pass')
})

function batchOf(more: number): number {
  return 20 + more
}

test('the daemon is asked for little', () => {
  const system = (action: string): Action => ({
    type: 'request',
    target: 'system',
    payload: { action },
  })
  expect(checkImpact.check(system('reload'), context).kind).toBe('pass')
  expect(checkImpact.check(system('stop'), context).kind).toBe('approval')
})
