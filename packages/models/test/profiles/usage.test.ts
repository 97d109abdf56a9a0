import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Provider, ProviderEvent, Signal } from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Budget,
  budgetSection,
  metered,
  openMeter,
  purposeOf,
  readUsage,
} from '../../src/profiles/usage.ts'

const budget: Budget = {
  name: 'All',
  limit: 100,
  unit: 'tokens',
  per: 'month',
  provider: null,
  skill: null,
}
const price = { in: 1_000, out: 2_000, from: 'configured' } as const

function setting(budgets: Budget[], known: typeof price | null = price) {
  const dir = mkdtempSync(join(tmpdir(), 'usage-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  let now = new Date(2026, 10, 30, 23, 0)
  const options = {
    dir,
    budgets,
    countTokens: (text: string) => text.length,
    warn: () => {},
    clock: { now: () => now },
  }
  const events: ProviderEvent[] = [
    { type: 'text', text: 'hello' },
    { type: 'usage', inputTokens: 30, outputTokens: 20, cachedTokens: 10 },
  ]
  const calls: string[] = []
  const costs: unknown[] = []
  const model: Provider = {
    name: 'model',
    async *propose() {
      calls.push('asked')
      yield* events
    },
  }
  const ask = async (prompt = 'ten tokens', sensor = 'user-input') => {
    const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: { sensor }, depth: 0 }
    const messages = [{ role: 'user', text: prompt } as const]
    const request = { system: '', messages, tools: [], signal }
    const provider = metered(model, openMeter(options), { model: 'm-1', price: known })
    const seen: ProviderEvent[] = []
    for await (const event of provider.propose(request, new AbortController().signal))
      seen.push(event)
    costs.push(...seen.flatMap((event) => (event.type === 'usage' ? [event.cost] : [])))
    const failure = seen.find(({ type }) => type === 'failure')
    return failure?.type === 'failure' ? failure.message : 'answered'
  }
  const next = () => {
    now = new Date(2026, 11, 1, 1, 0)
  }
  return { ask, calls, costs, dir, events, model, next, options }
}

test('a budget that is reached stops the call before it is made', async () => {
  const { ask, calls, dir, next } = setting([{ ...budget, limit: 110 }])
  expect([await ask(), await ask()]).toEqual(['answered', 'answered'])
  expect(await ask()).toBe(
    'The budget “All” is spent for this month: 100 of 110 tokens. model was not asked.',
  )
  expect(calls).toHaveLength(2)
  expect(readUsage(dir)).toHaveLength(2)
  next()
  expect(await ask()).toBe('answered')
  expect(readUsage(dir, '2026-12')).toHaveLength(1)
})

test('money is counted with the price, and not without one', async () => {
  const dollars = { ...budget, unit: 'USD', limit: 0.08 } as const
  const { ask, costs, dir } = setting([dollars])
  expect([await ask(), await ask()]).toEqual([
    'answered',
    expect.stringContaining('0.0700 of 0.08 USD'),
  ])
  const told = { inputTokens: 30, cachedTokens: 10, counted: 'told' }
  expect(readUsage(dir)).toMatchObject([{ ...told, cost: 0.07 }])
  expect(costs).toEqual([0.07])
  expect(await setting([dollars], null).ask()).toContain('set :PRICE_IN: and :PRICE_OUT:')
})

test('a budget is for what it says', async () => {
  expect(await setting([{ ...budget, limit: 5 }]).ask('much too long')).toContain('0 of 5 tokens')
  expect(await setting([{ ...budget, limit: 0, skill: 'self-improve' }]).ask()).toBe('answered')
  expect(await setting([{ ...budget, limit: 0, provider: 'other' }]).ask()).toBe('answered')
  const own = setting([{ ...budget, limit: 0, skill: 'self-improve' }])
  expect(await own.ask('x', 'skill-improve')).toContain('is spent')
})

test('what a call is for is not a matter of what somebody calls it', () => {
  const of = (payload: object) => purposeOf({ payload } as Signal)
  expect(of({ sensor: 'user-input', skill: 'cheap' })).toBe('conversation')
  expect(of({ sensor: 'skill-improve', skill: 'cheap' })).toBe('self-improve')
  expect(of({ sensor: 'skill', skill: 'ferns' })).toBe('ferns')
  expect(of({ sensor: 'distill' })).toBe('distill')
})

test('two at once do not both fit', () => {
  const { options } = setting([{ ...budget, limit: 100 }])
  const meter = openMeter(options)
  const estimate = { provider: 'model', model: 'm', skill: 'conversation', price, inputTokens: 60 }
  const first = meter.open(estimate)
  expect(meter.open({ ...estimate }).ok).toBe(false)
  if (first.ok) first.close(null)
  expect(meter.open({ ...estimate }).ok).toBe(true)
})

test('what a model does not tell is estimated', async () => {
  const { ask, dir, events } = setting([])
  events.splice(0, 2, { type: 'text', text: 'hello' })
  await ask('12345')
  expect(readUsage(dir)).toMatchObject([{ inputTokens: 6, outputTokens: 5, counted: 'estimated' }])
  events.splice(0, 1, { type: 'failure', message: 'away', kind: 'network' })
  await ask('12345')
  events.splice(0, 1, { type: 'failure', message: 'late', kind: 'timeout' })
  await ask('12345')
  expect(readUsage(dir)).toHaveLength(2)
})

test('the ledger is an Org table', async () => {
  const { dir, model, options } = setting([])
  const meter = openMeter(options)
  const opened = meter.open({ provider: 'a', model: 'm', skill: 's', price, inputTokens: 1 })
  const tokens = { inputTokens: 1, cachedTokens: 0, outputTokens: 2 }
  const spent = { ...tokens, cost: null, counted: 'told' } as const
  if (opened.ok) opened.close({ provider: 'a|b\n| c', model: model.name, skill: 's', ...spent })
  const path = join(dir, 'usage-2026-11.org')
  expect(readFileSync(path, 'utf8').split('\n').slice(2, 4)).toEqual([
    '| time | provider | model | for | in | cached | out | USD | counted |',
    '|-',
  ])
  expect(readUsage(dir)).toMatchObject([{ provider: 'a b c', cost: null }])
  const old = '| 2026-11-01T08:00:00.000Z | a | m | s | 7 | 3 | unknown | told |'
  writeFileSync(path, `${readFileSync(path, 'utf8')}| nonsense | 1 |\n${old}\n`)
  expect(readUsage(dir)).toMatchObject([
    { outputTokens: 2 },
    { inputTokens: 7, cachedTokens: 0, outputTokens: 3 },
  ])
})

test('budgets are read from the configuration', () => {
  const read = (text: string) =>
    readConfig(`* Month\n:PROPERTIES:\n${text}\n:END:\n`, 'c.org', { budgets: budgetSection })
  expect(read(':BUDGET: 5 USD').sections.budgets).toEqual([
    { ...budget, name: 'Month', limit: 5, unit: 'USD' },
  ])
  expect(
    read(':BUDGET: 1000 tokens\n:PER: day\n:FOR_SKILL: distill').sections.budgets,
  ).toMatchObject([{ limit: 1_000, unit: 'tokens', per: 'day', skill: 'distill' }])
  expect(read(':BUDGET: much').problems).toMatchObject([{ line: 3, severity: 'error' }])
})
