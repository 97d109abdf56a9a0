import type { Action } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decide,
  matchesPattern,
  type PermissionRule,
  readRules,
  ruleAsOrg,
  ruleMatches,
} from '../../src/permissions/permission-rules.ts'
import { annContext, callOf } from '../verdicts/ann.ts'

const context = annContext()

function written(properties: string, body = ''): string {
  const lines = properties.split('; ').map((line) => `:${line}`)
  return `* A rule\n:PROPERTIES:\n${lines.join('\n')}\n:END:\n${body}`
}

function rule(properties: string): PermissionRule {
  const { rules, errors } = readRules(written(properties), 'x.org')
  expect(errors).toEqual([])
  return rules[0]!
}

test.each([
  ['notes', 'notes', true],
  ['notes', 'my-notes', false],
  ['search-*', 'search-notes', true],
  ['search-*', 're-search-notes', false],
  ['/home/ann/*', '/home/ann/a.org', true],
  ['/home/ann/*', '/home/ann/b/a.org', false],
  ['/home/ann/**', '/home/ann/b/a.org', true],
  ['/home/ann/**', '/home/annex/a.org', false],
  ['/home/ann/**', '/home/ann/../bob/a.org', false],
  ['**/*.org', 'a/b/c.org', true],
  ['*a*b*', 'xaybz', true],
  ['*a*a', 'a', false],
  ['*', '', true],
])('%s matches %s: %s', (pattern, value, expected) => {
  expect(matchesPattern(pattern, value)).toBe(expected)
})

test('a pattern full of stars ends', () => {
  expect(matchesPattern('*a'.repeat(500), 'a'.repeat(100_000))).toBe(true)
  expect(matchesPattern('**/'.repeat(100), 'a/'.repeat(2_000))).toBe(true)
})

test.each([
  ['git commit -m tidy', true],
  ['git  commit -m tidy', true],
  ['git commit -m', false],
  ['git commit -m tidy --no-verify', false],
  ['git commit -m tidy; rm x', false],
  ['git commit -m $(id)', false],
  ['sudo git commit -m tidy', false],
])('“%s” is the command: %s', (cmd, expected) => {
  const commit = rule('PERMISSION: allow; COMMAND: git commit -m *; EXPIRES: [2026-12-31 Thu]')
  const action: Action = { type: 'request', target: 'shell', payload: { action: 'execute', cmd } }
  expect(ruleMatches(commit, action, context, '2026-11-21')).toBe(expected)
  expect(ruleMatches(commit, action, context, '2027-01-01')).toBe(false)
  const forbidden = rule('PERMISSION: deny; COMMAND: rm **')
  expect(ruleMatches(forbidden, action, context, '2026-11-21')).toBe(cmd.includes('rm x'))
})

test.each([
  ['allow', '~/src/garden/**', '~/src/garden/a.txt', true],
  ['allow', '~/src/garden/**', '~/src/garden/esn/a.org', false],
  ['allow', '~/src/garden/*', '~/src/garden/one.org', false],
  ['allow', '~/src/garden/one.org', '~/src/garden/one.org', false],
  ['allow', '~/there/**', '~/there/a.txt', true],
  ['allow', 'inbox.org', 'inbox.org', true],
  ['allow', 'https://example.org/**', 'https://example.org/a/b', true],
  ['deny', '~/notes/**', '~/src/garden/esn/a.org', true],
  ['deny', '~/notes/**', '~/src/garden/a.org', false],
])('%s %s, asked about %s: %s', (decision, pattern, path, expected) => {
  const links: [string, string][] = [
    ['/home/ann/src/garden/esn/', '/home/ann/notes/'],
    ['/home/ann/src/garden/one.org', '/home/ann/notes/one.org'],
    ['/home/ann/there', '/mnt/there'],
  ]
  const realPaths = (path: string) =>
    links.reduce((at, [from, to]) => (at.startsWith(from) ? to + at.slice(from.length) : at), path)
  const edits = rule(`PERMISSION: ${decision}; TOOL: edit-file; ARG_path: ${pattern}`)
  const action: Action = {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool: 'edit-file', args: { path } },
  }
  expect(ruleMatches(edits, action, { ...context, realPaths }, '')).toBe(expected)
})

test.each([
  ['deny', 'TOOL: Capture-Task', true],
  ['ask', 'TOOL: capture_task', true],
  ['deny', 'TOOL: Capture_*', true],
  ['deny', 'TOOL: capture-task; ARG_TITLE: Call Bob', true],
  ['allow', 'TOOL: Capture-Task', false],
  ['allow', 'TOOL: capture-task; ARG_TITLE: Call Bob', false],
  ['deny', 'TOOL: capture', false],
  ['deny', 'TOOL: capture-tasks', false],
])('%s %s is about the tool that was meant: %s', (decision, properties, expected) => {
  const action = callOf('capture-task', { title: 'Call Bob' })
  const given = rule(`PERMISSION: ${decision}; ${properties}`)
  expect(ruleMatches(given, action, context, '')).toBe(expected)
})

