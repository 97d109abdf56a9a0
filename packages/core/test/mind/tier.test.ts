import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Provider } from '../../src/contract/provider.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { loadSkills, type Skill } from '../../src/pipeline/skill.ts'
import {
  providersFor,
  type Tier,
  type TierSettings,
  tierAbove,
  tierOf,
} from '../../src/mind/tier.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime, type Runtime } from '../../src/pipeline/runtime.ts'

const providers: Provider[] = [
  { name: 'large', tier: 'reasoning', async *propose() {} },
  { name: 'small', tier: 'cognition', async *propose() {} },
  { name: 'either', tier: 'any', async *propose() {} },
  { name: 'unknown', async *propose() {} },
  { name: 'rules', rules: true, understands: (words) => words === 'agenda', async *propose() {} },
]

function runtimeWith(tiers: Partial<TierSettings> = {}, ...skills: Skill[]): Runtime {
  const dir = mkdtempSync(join(tmpdir(), 'tier-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const settings = { background: 'cognition', reflex: true, ...tiers } as const
  const runtime = createRuntime({ config, memex: openMemex(dir), mind: { tiers: settings } })
  loadSkills(runtime, [{ name: 'all', description: '', providers: () => providers }, ...skills])
  return runtime
}

function heard(text: string, more: Partial<Signal> = {}): Signal {
  const payload = { sensor: 'user-input', text }
  return { type: 'event', meta: { source: 'cli', sessionId: 's' }, payload, depth: 0, ...more }
}

const pulse: Signal = {
  type: 'event',
  meta: { source: 'daemon' },
  payload: { sensor: 'heartbeat' },
  depth: 0,
}

test.each<[string, Tier]>([
  ['agenda', 'reflex'],
  ['move the dentist to Friday', 'cognition'],
  ['Why do I never finish what I plan?', 'reasoning'],
  ['Compare the two offers in my notes', 'reasoning'],
  ['look at this:\n```js\nx\n```', 'reasoning'],
  ['One. Two. Three. Four. Five.', 'reasoning'],
  ['ein wort '.repeat(80), 'reasoning'],
  ['', 'cognition'],
])('%j is %s', (text, tier) => {
  expect(tierOf(runtimeWith(), heard(text))).toBe(tier)
})

test('what a tool has said is classified by what the owner had asked', () => {
  const runtime = runtimeWith()
  const output = (depth: number) =>
    heard('why '.repeat(500), { depth, payload: { sensor: 'tool-output', text: 'why?' } })
  runtime.conversations.add('s', 'owner', 'agenda')
  expect(tierOf(runtime, output(1))).toBe('reflex')
  runtime.conversations.add('s', 'owner', 'find my keys')
  expect([1, 3, 4].map((depth) => tierOf(runtime, output(depth)))).toEqual([
    'cognition',
    'cognition',
    'reasoning',
  ])
  expect(tierOf(runtimeWith({ reflex: false }), heard('agenda'))).toBe('cognition')
})

test('what nobody has asked for never gets a large model, unless configured', () => {
  const eager: Skill = { name: 'eager', description: '', classify: () => 'reasoning' }
  const names = (runtime: Runtime) => {
    const tier = tierOf(runtime, pulse)
    return [tier, ...providersFor(runtime, pulse, tier).map(({ name }) => name)]
  }
  expect(names(runtimeWith())).toEqual(['reflex', 'rules'])
  expect(names(runtimeWith({}, eager))).toEqual(['cognition', 'small', 'rules'])
  expect(names(runtimeWith({ background: 'reflex' }, eager))).toEqual(['reflex', 'rules'])
  expect(names(runtimeWith({ background: 'reasoning' }, eager))[0]).toBe('reasoning')
  expect(tierAbove(runtimeWith(), pulse, 'reflex')).toBe('reflex')
  expect(tierAbove(runtimeWith(), pulse, 'cognition')).toBe('cognition')
  expect(tierAbove(runtimeWith(), heard('x'), 'cognition')).toBe('reasoning')
})

test.each<[Tier, string[]]>([
  ['reflex', ['rules']],
  ['cognition', ['small', 'either', 'unknown', 'large', 'rules']],
  ['reasoning', ['large', 'either', 'unknown', 'small', 'rules']],
])('for %s the order is %j', (tier, names) => {
  const found = providersFor(runtimeWith(), heard('x'), tier)
  expect(found.map(({ name }) => name)).toEqual(names)
})

test('a skill can decide', () => {
  const throwing = () => {
    throw new Error('no')
  }
  const runtime = runtimeWith(
    {},
    { name: 'low', description: '', priority: 1, classify: () => 'reflex' },
    { name: 'mute', description: '', priority: 8, classify: () => null },
    { name: 'odd', description: '', priority: 7, classify: () => 'much' as never },
    { name: 'broken', description: '', priority: 9, classify: throwing },
    { name: 'high', description: '', priority: 5, classify: () => 'reasoning' },
  )
  expect(tierOf(runtime, heard('agenda'))).toBe('reasoning')
})
