import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Action,
  createRuntime,
  type GateContext,
  messagesText,
  openMemex,
} from '@passepartout/core'
import { answeringRule, offersOf } from '@passepartout/gates/permissions'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import { createSelfImprove, improveSection } from '../../src/improve/self-improve.ts'

const { gates: [gate] = [], sensors } = createSelfImprove({
  places: { folders: [], grantsPath: '/none' },
  stateDir: '/none',
  book: null,
  when: 'on-request',
})
const names = { skill: 'guard', base: 'a'.repeat(64), proposal: 'b'.repeat(64) }
const call = (tool: string, args: object): Action => ({
  type: 'request',
  target: 'tool',
  payload: { action: 'call', tool, args: { ...args } },
})
const asked = (action: Action, sensor: string) =>
  gate!.check(action, {
    signal: { payload: { sensor } },
    facts: { 'self-improve': new Set([`guard ${names.base} ${names.proposal}`]) },
  } as unknown as GateContext)

test.each([
  ['user-input', 'swap-skill', names, 'reject self-improve.not-yours'],
  ['tool-output', 'keep-patch', names, 'reject self-improve.not-yours'],
  [
    'skill-improve',
    'swap-skill',
    { ...names, proposal: 'c'.repeat(64) },
    'reject self-improve.not-reviewed',
  ],
  ['skill-improve', 'swap-skill', { ...names, skill: 'other' }, 'reject self-improve.not-reviewed'],
  ['skill-improve', 'swap-skill', {}, 'reject self-improve.not-reviewed'],
  ['skill-improve', 'swap-skill', names, `approval self-improve.ask.${'b'.repeat(32)}`],
  ['user-input', 'search-notes', {}, 'pass undefined'],
])('after %s, %s %j: %s', (sensor, tool, args, expected) => {
  const { kind, rule } = asked(call(tool, args), sensor)
  expect(`${kind} ${rule}`).toBe(expected)
})

test('whoever has not shown the token causes no costs', async () => {
  const meta = { source: 'cli', isUnproven: true as const }
  for (const sensor of ['skill-improve', 'skill-create']) {
    const payload = { sensor, skill: 'guard', text: 'x' }
    const action = await sensors![sensor]!(
      { type: 'event', meta, payload, depth: 0 },
      null as never,
    )
    expect(action).toMatchObject({ payload: { text: expect.stringContaining('token') } })
  }
})

test('a yes for good is for one text and not for the next', () => {
  const context = (rules: unknown[]) =>
    ({
      signal: { meta: { source: 'cli' }, payload: { sensor: 'skill-improve' } },
      tools: new Map(),
      home: '/home/ann',
      memexDir: '/home/ann/notes',
      realPaths: (path: string) => path,
      facts: { permissions: { rules, errors: [], problem: null, today: '2026-11-22' } },
    }) as unknown as GateContext
  const askers = (letter: string) => [
    { gate: 'self-improve', rule: `self-improve.ask.${letter.repeat(32)}`, reason: '' },
  ]
  const offers = offersOf(call('swap-skill', names), context([]), askers('b'))
  const wide = offers.find(({ word }) => word === 'skill')!
  const next = call('swap-skill', { ...names, proposal: 'c'.repeat(64) })
  expect(answeringRule(call('swap-skill', names), context([wide.rule]), askers('b'))).not.toBeNull()
  expect(answeringRule(next, context([wide.rule]), askers('c'))).toBeNull()
})

test('when a model is asked is a word in the configuration', () => {
  const text = (word: string) => `* Repairs\n:PROPERTIES:\n:SELF_IMPROVE: ${word}\n:END:\n`
  const read = (word: string) => readConfig(text(word), 'c.org', { improve: improveSection })
  expect(read('on-failure').sections.improve).toEqual(['on-failure'])
  expect(read('always').problems).toMatchObject([{ line: 3, severity: 'error' }])
})

test.each(['skill-improve', 'skill-create'])(
  '%s shows the model a bounded wish',
  async (sensor) => {
    const dir = mkdtempSync(join(tmpdir(), 'self-improve-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    mkdirSync(join(dir, 'org'))
    writeFileSync(join(dir, 'org/guard.org'), '* Guard\n')
    const runtime = createRuntime({
      config: { home: dir, memexDir: dir, stateDir: dir },
      memex: openMemex(dir),
    })
    const prompts: string[] = []
    runtime.providers.push({
      name: 'model',
      async *propose({ messages }) {
        prompts.push(messagesText(messages))
        yield { type: 'text', text: 'No.' }
      },
    })
    const { sensors } = createSelfImprove({
      places: { folders: [], grantsPath: join(dir, 'grants') },
      stateDir: dir,
      book: join(dir, 'org'),
      when: 'on-request',
    })
    const skill = sensor === 'skill-create' ? 'guard' : 'org/guard.org'
    const payload = { sensor, skill, text: '~'.repeat(10_000) }
    const signal = { type: 'event', meta: { source: 'cli' }, payload, depth: 0 } as const
    expect(await sensors![sensor]!(signal, runtime)).toMatchObject({
      payload: { text: 'The model wrote no document.' },
    })
    expect(prompts.map((prompt) => prompt.match(/~/g)?.length)).toEqual([4_000])
  },
)
