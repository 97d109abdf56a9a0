import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, openStack, readActionLine, verdictOf } from '@passepartout/commands/gates-check'
import { gateContext, type Signal, settle, standingYes, withTarget } from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { openVault } from '@passepartout/gates/secrets'
import { afterAll, expect, test } from 'vitest'
import { approved, writePins } from '../../packages/gateways/src/mcp/pins.ts'
import { corpora } from './attacks.ts'
import { deedsAsked, injections, reading } from './injections.ts'
import { leaks, looksOnly } from './secrets.ts'

const home = mkdtempSync(join(tmpdir(), 'gates-agree-'))
const memex = join(home, 'memex')
const config = join(home, '.config/passepartout')
for (const folder of [memex, config]) mkdirSync(folder, { recursive: true })
const drawer = (lines: string) => `:PROPERTIES:\n${lines}\n:END:\n`
writeFileSync(
  join(memex, 'diary.org'),
  '* A talk with the doctor :private:\nThe knee hurts again.\n',
)
writeFileSync(
  join(config, 'permissions.org'),
  `* Plans\n${drawer(':PERMISSION: allow\n:COMMAND: terraform plan')}* No fetch\n${drawer(':PERMISSION: deny\n:TOOL: fetch-page')}`,
)
writeFileSync(
  join(config, 'config.org'),
  `* Weather\n${drawer(':MCP: weather\n:COMMAND: node server.mjs')}`,
)
const env = { HOME: home, MEMEX_DIR: memex, XDG_STATE_HOME: join(home, 'state') }
const vault = await openVault({ dir: join(home, 'vault') })
await vault.set('bank', 'Tr0ub4dor-and-3-horses')
const settings = readDaemonConfig(env)
const inputSchema = { type: 'object', properties: { city: { type: 'string' } } }
writePins(
  settings.stateDir,
  settings.mcpServers[0]!,
  approved([], [{ name: 'get_user', inputSchema }]),
)
const daemon = await startDaemon(settings, 'test', { vault, say: () => {} })
const stack = openStack(env, vault)
const judged = judge(stack)
afterAll(async () => {
  await daemon.stop()
  stack.close()
  rmSync(home, { recursive: true })
})

let sessions = 0

async function daemonSays(line: object) {
  const { runtime } = daemon
  const read = readActionLine(line)
  if (!read.ok) throw new Error(read.reason)
  const { action, mode, ownerWords, signal: given } = read.value
  const sessionId = `session-${sessions++}`
  const signal: Signal = { ...given, meta: { ...given.meta, sessionId } }
  for (const text of ownerWords) {
    const words = { kind: 'words', origin: 'owner', text } as const
    runtime.sessions.add(runtime.sessions.of(sessionId), 't', words)
  }
  if (mode !== null) {
    const payload = { sensor: 'session-mode', mode }
    await runtime.sensors.get('session-mode')?.({ ...signal, payload }, runtime)
  }
  const context = gateContext(runtime, signal)
  const targeted = withTarget(runtime, signal, action)
  const result = await settle(runtime.gates, targeted, context, null)
  const rule = result.kind === 'approval' ? standingYes(runtime, context, result) : null
  return rule === null ? verdictOf(result) : { verdict: 'allow' as const, rule }
}

const explanation = 'You asked for it.'
const commands = corpora.flatMap(({ action: { payload }, words = [] }) =>
  payload.cmd === undefined
    ? []
    : [{ tool: 'shell', args: { cmd: payload.cmd }, words, explanation }],
)
const scenes = [...leaks, ...injections, ...looksOnly, ...deedsAsked, ...reading].map(
  ({ action, origin, words }) => ({ ...action, origin, words }),
)
const own = [
  { tool: 'mcp-weather-get-user', args: { city: 'Bonn' } },
  { tool: 'mcp-weather-get-user', args: { town: 'Bonn' } },
  { tool: 'mcp-weather-get-user', args: { city: 'The knee hurts again.' } },
  { tool: 'capture-task', args: { titel: 'Buy milk' } },
  { tool: 'capture-task', args: { title: 'Buy milk' } },
  { tool: 'capture-task', args: { title: 'Buy milk\n* DONE all' } },
  { tool: 'fetch-page', args: { url: 'https://example.org/' } },
  { tool: 'shell', args: { cmd: 'terraform plan' } },
  { tool: 'shell', args: { cmd: 'make', cwd: '/home/ann/project' } },
  { target: 'telegram', args: { text: 'Tr0ub4dor-and-3-horses' } },
].flatMap((line) =>
  [{}, { mode: 'look' }, { mode: 'confirm' }, { source: 'telegram' }, { origin: 'web' }].map(
    (more) => ({
      ...line,
      ...more,
      explanation,
    }),
  ),
)

test('the dry run says what the daemon would do', { timeout: 120_000 }, async () => {
  const lines = [...own, ...commands.filter((_, at) => at % 4 === 0), ...scenes]
  const differing: string[] = []
  let known = 0
  for (const line of lines) {
    const dry = judged(line)
    const real = await daemonSays(line)
    if (dry.supposed) {
      if (real.verdict !== 'reject') differing.push(`supposed: ${JSON.stringify(line)}`)
      continue
    }
    known++
    const said = 'gate' in real ? real : { ...dry, verdict: real.verdict }
    if (JSON.stringify(dry) !== JSON.stringify(said)) {
      differing.push(`${JSON.stringify(line)}\n  ${JSON.stringify(dry)}\n  ${JSON.stringify(said)}`)
    }
  }
  expect(differing).toEqual([])
  expect(known).toBeGreaterThan(500)
})
