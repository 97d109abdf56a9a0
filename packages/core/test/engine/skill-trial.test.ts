import { expect, test } from 'vitest'
import { readSkillDocument } from '../../src/engine/skill-document.ts'
import type { SkillOrigin } from '../../src/engine/skill-grants.ts'
import { trySkill } from '../../src/engine/skill-trial.ts'

async function tried(
  from: SkillOrigin,
  capabilities: string,
  code: string,
  tests = '',
  limits = {},
) {
  const blocks = [
    '#+begin_src ts',
    code,
    '#+end_src',
    '#+begin_src ts :test yes',
    tests,
    '#+end_src',
  ]
  const text = [`#+CAPABILITIES: ${capabilities}`, ...blocks].join('\n')
  const read = readSkillDocument(text, 'guard.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const { problems, ...rest } = await trySkill(read.document, from, limits)
  return { ...rest, problems: problems.map(({ line, message }) => `${line}: ${message}`) }
}

const gate = "const check = () => ({ kind: 'pass' })\ngate('quiet', 10, check)"

test('a good skill passes its own tests', async () => {
  const trial = await tried(
    'owner',
    'gates',
    gate,
    "test('it passes', () => expect(check().kind, 'pass'))",
  )
  expect(trial).toEqual({
    contributions: [{ kind: 'gate', name: 'quiet', priority: 10 }],
    tests: [{ name: 'it passes', ran: true, passed: true, looked: 1, message: null }],
    passed: ['it passes'],
    looked: { 'it passes': 1 },
    problems: [],
  })
})

test.each([
  [
    'owner',
    'gates',
    gate,
    "\ntest('a', () => {\n  expect(1, 2)\n})",
    /^(?:8|9): .*“a” failed: Error: Expected 2, got 1/,
  ],
  ['owner', 'tools', gate, '', /^4: The gate quiet needs gates/],
  ['elsewhere', 'gates', gate, '', /^4: Gates must be the owner’s/],
  ['elsewhere', 'tools', 'const a = 1\nnull.x', '', /^4: TypeError/],
  ['owner', 'jobs', "job('a', 'daily', () => null)", '', /^3: daily is no pattern/],
  ['owner', 'hooks', "hook('user-input', () => null)", '', /^3: There is no hook/],
] as const)('%s, %s, %s', async (from, capabilities, code, tests, expected) => {
  const { problems } = await tried(from, capabilities, code, tests)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(expected)
})

test.each([
  ['an expect of its own', 'const expect = () => {}'],
  ['a function called expect', 'function expect() {}'],
  ['an expect on the global object', "Object.defineProperty(globalThis, 'expect', { value() {} })"],
  ['a test of its own', 'const test = () => {}'],
  ['a value that is equal to everything', 'const check = () => ({ kind: { toJSON: () => "no" } })'],
  ['Array.prototype.push', 'try { Array.prototype.push = () => 0 } catch {}'],
  ['JSON.stringify', 'try { JSON.stringify = () => \'"same"\' } catch {}'],
  ['Function.prototype.call', 'try { Function.prototype.call = () => {} } catch {}'],
  ['Map.prototype.set', 'try { Map.prototype.set = function () { return this } } catch {}'],
])('a failing test fails in spite of %s', async (_, trick) => {
  const code = trick.includes('check') ? `${trick}\ngate('quiet', 10, check)` : `${gate}\n${trick}`
  const tests = "test('a', () => {\n  try { expect(check().kind, 'reject') } catch {}\n})"
  const { passed, problems, tests: results } = await tried('owner', 'gates', code, tests)
  expect(passed).toEqual([])
  expect(results).toMatchObject([{ name: 'a', ran: true, passed: false, looked: 1 }])
  expect(problems).toHaveLength(1)
})

test('every test that was made is named', async () => {
  const tests = `test('loops', async () => { for (;;); })
test('waits', () => new Promise(() => {}))
test('looks at nothing', () => {})
test('is well', () => expect(1, 1))`
  const { tests: results } = await tried('owner', 'gates', gate, tests, { workMs: 2_000 })
  expect(results).toMatchObject([
    { name: 'loops', ran: true, passed: false },
    { name: 'waits', ran: true, passed: false },
    { name: 'looks at nothing', ran: true, passed: true, looked: 0 },
    { name: 'is well', ran: true, passed: true, looked: 1 },
  ])
  const { problems } = await tried('owner', 'gates', "test('forged', () => {})")
  expect(problems[0]).toMatch(/test is not (?:defined|a function)/)
})
