import { expect, test } from 'vitest'
import type { Provider } from '../../src/contract/provider.ts'
import type { Signal } from '../../src/contract/signal.ts'
import {
  providersFor,
  type Tier,
  type TierContext,
  type TierSettings,
  tierAbove,
  tierDefaults,
  tierOf,
} from '../../src/mind/tier.ts'
import { Sessions } from '../../src/transcript/sessions.ts'

const providers: Provider[] = [
  { name: 'large', tier: 'reasoning', async *propose() {} },
  { name: 'small', tier: 'cognition', async *propose() {} },
  { name: 'either', tier: 'any', async *propose() {} },
  { name: 'unknown', async *propose() {} },
  { name: 'rules', rules: true, understands: (words) => words === 'agenda', async *propose() {} },
]

function contextWith(settings: Partial<TierSettings> = {}): TierContext {
  const tiers = { ...tierDefaults, ...settings }
  return {
    providers,
    mind: { tiers },
    sessions: new Sessions({ clock: { now: () => new Date() } }),
  }
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
  expect(tierOf(contextWith(), heard(text))).toBe(tier)
})

test('what a tool has said is classified by what the owner had asked', () => {
  const context = contextWith()
  const output = (depth: number) =>
    heard('why '.repeat(500), { depth, payload: { sensor: 'tool-output', text: 'why?' } })
  const say = (text: string) => {
    const words = { kind: 'words', origin: 'owner', text } as const
    context.sessions.add(context.sessions.of('s'), 't', words)
  }
  say('agenda')
  expect(tierOf(context, output(1))).toBe('reflex')
  say('find my keys')
  expect([1, 3, 4].map((depth) => tierOf(context, output(depth)))).toEqual([
    'cognition',
    'cognition',
    'reasoning',
  ])
  expect(tierOf(contextWith({ reflex: false }), heard('agenda'))).toBe('cognition')
})

test('what nobody has asked for never gets a large model, unless configured', () => {
  const names = (background: Tier, wished: Tier | null) => {
    const context = contextWith({ background })
    const tier = tierOf(context, pulse, wished)
    return [tier, ...providersFor(context, pulse, tier).map(({ name }) => name)]
  }
  expect(names('cognition', null)).toEqual(['reflex', 'rules'])
  expect(names('cognition', 'reasoning')).toEqual(['cognition', 'small', 'rules'])
  expect(names('reflex', 'reasoning')).toEqual(['reflex', 'rules'])
  expect(names('reasoning', 'reasoning')[0]).toBe('reasoning')
  expect(tierAbove(tierDefaults, pulse, 'reflex')).toBe('reflex')
  expect(tierAbove(tierDefaults, pulse, 'cognition')).toBe('cognition')
  expect(tierAbove(tierDefaults, heard('x'), 'cognition')).toBe('reasoning')
})

test.each<[Tier, string[]]>([
  ['reflex', ['rules']],
  ['cognition', ['small', 'either', 'unknown', 'large', 'rules']],
  ['reasoning', ['large', 'either', 'unknown', 'small', 'rules']],
])('for %s the order is %j', (tier, names) => {
  const found = providersFor(contextWith(), heard('x'), tier)
  expect(found.map(({ name }) => name)).toEqual(names)
})
