import { homedir } from 'node:os'
import { configPath, stateDirectory } from '@passepartout/core'
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
import { type Answer, type Given, UsageError } from '../line/program.ts'

/** What rows can be added up by. */
type UsageBy = 'day' | 'provider' | 'skill'

const groupings: Record<UsageBy, (row: UsageRow) => string> = {
  day: ({ at }) => dayOf(new Date(at)),
  provider: ({ provider }) => provider,
  skill: ({ skill }) => skill,
}

/** What was spent under one name. */
interface UsageSum {
  name: string
  calls: number
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  /** Dollars for the calls whose price is known. */
  cost: number
  /** How many calls had no known price. */
  unpriced: number
}

/** The rows added up by what this gives, in the order of the names. */
function sumsOf(rows: readonly UsageRow[], by: UsageBy): UsageSum[] {
  const groups = Map.groupBy(rows, groupings[by])
  return [...groups]
    .map(([name, of]) => ({
      name,
      calls: of.length,
      inputTokens: of.reduce((sum, row) => sum + row.inputTokens, 0),
      cachedTokens: of.reduce((sum, row) => sum + row.cachedTokens, 0),
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
    ...[sum.calls, sum.inputTokens, sum.cachedTokens, sum.outputTokens].map(String),
    money(sum),
  ])
  return table([by, 'calls', 'in', 'cached', 'out', 'USD'], rows)
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

/** What was spent, and what is left. */
export async function spent({
  env,
  now,
  options: { all, by, month = dayOf(now).slice(0, 7) },
}: Given<{ by: UsageBy; month?: string | undefined; all: boolean }>): Promise<Answer> {
  if (!/^\d{4}-\d\d$/.test(month))
    throw new UsageError(`--month takes one such as 2026-11; ${month} is none`)
  const dir = usageFolder(stateDirectory(env))
  const sums = sumsOf(readUsage(dir, all ? '' : month), by)
  const file = readConfigFile(configPath(env, env.HOME ?? homedir()), { budgets: budgetSection })
  const current = readUsage(dir, dayOf(now).slice(0, 7))
  const budgets = file.sections.budgets.map((budget) => ({
    ...budget,
    spent: spentOf(budget, current, now),
  }))
  const none = all ? 'No model was asked yet.\n' : `No model was asked in ${month}.\n`
  const parts = [sums.length === 0 ? none : usageTable(sums, by)]
  if (budgets.length > 0) parts.push(budgetTable(budgets))
  return { text: parts.join('\n'), data: { by, sums, budgets } }
}
