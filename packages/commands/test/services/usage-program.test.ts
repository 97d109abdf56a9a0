import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { usage } from '../../src/definitions/programs.ts'
import { runProgram } from '../../src/line/program.ts'

const ledger = `| 2026-11-21T12:00:00.000Z | Claude | c | conversation | 1000 | 800 | 200 | 0.006000 | told |
| 2026-11-21T12:30:00.000Z | Claude | c | distill | 500 | 100 | 0.003000 | told |
| 2026-11-22T12:00:00.000Z | Groq | l | conversation | 10 | 5 | unknown | estimated |
`

function home() {
  const dir = mkdtempSync(join(tmpdir(), 'usage-program-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const state = join(dir, '.local/state/passepartout/usage')
  const config = join(dir, '.config/passepartout')
  for (const path of [state, config]) mkdirSync(path, { recursive: true })
  writeFileSync(join(state, 'usage-2026-11.org'), ledger)
  writeFileSync(join(config, 'config.org'), '* Month\n:PROPERTIES:\n:BUDGET: 1 USD\n:END:\n')
  const given = { env: { HOME: dir }, now: new Date(2026, 10, 22, 15) }
  return (...args: string[]) => runProgram(usage, args, given)
}

test('the ledger is added up as an Org table', async () => {
  const run = home()
  expect((await run()).out).toMatchInlineSnapshot(`
  "| provider | calls |   in | cached | out |     USD |
  |----------+-------+------+--------+-----+---------|
  | Claude   |     2 | 1500 |    800 | 300 |  0.0090 |
  | Groq     |     1 |   10 |      0 |   5 | unknown |

  | budget |   per | for |      spent |       left |
  |--------+-------+-----+------------+------------|
  | Month  | month | all | 0.0090 USD | 0.9910 USD |
  "
`)
  expect((await run('--by', 'skill')).out).toContain(
    '| conversation |     2 | 1010 |    800 | 205 | 0.0060 +? |',
  )
  expect((await run('--by', 'day')).out).toMatch(/^\| 2026-11-21 \| {5}2 /m)
  expect((await run('--month', '2026-10')).out).toContain('No model was asked in 2026-10.')
})

test('the same comes as JSON, and nonsense is not understood', async () => {
  const run = home()
  const { budgets, sums } = JSON.parse((await run('--json')).out)
  expect(sums[0]).toMatchObject({ name: 'Claude', calls: 2, inputTokens: 1500, unpriced: 0 })
  expect(budgets).toMatchObject([{ name: 'Month', spent: expect.closeTo(0.009) }])
  for (const args of [['--by', 'moon'], ['--month', 'May'], ['x'], ['--nonsense']]) {
    expect((await run(...args)).code).toBe(2)
  }
  expect((await run('--help')).code).toBe(0)
})
