import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Clock,
  type ConfigSection,
  dayText,
  defineSection,
  type FailureKind,
  localDay,
  messagesText,
  once,
  oneOf,
  type Provider,
  type ProviderRequest,
  type Runtime,
  type Signal,
  type TokenUsage,
  toolJson,
  words,
} from '@passepartout/core'
import { z } from 'zod'
import { costOf, type Price } from './model-prices.ts'

/** A limit of the owner's. */
export interface Budget {
  name: string
  limit: number
  unit: 'USD' | 'tokens'
  per: 'day' | 'month'
  /** Null for all. */
  provider: string | null
  skill: string | null
}

const amountPattern = /^(\d{1,9}(?:\.\d{1,6})?)\s*(usd|tokens?)$/i

/** The section of the budgets. */
export const budgetSection: ConfigSection<Budget> = defineSection({
  marker: 'BUDGET',
  properties: z.object({
    BUDGET: z
      .string({ error: 'an amount such as 5 USD or 200000 tokens' })
      .regex(amountPattern, { error: 'an amount such as 5 USD or 200000 tokens' }),
    PER: oneOf('day', 'month').default('month'),
    FOR_PROVIDER: words('the headline of a model').optional(),
    FOR_SKILL: words('the name of a skill').optional(),
  }),
  read({ BUDGET, FOR_PROVIDER, FOR_SKILL, PER }, { title }) {
    const [, amount = '', unit = ''] = amountPattern.exec(BUDGET) ?? []
    return {
      name: title.trim() || BUDGET,
      limit: Number(amount),
      unit: unit.toLowerCase() === 'usd' ? 'USD' : 'tokens',
      per: PER,
      provider: FOR_PROVIDER ?? null,
      skill: FOR_SKILL ?? null,
    }
  },
})

/** One answer, or as much of it as came. */
export interface UsageRow {
  /** ISO 8601. */
  at: string
  provider: string
  model: string
  /** What it was for: a skill, or `conversation`. */
  skill: string
  /** All that was read, with what came from the vendor's cache. */
  inputTokens: number
  /** What came from there. */
  cachedTokens: number
  outputTokens: number
  /** Dollars; null when the price is not known. */
  cost: number | null
  counted: 'told' | 'estimated'
}

const count = z.coerce.number().int().min(0)
const rowSchema: z.ZodType<UsageRow> = z
  .tuple([
    z.iso.datetime(),
    z.string(),
    z.string(),
    z.string(),
    count,
    count,
    count,
    z.union([z.literal('unknown'), z.coerce.number().min(0)]),
    z.enum(['told', 'estimated']),
  ])
  .transform(
    ([at, provider, model, skill, inputTokens, cachedTokens, outputTokens, cost, counted]) => ({
      at,
      provider,
      model,
      skill,
      inputTokens,
      cachedTokens,
      outputTokens,
      counted,
      cost: cost === 'unknown' ? null : cost,
    }),
  )

const cell = (text: string) =>
  text
    .replace(/[|\s]+/g, ' ')
    .trim()
    .slice(0, 80) || '-'

function rowText(row: UsageRow): string {
  const { at, cachedTokens, cost, counted, inputTokens, model, outputTokens, provider } = row
  const money = cost === null ? 'unknown' : cost.toFixed(6)
  const cells = [
    at,
    cell(provider),
    cell(model),
    cell(row.skill),
    inputTokens,
    cachedTokens,
    outputTokens,
    money,
    counted,
  ]
  return `| ${cells.join(' | ')} |\n`
}

const fileOf = (month: string) => `usage-${month}.org`
const heading = (month: string) =>
  `#+title: What models were asked in ${month}\n\n| time | provider | model | for | in | cached | out | USD | counted |\n|-\n`

