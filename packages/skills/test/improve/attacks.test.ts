import { readSkillDocument } from '@passepartout/core'
import { expect, test } from 'vitest'
import {
  dangerousActions,
  gateDifferences,
  gateFindings,
  ownActions,
  reachOf,
} from '../../src/improve/attacks.ts'

function document(verdict: string, body = 'args.text', more = '') {
  const lines = [
    '#+CAPABILITIES: gates tools hooks jobs call:search-notes',
    '#+begin_src ts',
    `gate('animals', 40, ({ action, signal }) => ${verdict})`,
    "const about = { about: 'x', parameters: { text: { type: 'string' } } }",
    `tool('look', about, async ({ args }, { call }) => ${body})`,
    more,
    '#+end_src',
  ]
  const text = lines.join('\n')
  const read = readSkillDocument(text, 'guard.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return { text, document: read.document }
}

const guard = document(
  "({ kind: JSON.stringify(action).includes('zebra') ? 'reject' : 'approval' })",
)
const tool = { kind: 'tool', name: 'look', about: 'x' } as const
const text = { type: 'string', about: '', optional: false } as const

test.each([
  ["({ kind: 'pass' })", 'refusal gate-weakened'],
  [
    "({ kind: signal.source === 'telegram' ? 'pass' : JSON.stringify(action).includes('zebra') ? 'reject' : 'approval' })",
    'refusal gate-weakened',
  ],
  ["({ kind: 'change', action })", 'refusal gate-weakened'],
  ["({ kind: 'reject', reason: 'no' })", 'note gate-changed'],
])('%s', async (verdict, expected) => {
  const next = document(verdict)
  const actions = [...dangerousActions(), ...(await ownActions(guard.text, next.text))]
  expect(actions.length).toBeGreaterThan(300)
  const found = await gateDifferences(guard.document, next.document, ['animals'], actions)
  const kinds = gateFindings(found, { isOwn: false, wasBroken: false }).map(
    ({ kind, rule }) => `${kind} ${rule}`,
  )
  expect(new Set(kinds)).toEqual(new Set([expected]))
})

test('a gate that was broken may say less about its own words', async () => {
  const wrong = document(
    "({ kind: JSON.stringify(action).includes('zerba') ? 'reject' : 'approval' })",
  )
  const actions = await ownActions(wrong.text, guard.text)
  const found = await gateDifferences(wrong.document, guard.document, ['animals'], actions)
  const rules = (wasBroken: boolean) =>
    gateFindings(found, { isOwn: true, wasBroken }).map(({ rule }) => rule)
  expect(rules(true)).toEqual(['gate-changed', 'gate-changed'])
  expect(rules(false)).toEqual(['gate-weakened', 'gate-changed'])
})

test('what a tool asks for is written down and not done', async () => {
  const words = { ...tool, parameters: { text } }
  const quiet = await reachOf(guard.document, [words])
  expect(quiet.get('tool look')).toEqual(new Map())
  const loud = document("({ kind: 'pass' })", "args.text.includes('rm') ? call('execute', {}) : ''")
  expect((await reachOf(loud.document, [words])).get('tool look')).toEqual(
    new Map([['execute', new Set([1])]]),
  )
})

test('what hooks and jobs ask for is written down', async () => {
  const more = [
    "hook('user-input', async ({ signal }, { call }) => {",
    "  if (signal.text.includes('rm')) await call('execute', {})",
    '  return null',
    '})',
    "job('sweep', '0 * * * *', async ({ state }, { call }) => {",
    "  if (state?.includes('shadow')) await call('read-file', { path: state })",
    '  return null',
    '})',
  ]
  const { document: loud } = document("({ kind: 'pass' })", "''", more.join('\n'))
  const reach = await reachOf(loud, [
    { kind: 'hook', name: 'user-input' },
    { kind: 'job', name: 'sweep', cron: '0 * * * *' },
  ])
  expect(reach).toEqual(
    new Map([
      ['hook user-input', new Map([['execute', new Set([1])]])],
      ['job sweep', new Map([['read-file', new Set([2])]])],
    ]),
  )
})
