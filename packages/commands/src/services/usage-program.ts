import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import { configPath, print, stateDirectory } from '@passepartout/core'
import { readConfigFile } from '@passepartout/gates/secrets'
import {
  type Budget,
  budgetSection,
  dayOf,
  readUsage,
  spentOf,
  type UsageRow,
  usageFolder,
} from '@passepartout/models/profiles'

const help = `Usage: passepartout usage [--by day|provider|skill] [--month YYYY-MM | --all] [--json]

Tokens and cost of what models were asked, as an Org table, and what is left of each budget.
A cost is the list price, or what you set with :PRICE_IN: and :PRICE_OUT:; where no price is
known it says so. Budgets are headlines of config.org with :BUDGET: 5 USD or 200000 tokens.
`

/** What rows can be added up by. */
export type UsageBy = 'day' | 'provider' | 'skill'

const groupings: Record<UsageBy, (row: UsageRow) => string> = {
  day: ({ at }) => dayOf(new Date(at)),
  provider: ({ provider }) => provider,
  skill: ({ skill }) => skill,
}

/** What was spent under one name. */
export interface UsageSum {
  name: string
  calls: number
  inputTokens: number
  outputTokens: number
  /** Dollars for the calls whose price is known. */
  cost: number
  /** How many calls had no known price. */
  unpriced: number
}

/** The rows added up by what this gives, in the order of the names. */
export function sumsOf(rows: readonly UsageRow[], by: UsageBy): UsageSum[] {
  const groups = Map.groupBy(rows, groupings[by])
  return [...groups]
    .map(([name, of]) => ({
      name,
      calls: of.length,
      inputTokens: of.reduce((sum, row) => sum + row.inputTokens, 0),
      outputTokens: of.reduce((sum, row) => sum + row.outputTokens, 0),
      cost: of.reduce((sum, row) => sum + (row.cost ?? 0), 0),
      unpriced: of.filter(({ cost }) => cost === null).length,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]!.length)),
  )
  const line = (row: readonly string[]) =>
    `| ${row.map((text, at) => (at === 0 ? text.padEnd(widths[at]!) : text.padStart(widths[at]!))).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`
  return `${[line(head), rule, ...rows.map(line)].join('\n')}\n`
}

const money = ({ calls, cost, unpriced }: UsageSum) =>
  calls === unpriced ? 'unknown' : `${cost.toFixed(4)}${unpriced > 0 ? ' +?' : ''}`

function usageTable(sums: readonly UsageSum[], by: string): string {
  const rows = sums.map((sum) => [
    sum.name,
    ...[sum.calls, sum.inputTokens, sum.outputTokens].map(String),
    money(sum),
  ])
  return table([by, 'calls', 'in', 'out', 'USD'], rows)
}

interface Left extends Budget {
  spent: number
}

function budgetTable(budgets: readonly Left[]): string {
  const shown = (amount: number, { unit }: Budget) =>
    unit === 'USD' ? `${amount.toFixed(4)} USD` : `${amount} tokens`
  const rows = budgets.map((budget) => [
    budget.name,
    budget.per,
    [budget.provider, budget.skill].filter((word) => word !== null).join(', ') || 'all',
    shown(budget.spent, budget),
    shown(Math.max(0, budget.limit - budget.spent), budget),
  ])
  return table(['budget', 'per', 'for', 'spent', 'left'], rows)
}

type Env = Record<string, string | undefined>

/** Does what the words say. Never throws. */
export function usageProgram(
  args: readonly string[],
  env: Env,
  now: Date,
): { code: 0 | 2; text: string } {
  const options = {
    by: { type: 'string', default: 'provider' },
    month: { type: 'string' },
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch {
    return { code: 2, text: help }
  }
  const { by, month = dayOf(now).slice(0, 7) } = values
  if (values.help) return { code: 0, text: help }
  if (!Object.hasOwn(groupings, by) || !/^\d{4}-\d\d$/.test(month)) return { code: 2, text: help }
  const dir = usageFolder(stateDirectory(env))
  const sums = sumsOf(readUsage(dir, values.all ? '' : month), by as UsageBy)
  const file = readConfigFile(configPath(env, env.HOME ?? homedir()), { budgets: budgetSection })
  const current = readUsage(dir, dayOf(now).slice(0, 7))
  const budgets = file.sections.budgets.map((budget) => ({
    ...budget,
    spent: spentOf(budget, current, now),
  }))
  if (values.json) return { code: 0, text: `${JSON.stringify({ by, sums, budgets }, null, 1)}\n` }
  const none = values.all ? 'No model was asked yet.\n' : `No model was asked in ${month}.\n`
  const parts = [sums.length === 0 ? none : usageTable(sums, by)]
  if (budgets.length > 0) parts.push(budgetTable(budgets))
  return { code: 0, text: parts.join('\n') }
}

if (import.meta.main) {
  const { code, text } = usageProgram(process.argv.slice(2), process.env, new Date())
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
