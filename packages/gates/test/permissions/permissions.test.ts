import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Action, GateContext } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type PermissionFacts, readRules } from '../../src/permissions/permission-rules.ts'
import {
  checkPermissions,
  createPermissionsSkill,
  deniedTools,
} from '../../src/permissions/permissions.ts'
import { annContext, callOf } from '../verdicts/ann.ts'

const today = '2026-11-21'
const tools = new Map([
  ['search-notes', { parameters: z.object({ query: z.string() }), readOnly: true }],
  ['capture-task', { parameters: z.object({ title: z.string() }), readOnly: false }],
  ['send-email', { parameters: z.object({ to: z.string() }), readOnly: false }],
])

function contextFor(source: string, rules = '', problem: string | null = null): GateContext {
  const permissions: PermissionFacts = { ...readRules(rules, 'permissions.org'), problem, today }
  return annContext({ source, tools, facts: { permissions } })
}

function shell(cmd: string): Action {
  return { type: 'request', target: 'shell', payload: { action: 'execute', cmd } }
}

function denying(tool: string): string {
  return `* No\n:PROPERTIES:\n:PERMISSION: deny\n:TOOL: ${tool}\n:END:\n`
}

test.each<[string, Action, string]>([
  ['cli', callOf('search-notes'), 'pass'],
  ['cli', callOf('capture-task'), 'pass'],
  ['cli', callOf('send-email'), 'approval'],
  ['cli', callOf('elsewhere'), 'pass'],
  ['cli', shell('ls'), 'pass'],
  ['telegram', shell('ls'), 'approval'],
  ['telegram', callOf('search-notes'), 'pass'],
  ['telegram', callOf('capture-task'), 'pass'],
  ['telegram', { type: 'request', target: 'system', payload: { action: 'reload' } }, 'reject'],
])('from %s: %j → %s', (source, action, kind) => {
  expect(checkPermissions(action, contextFor(source)).kind).toBe(kind)
})

test('the owner’s rules go over the defaults', () => {
  const rules = `${denying('search-notes')}:SOURCE: x\n`
  expect(checkPermissions(callOf('search-notes'), contextFor('cli', rules)).kind).toBe('reject')
  const mail =
    '* Mail to Bob\n:PROPERTIES:\n:PERMISSION: allow\n:TOOL: send-email\n:ARG_to: bob@example.org\n:SOURCE: local\n:END:\n'
  const verdict = (to: string, source: string) =>
    checkPermissions(callOf('send-email', { to }), contextFor(source, mail)).kind
  expect(verdict('bob@example.org', 'cli')).toBe('pass')
  expect(verdict('bob@example.org', 'telegram')).toBe('approval')
  expect(verdict('eve@example.org', 'cli')).toBe('approval')
  expect(verdict('eve@evil.net,bob@example.org', 'cli')).toBe('approval')
  const broken = `${mail}* Bad\n:PROPERTIES:\n:PERMISSION: perhaps\n:END:\n`
  const context = contextFor('cli', broken)
  expect(checkPermissions(callOf('send-email', { to: 'bob@example.org' }), context).kind).toBe(
    'approval',
  )
  expect(checkPermissions(callOf('search-notes'), context).kind).toBe('pass')
  expect(checkPermissions(callOf('capture-task'), context)).toMatchObject({
    kind: 'approval',
    reason: expect.stringContaining('permissions.org:10'),
  })
})

test('a tool may say what it needs', () => {
  const mild = { ...tools.get('send-email')!, permission: 'allow' as const }
  const context = { ...contextFor('cli'), tools: new Map([['send-email', mild]]) }
  expect(checkPermissions(callOf('send-email'), context).kind).toBe('pass')
  const strict = { ...tools.get('search-notes')!, permission: 'deny' as const }
  const other = { ...contextFor('cli'), tools: new Map([['search-notes', strict]]) }
  expect(checkPermissions(callOf('search-notes'), other).kind).toBe('reject')
})

test('a tool that is denied in any case is hidden', () => {
  const some = '* Some\n:PROPERTIES:\n:PERMISSION: deny\n:TOOL: send-email\n:ARG_to: eve\n:END:\n'
  const context = contextFor('cli', denying('search-*') + some)
  const facts = context.facts.permissions as PermissionFacts
  expect(deniedTools(facts, tools, context)).toEqual(['search-notes'])
})

test('the file is read when it has changed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'permissions-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'permissions.org')
  const skill = createPermissionsSkill(path)
  const runtime = { clock: { now: () => new Date(2026, 10, 21) }, tools } as never
  const facts = () => skill.facts!(runtime, contextFor('cli').signal) as PermissionFacts
  expect(facts()).toEqual({ rules: [], errors: [], problem: null, today })
  writeFileSync(path, denying('x'))
  expect(facts().rules).toHaveLength(1)
  expect(facts().errors).toEqual([])
  writeFileSync(path, denying('Capture-Tusk'))
  expect(facts().errors).toEqual([expect.stringContaining('is it capture-task?')])
  writeFileSync(path, '* No rule\n')
  utimesSync(path, 1, 1)
  expect(facts().rules).toEqual([])
  rmSync(path)
  expect(facts().problem).toBeNull()
  const folder = createPermissionsSkill(dir)
  expect((folder.facts!(runtime, contextFor('cli').signal) as PermissionFacts).problem).toContain(
    dir,
  )
})
