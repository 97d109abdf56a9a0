import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Action,
  askersOf,
  commandName,
  createRuntime,
  createSkillEngine,
  type GateContext,
  gateContext,
  ingestMemex,
  loadSkills,
  messageOf,
  openMemex,
  print,
  printError,
  type Runtime,
  type Signal,
  type SkillEngine,
  settle,
  settleNow,
  stateDirectory,
  type ToolFacts,
  type VerifyResult,
  withTarget,
} from '@passepartout/core'
import { placesOf, readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { openVault, type Vault } from '@passepartout/gates/secrets'
import { createMcpClient } from '@passepartout/gateways/mcp'
import { z } from 'zod'
import type { Answer, Given } from '../line/program.ts'
import { type ActionLine, readActionLine } from './action-line.ts'

/** Gates with all that they need to judge. */
export interface Stack {
  runtime: Runtime
  /** Loads the owner's own gates, those that are granted; resolves to why any other is not asked. */
  loadOwn(): Promise<string[]>
  /** Removes what was made for it. */
  close: () => void
}

/** The daemon's gates in this environment. Throws a TypeError that names a variable that is wrong. */
export function openStack(
  env: Record<string, string | undefined>,
  vault: Vault | null = null,
): Stack {
  const made = env.MEMEX_DIR ? null : mkdtempSync(join(tmpdir(), 'gates-check-'))
  const close = () => {
    if (made !== null) rmSync(made, { recursive: true, force: true })
  }
  try {
    const places = { ...env, MEMEX_DIR: env.MEMEX_DIR || made! }
    const config = readDaemonConfig(places, (name) => vault?.get(name) ?? null)
    const runtime = createRuntime({ config, memex: openMemex(config.memexDir) })
    const engine = createSkillEngine(placesOf(config))
    const servers = createMcpClient(config.mcpServers, { ...config, clock: runtime.clock })
    loadSkills(runtime, [...skillsOf(config, vault), servers.skill, engine.skill])
    ingestMemex(runtime)
    const closeAll = () => {
      close()
      void engine.close()
    }
    return { runtime, loadOwn: () => loadOwn(engine, runtime), close: closeAll }
  } catch (error) {
    close()
    throw error
  }
}

async function loadOwn(engine: SkillEngine, runtime: Runtime): Promise<string[]> {
  await engine.loadGranted(runtime)
  return engine
    .status()
    .filter(({ capabilities, state }) => capabilities.includes('gates') && state !== 'running')
    .map(({ name, state }) => {
      const instead = runtime.gates.some((gate) => gate.name === `${name}.stand-in`)
      const what = instead ? 'a stand-in asks about everything' : 'it is not asked'
      return `the gate of the skill ${name} is ${state}: ${what}; see: ${commandName} skill why ${name}`
    })
}

/** What the gates say about one line. */
export interface LineVerdict {
  verdict: 'allow' | 'ask' | 'reject'
  gate: string
  rule: string
  reason: string
  /** The gates that changed the action on its way; absent when none did. */
  changed?: string[]
  /** There is no such tool, and the daemon would refuse it; it was judged as the line describes it. */
  supposed?: true
}

/** What the gates' result comes to, with the gate that decided and its words. */
export function verdictOf({ kind, records }: VerifyResult): LineVerdict {
  const verdict = kind === 'pass' ? 'allow' : kind === 'approval' ? 'ask' : 'reject'
  const strictest = records.filter((record) => record.verdict.kind === kind)
  const named = strictest.find((record) => record.verdict.rule !== undefined)
  const deciding = kind === 'pass' ? named : strictest[0]
  const changes = records.filter((record) => record.verdict.kind === 'change')
  const changed = [...new Set(changes.map(({ gate }) => gate))]
  const more = changed.length === 0 || kind === 'reject' ? {} : { changed }
  if (deciding === undefined) {
    const reason =
      changed.length === 0
        ? 'Every gate passed.'
        : `${changed.join(', ')} changed it; every other gate passed.`
    return { verdict, gate: 'all', rule: 'all.pass', reason, ...more }
  }
  const { gate, verdict: said } = deciding
  const reason = 'reason' in said ? said.reason : `${gate} passed.`
  return { verdict, gate, rule: said.rule ?? `${gate}.${kind}`, reason, ...more }
}

const toolFacts = {
  reading: { parameters: z.looseObject({}), readOnly: true },
  changing: { parameters: z.looseObject({}), readOnly: false },
  foreign: {
    parameters: z.looseObject({}),
    readOnly: false,
    permission: 'ask' as const,
    reach: 'elsewhere' as const,
    foreign: { definition: '', destroys: false, configured: [] },
  },
}

type SupposedTool = NonNullable<ActionLine['tool']>

type Contexts = Map<string, GateContext>

function contextOf(runtime: Runtime, line: ActionLine, contexts: Contexts): GateContext {
  const { signal, ownerWords, tool } = line
  const { source, origin, sessionId = '' } = signal.meta
  const key = `${source} ${origin} ${sessionId}`
  const base = contexts.get(key) ?? contextFor(runtime, line)
  if (contexts.size < 1_000) contexts.set(key, base)
  const tools = isSupposed(runtime, tool) ? withTool(base, tool) : base.tools
  return { ...base, signal, ownerWords, tools }
}

/** The session is put into the mode of the line as a client would do it, before its facts are asked for. */
function contextFor(runtime: Runtime, { isPaired, mode, signal }: ActionLine): GateContext {
  if (mode !== null) {
    const payload = { sensor: 'session-mode', mode }
    void runtime.sensors.get('session-mode')?.({ ...signal, payload }, runtime)
  }
  const context = gateContext(runtime, bare(signal))
  return isPaired ? { ...context, facts: { ...context.facts, gateways: { isPaired } } } : context
}

function isSupposed(runtime: Runtime, tool: ActionLine['tool']): tool is SupposedTool {
  return tool !== null && !runtime.tools.has(tool.name)
}

function bare(signal: Signal): Signal {
  return { ...signal, payload: { sensor: 'user-input', text: '' } }
}

function withTool(context: GateContext, tool: SupposedTool) {
  const facts = tool.name.startsWith('mcp-')
    ? toolFacts.foreign
    : tool.readOnly
      ? toolFacts.reading
      : toolFacts.changing
  return new Map<string, ToolFacts>([...context.tools, [tool.name, facts]])
}

/** A function that says what this stack says about a line, given as a value. It never rejects. */
export function judgeAll({ runtime }: Stack): (line: unknown) => Promise<LineVerdict> {
  const contexts: Contexts = new Map()
  return async (value) => {
    const asked = questionOf(runtime, value, contexts)
    if ('verdict' in asked) return asked
    const { action, context } = asked
    return answerOf(runtime, asked, await settle(runtime.gates, action, context, null))
  }
}

/** The same at once, with the gates of the house; one of the owner's skills rejects here. */
export function judge({ runtime }: Stack): (line: unknown) => LineVerdict {
  const contexts: Contexts = new Map()
  return (value) => {
    const asked = questionOf(runtime, value, contexts)
    if ('verdict' in asked) return asked
    const { action, context } = asked
    return answerOf(runtime, asked, settleNow(runtime.gates, action, context, null))
  }
}

interface Question {
  action: Action
  context: GateContext
  isSupposed: boolean
}

function questionOf(runtime: Runtime, value: unknown, contexts: Contexts): Question | LineVerdict {
  const line = readActionLine(value)
  if (!line.ok) return inputFault('input.shape', line.reason)
  const { action, signal, tool } = line.value
  try {
    const context = contextOf(runtime, line.value, contexts)
    const targeted = withTarget(runtime, signal, action)
    return { action: targeted, context, isSupposed: isSupposed(runtime, tool) }
  } catch (error) {
    return broken(error)
  }
}

function answerOf(runtime: Runtime, asked: Question, result: VerifyResult): LineVerdict {
  try {
    const verdict = standingVerdict(runtime, asked.context, result) ?? verdictOf(result)
    return asked.isSupposed ? { ...verdict, supposed: true } : verdict
  } catch (error) {
    return broken(error)
  }
}

function broken(error: unknown): LineVerdict {
  const reason = messageOf(error)
  return { verdict: 'reject', gate: 'verification', rule: 'verification.broken', reason }
}

function standingVerdict(
  { standing }: Runtime,
  context: GateContext,
  { action, kind, records }: VerifyResult,
): LineVerdict | null {
  const title =
    kind === 'approval' ? standing?.answers(action, context, askersOf(records)) : undefined
  if (typeof title !== 'string') return null
  const reason = `Your rule “${title}” answers the question.`
  return { verdict: 'allow', gate: 'permissions', rule: 'permissions.standing', reason }
}

function inputFault(rule: string, reason: string): LineVerdict {
  return { verdict: 'reject', gate: 'input', rule, reason }
}

const lineLengthMax = 1_000_000

/** The lines of a text that comes in pieces; a line that is too long comes as null. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<(string | null)[]> {
  let rest = ''
  let isTooLong = false
  for await (const piece of pieces) {
    const lines: (string | null)[] = (rest + piece).split('\n')
    rest = lines.pop()!
    if (isTooLong && lines.length > 0) {
      lines[0] = null
      isTooLong = false
    }
    yield lines.map((line) => (line !== null && line.length <= lineLengthMax ? line : null))
    if (rest.length > lineLengthMax) {
      rest = ''
      isTooLong = true
    }
  }
  if (isTooLong) yield [null]
  else if (rest !== '') yield [rest]
}

/** How many lines got which verdict from which gate. */
export type Tally = Map<string, number>

/** Judges JSON lines; yields text with one verdict per line, about as large as what came in. */
export async function* check(
  stack: Stack,
  input: AsyncIterable<string>,
  tally: Tally = new Map(),
): AsyncGenerator<string> {
  const judged = judgeAll(stack)
  let number = 0
  for await (const lines of linesOf(input)) {
    let output = ''
    for (const line of lines) {
      const verdict = await judgeText(judged, line, ++number)
      const key = `${verdict.verdict} ${verdict.gate}`
      tally.set(key, (tally.get(key) ?? 0) + 1)
      output += `${JSON.stringify(verdict)}\n`
    }
    if (output !== '') yield output
  }
}

async function judgeText(
  judged: (line: unknown) => Promise<LineVerdict>,
  line: string | null,
  number: number,
): Promise<LineVerdict> {
  if (line === null) return inputFault('input.length', `line ${number} is too long`)
  try {
    const verdict = await judged(JSON.parse(line))
    if (verdict.gate !== 'input') return verdict
    return { ...verdict, reason: `line ${number}: ${verdict.reason}` }
  } catch {
    return inputFault('input.json', `line ${number} is not JSON`)
  }
}

/** Judges the lines of standard input. */
export async function checkGates({ env, options }: Given<{ stats: boolean }>): Promise<Answer> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const stack = openStack(env, vault)
  const tally: Tally = new Map()
  for (const missing of await stack.loadOwn()) printError(`passepartout: ${missing}\n`)
  const begin = performance.now()
  try {
    for await (const piece of check(stack, process.stdin.setEncoding('utf8'), tally)) {
      if (!print(piece)) await drained()
    }
  } finally {
    stack.close()
  }
  if (options.stats) printError(table(tally, performance.now() - begin))
  return { text: '' }
}

function drained(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('drain', resolve)
  })
}

function table(tally: Tally, ms: number): string {
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0)
  const rows = [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => {
      const [verdict = '', gate = ''] = key.split(' ')
      const share = ((100 * count) / total).toFixed(1)
      return `${verdict.padEnd(8)} ${gate.padEnd(16)} ${String(count).padStart(9)} ${share.padStart(6)} %\n`
    })
  const speed = Math.round((1_000 * total) / Math.max(ms, 1))
  return `${rows.join('')}${total} lines in ${Math.round(ms)} ms, ${speed} a second\n`
}

export { type ActionLine, readActionLine }
