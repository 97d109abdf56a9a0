import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Action, Asker, GateContext, ToolFacts } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  answeringRule,
  createStandingRules,
  offersOf,
} from '../../src/permissions/always-allow-rules.ts'
import { readRules } from '../../src/permissions/permission-rules.ts'
import { dispatcherGate } from '../../src/verdicts/gate-dispatcher.ts'
import { annContext } from '../verdicts/ann.ts'

const tools = new Map([
  ['send-email', { parameters: z.object({ to: z.string(), text: z.string() }), readOnly: false }],
  ['write-list', { parameters: z.object({ title: z.string() }), readOnly: false }],
])

function contextWith(text = '', source = 'cli'): GateContext {
  const facts = { ...readRules(text, 'permissions.org'), problem: null, today: '2026-11-21' }
  return annContext({ source, tools, memexDir: '/home/ann/garden', facts: { permissions: facts } })
}

function shell(cmd: string, args?: Record<string, unknown>): Action {
  return { type: 'request', target: 'shell', payload: { action: 'execute', cmd, args } }
}

function call(tool: string, args: Record<string, unknown>): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool, args } }
}

const asked: Asker[] = [{ gate: 'dispatcher', rule: 'network.connection', reason: 'sure?' }]
const words = (action: Action) => offersOf(action, contextWith(), asked).map(({ word }) => word)

test.each([
  ['git push', ['here', 'anywhere']],
  ['touch made.txt', ['here', 'anywhere']],
  ['git', []],
  ['python3 tidy.py', []],
  ['bash -c ls', []],
  ['/bin/zsh', []],
  ['env ls', []],
  ['sudo git push', []],
  ['curl https://example.org', []],
  ['ssh host ls', []],
  ['git push && ls', []],
  ['git push $BRANCH', []],
  ['touch *.txt', []],
  ['git commit -m "a b"', []],
  ['git push\nrm x', []],
  ['LD_PRELOAD=./x.so touch made.txt', []],
])('for %j there are the offers %j', (cmd, offered) => {
  expect(words(shell(cmd))).toEqual(offered)
})

test.each([
  [call('send-email', { to: 'bob@example.org', text: 'hi' }), ['exactly', 'to', 'text']],
  [call('send-email', { to: '*', text: 'hi' }), []],
  [call('send-email', { to: ['bob@example.org'] }), []],
  [call('write-list', { title: 'beans' }), ['exactly', 'tool']],
  [call('write-list', {}), ['tool']],
  [call('write-list', { title: '[[elisp:(x)]]' }), ['tool']],
  [shell('touch shell:ls'), []],
  [{ type: 'request' as const, target: 'system', payload: { action: 'reload' } }, []],
])('for %j there are the offers %j', (action, offered) => {
  expect(words(action)).toEqual(offered)
})

test('a tool whose every call is another act is not offered for good', () => {
  const facts = { parameters: z.object({ snapshot: z.string() }), readOnly: false }
  const named = (more: Partial<ToolFacts>) => {
    const tools = new Map([['roll-back', { ...facts, ...more }]])
    const action = call('roll-back', { snapshot: 'before-trip' })
    return offersOf(action, { ...contextWith(), tools }, asked).map(({ word }) => word)
  }
  expect(named({ permission: 'ask' })).toEqual([])
  expect(named({ permission: 'ask', reach: 'notes' })).toEqual([])
  expect(named({ permission: 'ask', reach: 'elsewhere' })).toEqual(['exactly'])
  expect(named({})).toEqual(['exactly', 'tool'])
})

test('an offer says what it reaches, and for how long', () => {
  const [here] = offersOf(shell('git push'), contextWith(), asked)
  expect(here).toEqual({
    word: 'here',
    shows: '“git push” in /home/ann/garden, until 2026-12-21',
    rule: {
      title: 'Allowed on 2026-11-21: “git push” in /home/ann/garden',
      decision: 'allow',
      source: ['cli'],
      command: ['git', 'push'],
      directory: '/home/ann/garden',
      args: {},
      expires: '2026-12-21',
      answers: ['dispatcher/network.connection'],
    },
  })
  expect(offersOf(shell('git push'), { ...contextWith(), facts: {} }, asked)).toEqual([])
})