/** The rows of the months that begin with `prefix`, such as 2026-11; all by default. Never throws. */
export function readUsage(dir: string, prefix = ''): UsageRow[] {
  if (!existsSync(dir)) return []
  const files = readdirSync(dir).filter(
    (name) => name.startsWith(`usage-${prefix}`) && name.endsWith('.org'),
  )
  return files.sort().flatMap((name) =>
    readFileSync(join(dir, name), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const cells = line
          .split('|')
          .slice(1, -1)
          .map((text) => text.trim())
        if (cells.length === 8) cells.splice(5, 0, '0')
        const read = rowSchema.safeParse(cells)
        return read.success ? [read.data] : []
      }),
  )
}

const improving = new Set(['skill-improve', 'skill-create', 'job-skill-fault'])
const talking = new Set(['user-input', 'chat-message', 'tool-output'])

/** The purpose of a request, by the signal that led to it. */
export function purposeOf({ payload }: Signal): string {
  const { sensor = '', skill } = payload
  if (improving.has(sensor)) return 'self-improve'
  if (talking.has(sensor) || sensor === '') return 'conversation'
  const isSkills = (sensor === 'skill' || sensor === 'job-skill') && typeof skill === 'string'
  return isSkills ? skill : sensor
}

/** What a call is about, before it is made. */
interface Estimate {
  provider: string
  model: string
  skill: string
  price: Price | null
  inputTokens: number
}

/** Counts what is spent, and says when it is enough. */
export interface Meter {
  /** Opens a call, or says which budget forbids it. */
  open(
    estimate: Estimate,
  ): { ok: true; close(row: Omit<UsageRow, 'at'> | null): void } | { ok: false; reason: string }
  countTokens(text: string): number
}

/** Where and by what to count. */
interface MeterOptions {
  dir: string
  clock: Clock
  budgets: readonly Budget[]
  countTokens: (text: string) => number
  /** Told what could not be written. */
  warn: (message: string) => void
}

/** A meter over the ledger in this folder. */
export function openMeter(options: MeterOptions): Meter {
  const { budgets, clock, countTokens, dir, warn } = options
  const underWay = new Set<Estimate>()
  let rows = readUsage(dir, dayOf(clock.now()).slice(0, 7))
  let isWritable = true
  const write = (given: Omit<UsageRow, 'at'>) => {
    const now = clock.now()
    const row = { at: now.toISOString(), ...given }
    rows = [...rows.filter(({ at }) => isIn('month', at, now)), row]
    const month = dayOf(now).slice(0, 7)
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const path = join(dir, fileOf(month))
      const text = existsSync(path) ? rowText(row) : heading(month) + rowText(row)
      appendFileSync(path, text, { mode: 0o600 })
      isWritable = true
    } catch (error) {
      isWritable = false
      warn(`what a model cost was not written down: ${String(error)}`)
    }
  }
  return {
    countTokens,
    open(estimate) {
      const now = clock.now()
      if (budgets.length > 0 && !isWritable) {
        return {
          ok: false,
          reason: 'What models cost cannot be written down, and there is a budget.',
        }
      }
      for (const budget of budgets) {
        const reason = objection(budget, estimate, { rows, underWay, now })
        if (reason !== null) return { ok: false, reason }
      }
      underWay.add(estimate)
      const close = (row: Omit<UsageRow, 'at'> | null) => {
        if (underWay.delete(estimate) && row !== null) write(row)
      }
      return { ok: true, close }
    },
  }
}

/** The owner's day of a moment, as 2026-11-30. */
export function dayOf(date: Date): string {
  return dayText(localDay(date))
}

function isIn(per: Budget['per'], at: string, now: Date): boolean {
  const length = per === 'day' ? 10 : 7
  return dayOf(new Date(at)).slice(0, length) === dayOf(now).slice(0, length)
}

interface Ledger {
  rows: readonly UsageRow[]
  underWay: ReadonlySet<Estimate>
  now: Date
}

/** What of a budget is spent, in its unit. */
export function spentOf(budget: Budget, rows: readonly UsageRow[], now: Date): number {
  const mine = rows.filter((row) => fits(budget, row) && isIn(budget.per, row.at, now))
  return mine.reduce(
    (sum, { cost, inputTokens, outputTokens }) =>
      sum + (budget.unit === 'USD' ? (cost ?? 0) : inputTokens + outputTokens),
    0,
  )
}

