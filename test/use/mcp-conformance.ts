import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { serveMcpHttp } from '../../packages/clients/src/mcp/http.ts'
import { inspector } from '../servers/inspectors.ts'
import { conformanceServer } from './mcp-conformance-server.ts'

const revisions = ['2025-11-25', '2026-07-28'] as const

const noAnswers = 'a server of ours asks nothing while it answers'
const noSessions = 'the older revision is served without sessions, as the newer one is'
const noSubscriptions = 'there is nothing to subscribe to'
const noTasks = 'an extension: tasks'
const noLogin = 'tokens come from the vault; there is no login'
const noQuestions = 'a server may not ask our owner anything'

const notForUs: readonly (readonly [RegExp, string])[] = [
  [/ sep-2322-client-request-state$| elicitation-sep1034-client/, noQuestions],
  [/ tools-call-(?:sampling|elicitation)$| elicitation-/, noAnswers],
  [/ server-session-lifecycle$|^2025-11-25 server-sse-/, noSessions],
  [/ resources-(?:un)?subscribe$/, noSubscriptions],
  [/ tasks-/, noTasks],
  [/ auth\//, noLogin],
]

function reasonAgainst(revision: string, scenario: string): string | null {
  const name = `${revision} ${scenario}`
  return notForUs.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

/** How one scenario went. */
interface Outcome {
  role: 'server' | 'client'
  revision: string
  scenario: string
  passed: number
  failed: string[]
  /** Why it does not apply; null for one that does. */
  reason: string | null
}

const checksSchema = z.array(z.looseObject({ id: z.string(), status: z.string() }))

function runSuite(...args: string[]): Promise<void> {
  const suite = inspector('@modelcontextprotocol/conformance/dist/index.js')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, ...args], { stdio: 'ignore' })
    child.once('error', reject).once('exit', () => resolve())
  })
}

function outcomesIn(folder: string, role: Outcome['role'], revision: string): Outcome[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('checks.json'))
    .sort()
    .map((file) => {
      const checks = checksSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
      const scenario = dirname(file)
        .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
        .replace(/^server-/, '')
      const passed = checks.filter(({ status }) => status === 'SUCCESS').length
      const failed = checks.flatMap(({ id, status }) => (status === 'FAILURE' ? [id] : []))
      return { role, revision, scenario, passed, failed, reason: reasonAgainst(revision, scenario) }
    })
}

async function askServer(folder: string): Promise<Outcome[]> {
  const server = await serveMcpHttp(conformanceServer, { port: 0, token: null })
  const url = `http://127.0.0.1:${server.port}/mcp`
  try {
    const outcomes: Outcome[] = []
    for (const revision of revisions) {
      const output = join(folder, `server-${revision}`)
      await runSuite('server', '--url', url, '--requirements', revision, '-o', output)
      outcomes.push(...outcomesIn(output, 'server', revision))
    }
    return outcomes
  } finally {
    await server.close()
  }
}

const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
const client = join(import.meta.dirname, 'mcp-conformance-client.ts')

async function askClient(folder: string): Promise<Outcome[]> {
  const command = [process.execPath, ...flags, client].join(' ')
  const outcomes: Outcome[] = []
  for (const revision of revisions) {
    for (const scenario of requiredOfClients(revision)) {
      const reason = reasonAgainst(revision, scenario)
      const output = join(folder, 'client', revision, scenario)
      if (reason === null) {
        const which = ['--scenario', scenario, '--spec-version', revision]
        await runSuite('client', '--command', command, ...which, '-o', output)
        const [only] = outcomesIn(output, 'client', revision)
        const none = {
          role: 'client' as const,
          revision,
          passed: 0,
          failed: ['did not run'],
          reason,
        }
        outcomes.push({ ...(only ?? none), scenario })
      } else outcomes.push({ role: 'client', revision, scenario, passed: 0, failed: [], reason })
    }
  }
  return outcomes
}

/** The client's scenarios of a revision, from the suite's own list. */
function requiredOfClients(revision: string): string[] {
  const path = inspector(`@modelcontextprotocol/conformance/requirements/${revision}.yaml`)
  const [, list = ''] =
    /^client:\n((?: {2}- .*\n| *#.*\n|\n)*)/m.exec(readFileSync(path, 'utf8')) ?? []
  const later = ['json-schema-2020-12-preservation']
  return [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name).concat(later)
}

/** What came of all scenarios. */
interface Report {
  outcomes: Outcome[]
  /** Those that apply and did not pass. */
  failures: Outcome[]
  text: string
}

/** Runs the suite in both roles and both revisions. */
export async function runConformance(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  try {
    const outcomes = [...(await askServer(folder)), ...(await askClient(folder))]
    const ours = outcomes.filter(({ reason }) => reason === null)
    const failures = ours.filter(({ failed, passed }) => failed.length > 0 || passed === 0)
    return { outcomes, failures, text: textOf(outcomes, failures) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function textOf(outcomes: readonly Outcome[], failures: readonly Outcome[]): string {
  const lines: string[] = []
  for (const role of ['server', 'client'] as const) {
    for (const revision of revisions) {
      const all = outcomes.filter((one) => one.role === role && one.revision === revision)
      const ours = all.filter(({ reason }) => reason === null)
      const wrong = failures.filter((one) => ours.includes(one)).length
      const checks = ours.reduce((sum, { passed }) => sum + passed, 0)
      const passed = `${ours.length - wrong} of ${ours.length} scenarios, ${checks} checks`
      lines.push(
        `MCP ${role} ${revision}: ${passed} passed; ${all.length - ours.length} do not apply`,
      )
    }
  }
  for (const [, why] of notForUs) {
    const names = outcomes.flatMap(({ reason, scenario }) => (reason === why ? [scenario] : []))
    lines.push(`  not: ${why} (${[...new Set(names)].join(', ')})`)
  }
  for (const { failed, revision, role, scenario } of failures) {
    lines.push(`  WRONG ${role} ${revision} ${scenario}: ${failed.join(', ') || 'no check passed'}`)
  }
  return lines.join('\n')
}

if (import.meta.main) {
  const { failures, text } = await runConformance()
  console.log(text)
  process.exitCode = failures.length === 0 ? 0 : 1
}