test('a rule for a command pins its arguments, and the offer shows them', () => {
  const dir = mkdtempSync(join(tmpdir(), 'standing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const rules = createStandingRules(join(dir, 'permissions.org'))
  const askers = [...asked, { gate: 'sandbox', rule: 'sandbox.hosts', reason: 'sure?' }]
  const hosts = ['registry.npmjs.org', 'example.org']
  const offers = rules.offers(shell('./sync.sh notes', { hosts }), contextWith(), askers)
  expect(offers.map(({ shows }) => shows)).toEqual([
    '“./sync.sh notes” in /home/ann/garden, with the hosts registry.npmjs.org example.org, until 2026-12-21',
    '“./sync.sh notes” in any folder, with the hosts registry.npmjs.org example.org, until 2026-12-21',
  ])
  for (const offer of offers) {
    const text = readFileSync(rules.remember(offer), 'utf8')
    const answers = (args?: Record<string, unknown>) =>
      rules.answers(shell('./sync.sh notes', args), contextWith(text), askers) !== null
    expect([answers({ hosts }), answers({ hosts: ['example.org'] })]).toEqual([true, true])
    for (const args of [
      ...[{ hosts: ['evil.example'] }, { hosts: [...hosts, 'evil.example'] }, { hosts: [] }],
      ...[{}, undefined, { hosts, timeout: 9 }, { hosts, env: { A: 'b' } }],
    ]) {
      expect([args, answers(args)]).toEqual([args, false])
    }
  }
  const old = readFileSync(join(dir, 'permissions.org'), 'utf8').replace(/:ARG_hosts:.*\n/g, '')
  const before = contextWith(old)
  expect(rules.answers(shell('./sync.sh notes', { hosts }), before, askers)).toBeNull()
  expect(rules.offers(shell('./x', { hosts: [{}] }), contextWith(), askers)).toEqual([])
})

test('a rule answers what was asked then, and nothing else', () => {
  const dir = mkdtempSync(join(tmpdir(), 'standing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'permissions.org')
  const rules = createStandingRules(path)
  const [here] = rules.offers(shell('git push'), contextWith(), asked)
  expect(rules.remember(JSON.parse(JSON.stringify(here)))).toBe(path)
  const context = contextWith(readFileSync(path, 'utf8'))
  const answers = (action: Action, given = context, askers = asked) =>
    rules.answers(action, given, askers) !== null
  expect(answers(shell('git push'))).toBe(true)
  expect(answers(shell('git push --force'))).toBe(false)
  expect(answers(shell('git push', { cwd: '/home/ann/work' }))).toBe(false)
  expect(answers(shell('git push'), contextWith(readFileSync(path, 'utf8'), 'telegram'))).toBe(
    false,
  )
  const privacy = { gate: 'dispatcher', rule: 'privacy.text', reason: 'private' }
  expect(answers(shell('git push'), context, [...asked, privacy])).toBe(false)
  expect(answers(shell('git push'), context, [])).toBe(false)
  const facts = context.facts.permissions as object
  const later = { ...context, facts: { permissions: { ...facts, today: '2026-12-22' } } }
  expect(answers(shell('git push'), later)).toBe(false)
})

test('a rule by hand answers what the dispatcher asks about a command, and no more', () => {
  const text = ['git push', 'terraform plan']
    .map((cmd) => `* A\n:PROPERTIES:\n:PERMISSION: allow\n:COMMAND: ${cmd}\n:END:\n`)
    .join('')
  const given = contextWith(text)
  const answering = (cmd: string, more = '') => {
    const verdict = dispatcherGate.check(shell(cmd), given)
    if (verdict.kind !== 'approval') throw new Error(verdict.kind)
    const asker = { gate: 'dispatcher', rule: verdict.rule + more, reason: verdict.reason }
    return answeringRule(shell(cmd), given, [asker]) !== null
  }
  expect([answering('git push'), answering('terraform plan')]).toEqual([true, true])
  expect([answering('git push', '+privacy.text'), answering('make all')]).toEqual([false, false])
  const sandbox = { gate: 'sandbox', rule: 'sandbox.unavailable', reason: 'none here' }
  expect(answeringRule(shell('git push'), given, [...asked, sandbox])).toBeNull()
})

test('a rule that is deleted, denied or broken answers nothing', () => {
  const allow = '* Push\n:PROPERTIES:\n:PERMISSION: allow\n:COMMAND: git push\n:END:\n'
  const deny = '* No\n:PROPERTIES:\n:PERMISSION: deny\n:COMMAND: git **\n:END:\n'
  const broken = '* Bad\n:PROPERTIES:\n:PERMISSION: perhaps\n:END:\n'
  const answering = (text: string) => answeringRule(shell('git push'), contextWith(text), asked)
  expect(answering(allow)?.title).toBe('Push')
  expect([answering(''), answering(allow + deny), answering(allow + broken)]).toEqual(
    Array(3).fill(null),
  )
})

test('a rule is added to the file, and nothing else changes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'standing-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'dotfiles'))
  const mine = '#+title: Mine\r\n* My rule   :keep:\r\n'
  writeFileSync(join(dir, 'dotfiles/permissions.org'), mine, { mode: 0o640 })
  symlinkSync(join(dir, 'dotfiles/permissions.org'), join(dir, 'permissions.org'))
  const rules = createStandingRules(join(dir, 'permissions.org'))
  const [here, anywhere] = rules.offers(shell('git push'), contextWith(), asked)
  rules.remember(here!)
  rules.remember(anywhere!)
  const text = readFileSync(join(dir, 'dotfiles/permissions.org'), 'utf8')
  expect(text.startsWith(mine)).toBe(true)
  expect(readRules(text, 'x')).toMatchObject({ errors: [], rules: { length: 2 } })
  expect(statSync(join(dir, 'dotfiles/permissions.org')).mode & 0o777).toBe(0o640)
  const wide = {
    word: 'x',
    shows: 'x',
    rule: { ...(here!.rule as object), command: ['bash', '**'] },
  }
  expect(() => rules.remember(wide)).toThrow('too wide')
  expect(() => rules.remember({ ...wide, rule: {} })).toThrow()
})