test('until it is mended, a rule about two tools is about each', () => {
  const { rules } = readRules(written('PERMISSION: deny; TOOL: capture-task, edit-file'), 'x.org')
  for (const tool of ['capture-task', 'edit-file']) {
    expect(decide(rules, callOf(tool), context, '')?.decision).toBe('deny')
  }
})

test('the strictest rule decides, in any order', () => {
  const texts = [
    'PERMISSION: allow; TOOL: send',
    'PERMISSION: ask; SOURCE: gateway',
    'PERMISSION: deny; TOOL: *; ARG_to: evil',
  ]
  const rules = texts.map(rule)
  const action: Action = {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool: 'send', args: { to: 'evil' } },
  }
  expect(decide(rules, action, context, '')?.decision).toBe('deny')
  expect(decide([...rules].reverse(), action, context, '')?.decision).toBe('deny')
  expect(decide(rules.slice(0, 2), action, context, '')?.decision).toBe('allow')
  expect(decide(rules.slice(1, 2), action, context, '')).toBeNull()
})

test.each([
  ['PERMISSION: maybe', 3, 'PERMISSION'],
  ['PERMISSION: ask; DIRECTROY: /tmp', 4, 'DIRECTROY'],
  ['PERMISSION: ask; EXPIRES: soon', 4, 'Expected a date'],
  ['PERMISSION: allow', 1, 'which tool'],
  ['PERMISSION: allow; TOOL: *', 4, 'which tool'],
  ['PERMISSION: allow; TARGET: shell', 1, 'which command'],
  ['PERMISSION: deny; TOOL: capture-task edit-file', 4, 'one tool'],
  ['PERMISSION: allow; COMMAND: bash **', 4, 'runs anything'],
  ['PERMISSION: allow; COMMAND: /usr/bin/env ls', 4, 'runs anything'],
  ['PERMISSION: allow; COMMAND: * x', 4, 'runs anything'],
  ['PERMISSION: allow; COMMAND: git **', 4, 'which git command'],
  ['PERMISSION: allow; COMMAND: echo $HOME', 4, 'plain words'],
])('%s is refused', (properties, line, what) => {
  const { rules, errors } = readRules(written(properties), 'x.org')
  expect(errors).toHaveLength(1)
  expect(errors[0]).toMatch(new RegExp(`^x\\.org:${line}: .*${what}`))
  expect(rules.filter(({ decision }) => decision === 'allow')).toEqual([])
})

test('an example that fails is an error, and so is one that cannot be read', () => {
  const body = `- match :: {"tool":"send"}\n- no match :: {"tool":"sending"}\n- match :: {"tool":"sending"}\n- no match :: {"tool":"send"}\n- match :: send\n`
  const { errors } = readRules(written('PERMISSION: ask; TOOL: send', body), 'x.org')
  expect(errors).toEqual([
    'x.org:8: the example should match',
    'x.org:9: the example should not match',
    'x.org:10: the example is no JSON object',
  ])
})

test('the rule from the introduction', () => {
  const body = `- match :: {"target": "shell", "cmd": "git commit -m tidy", "cwd": "~/projects/garden"}
- no match :: {"target": "shell", "cmd": "git commit -m tidy --no-verify", "cwd": "~/projects/garden"}
- no match :: {"target": "shell", "cmd": "git commit -m tidy", "cwd": "~/projects/gardens"}\n`
  const properties =
    'PERMISSION: allow; COMMAND: git commit -m *; DIRECTORY: ~/projects/garden; EXPIRES: [2026-12-31 Thu]'
  expect(readRules(written(properties, body), 'x.org').errors).toEqual([])
})

test('a rule that is written is read back', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const rules = fc.record({
    title: word,
    decision: fc.constantFrom('ask' as const, 'deny' as const),
    tool: fc.option(word, { nil: undefined }),
    target: fc.option(word, { nil: undefined }),
    source: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    command: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    args: fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true }),
    directory: fc.constantFrom(undefined, '/tmp', '~/x'),
    expires: fc.constantFrom(undefined, '2026-12-31'),
    answers: fc.constantFrom(undefined, ['dispatcher/shell.unknown', 'permissions/']),
  })
  fc.assert(
    fc.property(rules, (given) => {
      const { rules: read, errors } = readRules(ruleAsOrg(given, 2), 'x.org')
      expect([read, errors]).toEqual([[given], []])
    }),
  )
})

test('any text can be read for rules', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(
        readRules(`* x\n:PROPERTIES:\n:PERMISSION: ${text}\n:END:\n- match :: ${text}`, 'x'),
      ).toBeTruthy()
    }),
  )
})
