import { expect, test } from 'vitest'
import { readSkillDocument } from '../src/skill-document.ts'
import { type RingName, trySkill } from '../src/skill-trial.ts'

async function tried(ring: RingName, capabilities: string, code: string, tests = '') {
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
  const { problems, ...rest } = await trySkill(read.document, ring)
  return { ...rest, problems: problems.map(({ line, message }) => `${line}: ${message}`) }
}

const gate = "const check = () => ({ kind: 'pass' })\ngate('quiet', 10, check)"

test('a good skill passes its own tests', async () => {
  const trial = await tried(
    'compartments',
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
    'compartments',
    'gates',
    gate,
    "\ntest('a', () => {\n  expect(1, 2)\n})",
    /^(?:8|9): .*“a” failed: Error: Expected 2, got 1/,
  ],
  ['compartments', 'tools', gate, '', /^4: The gate quiet needs gates/],
  ['isolates', 'gates', gate, '', /^4: Gates must be the owner’s/],
  ['isolates', 'tools', 'const a = 1\nnull.x', '', /^4: TypeError/],
  ['compartments', 'jobs', "job('a', 'daily', () => null)", '', /^3: daily is no pattern/],
  ['compartments', 'hooks', "hook('user-input', () => null)", '', /^3: There is no hook/],
] as const)('%s, %s, %s', async (ring, capabilities, code, tests, expected) => {
  const { problems } = await tried(ring, capabilities, code, tests)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(expected)
})