function fits({ provider, skill }: Budget, of: { provider: string; skill: string }): boolean {
  return (
    (provider === null || cell(provider) === cell(of.provider)) &&
    (skill === null || skill === of.skill)
  )
}

function objection(
  budget: Budget,
  estimate: Estimate,
  { now, rows, underWay }: Ledger,
): string | null {
  if (!fits(budget, estimate)) return null
  const { limit, name, per, unit } = budget
  if (unit === 'USD' && estimate.price === null) {
    return `The budget “${name}” is in USD, and nobody knows what ${estimate.provider} costs; set :PRICE_IN: and :PRICE_OUT: for it.`
  }
  const worth = ({ inputTokens, price }: Estimate) =>
    unit === 'USD' ? (costOf(price, { inputTokens, outputTokens: 0 }) ?? 0) : inputTokens
  const open = [...underWay].filter((each) => fits(budget, each))
  const asked = [...open, estimate].reduce((sum, each) => sum + worth(each), 0)
  const spent = spentOf(budget, rows, now)
  if (spent + asked <= limit && spent < limit) return null
  const shown =
    unit === 'USD' ? `${spent.toFixed(4)} of ${limit} USD` : `${spent} of ${limit} tokens`
  return `The budget “${name}” is spent for this ${per}: ${shown}. ${estimate.provider} was not asked.`
}

/** The meter of a runtime, by these budgets. */
export function meterOf(budgets: readonly Budget[]): (runtime: Runtime) => Meter {
  return ({ clock, config, log, tokens }) =>
    openMeter({
      dir: usageFolder(config.stateDir),
      clock,
      budgets,
      countTokens: (text) => tokens.count(text),
      warn: (message) => log('error', message),
    })
}

/** Where the ledger is. */
export function usageFolder(stateDir: string): string {
  return join(stateDir, 'usage')
}

const free = new Set<FailureKind>([
  'network',
  'auth',
  'rate-limit',
  'refused',
  'server',
  'overflow',
])

/** The provider, with its calls counted and held to the budgets. */
export function metered(
  provider: Provider,
  meter: Meter,
  { model, price }: { model: string; price: Price | null },
): Provider {
  const { name } = provider
  return {
    ...provider,
    async *propose(request, abort) {
      const skill = purposeOf(request.signal)
      const promptTokens = once(() => meter.countTokens(promptText(request)))
      const of = { provider: name, model, skill, price }
      const opened = meter.open({
        ...of,
        get inputTokens() {
          return promptTokens()
        },
      })
      if (!opened.ok) {
        yield { type: 'failure', kind: 'refused', message: opened.reason }
        return
      }
      let said = ''
      let told: TokenUsage | null = null
      let isFree = false
      try {
        for await (const event of provider.propose(request, abort)) {
          if (event.type === 'text') said += event.text
          else if (event.type === 'failure')
            isFree = said === '' && free.has(event.kind ?? 'protocol')
          else if (event.type !== 'usage') said += JSON.stringify(event)
          if (event.type === 'usage') {
            told = event
            yield { ...event, cost: costOf(price, event) ?? undefined }
          } else yield event
        }
      } finally {
        const counted = told === null ? 'estimated' : 'told'
        const spent: TokenUsage = told ?? {
          inputTokens: promptTokens(),
          outputTokens: meter.countTokens(said),
        }
        const { cachedTokens = 0, outputTokens } = spent
        const tokens = { inputTokens: spent.inputTokens, cachedTokens, outputTokens }
        const cost = costOf(price, spent)
        const row = { provider: name, model, skill, ...tokens, cost, counted } as const
        opened.close(isFree && told === null ? null : row)
      }
    },
  }
}

function promptText({ messages, system, tools }: ProviderRequest): string {
  return [system, messagesText(messages), ...tools.map(toolJson)].join('\n')
}
