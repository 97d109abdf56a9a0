import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import {
  configPath,
  findInstance,
  formatProblem,
  messageOf,
  print,
  stateDirectory,
} from '@passepartout/core'
import { openVault, readConfigFile } from '@passepartout/gates/secrets'
import {
  approved,
  cleanLine,
  cleanText,
  compared,
  connectToServer,
  descriptionOf,
  hasPins,
  type ListedTool,
  localName,
  type McpServerConfig,
  mcpSection,
  parametersOf,
  parametersText,
  pinsPath,
  readPins,
  type Standing,
  writePins,
} from '@passepartout/gateways/mcp'

const help = `Usage: passepartout mcp servers [NAME] [--json]
       passepartout mcp approve NAME TOOL... [--dry-run]
       passepartout mcp approve NAME --all [--dry-run]
       passepartout mcp forget NAME

Servers are named in config.org, with :MCP: NAME and :COMMAND: or :URL:. Their tools can be
used when you have approved them as they describe themselves; a tool that changes is off
until you approve it again. Each use asks you, until you answer “always” for a tool.
`

/** What came of it: an exit code and a text, for standard error unless the code is 0. */
export interface McpAnswer {
  code: 0 | 1 | 2
  text: string
}

interface Looked {
  server: McpServerConfig
  /** How its tools stand; what was approved, when it did not answer. */
  standings: Standing[]
  /** Why it did not answer, or null. */
  problem: string | null
}

async function lookAt(server: McpServerConfig, stateDir: string): Promise<Looked> {
  const pins = readPins(stateDir, server)
  try {
    const connection = await connectToServer(server)
    try {
      const listed = await connection.list(AbortSignal.timeout(server.timeoutMs))
      return { server, standings: compared(pins, listed as ListedTool[]), problem: null }
    } finally {
      await connection.close().catch(() => {})
    }
  } catch (error) {
    const problem = cleanLine(messageOf(error), 500)
    return { server, standings: [], problem }
  }
}

function lines({ problem, server, standings }: Looked): string {
  const { command, name, url } = server
  const head = `${name}  ${url ?? command?.join(' ')}\n`
  if (problem !== null) return `${head}  does not answer: ${problem}\n`
  const empty = standings.length === 0 ? '  It has no tools.\n' : ''
  return head + empty + standings.map((one) => toolLines(server.name, one)).join('')
}

function toolLines(server: string, { before, name, now, state }: Standing): string {
  const usable = now === null || parametersOf(now.inputSchema) !== null
  const own = localName(server, name)
  const note = usable && own !== null ? `as ${own}` : 'cannot be used: its name or its parameters'
  const head = `  ${state.padEnd(9)} ${cleanLine(name, 100)}  ${note}\n`
  if (state === 'approved' || state === 'gone') return head
  const old = state === 'changed' && before !== null ? [shown('was', before)] : []
  return `${head}${[...old, ...(now === null ? [] : [shown('says', now)])].join('')}`
}

function shown(word: string, tool: ListedTool): string {
  const { annotations, description, inputSchema, outputSchema, title } = tool
  const parameters = parametersOf(inputSchema)
  const read = parameters === null ? '' : `\n${parametersText(parameters)}`
  const all = { annotations, title, description, inputSchema, outputSchema }
  const rest = cleanText(JSON.stringify(all, null, 2), 20_000)
  const text = `${word}, and a model reads:\n${descriptionOf(tool)}${read}\n${word}, in all:\n${rest}`
  return `${text.replace(/^/gm, '    ')}\n`
}

async function approve(
  server: McpServerConfig,
  wanted: readonly string[],
  stateDir: string,
  { all, dryRun }: { all: boolean; dryRun: boolean },
): Promise<McpAnswer> {
  const looked = await lookAt(server, stateDir)
  if (looked.problem !== null) return { code: 1, text: lines(looked) }
  const open = looked.standings.filter(({ state }) => state === 'new' || state === 'changed')
  const chosen = all ? open : open.filter(({ name }) => wanted.includes(name))
  const unknown = wanted.filter((name) => !looked.standings.some((one) => one.name === name))
  if (unknown.length > 0) {
    return { code: 1, text: `${server.name} has no tool ${unknown.join(', ')}.\n` }
  }
  const print = chosen.map((one) => toolLines(server.name, one)).join('')
  if (chosen.length === 0) return { code: 0, text: 'There is nothing to approve.\n' }
  if (dryRun) return { code: 0, text: `${print}Would be approved: ${chosen.length}.\n` }
  const tools = chosen.flatMap(({ now }) => (now === null ? [] : [now]))
  writePins(stateDir, server, approved(readPins(stateDir, server), tools))
  return { code: 0, text: `${print}Approved: ${tools.length}. ${tellDaemon(stateDir)}\n` }
}

function tellDaemon(stateDir: string): string {
  const running = findInstance(stateDir)
  if (running === null) return 'The next daemon has them.'
  process.kill(running.pid, 'SIGHUP')
  return 'The daemon was told.'
}

/** Does what the words say. Never throws. */
export async function runMcp(
  words: readonly string[],
  env: Record<string, string | undefined>,
): Promise<McpAnswer> {
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { code: 0, text: help }
    const flags = { all: values.all, dryRun: values['dry-run'], json: values.json }
    return await carryOut(positionals, flags, env)
  } catch (error) {
    const message = messageOf(error)
    const isUsage = error instanceof TypeError && 'code' in error
    return { code: isUsage ? 2 : 1, text: `passepartout: ${message}\n` }
  }
}

async function carryOut(
  [verb, name, ...tools]: string[],
  flags: { all: boolean; dryRun: boolean; json: boolean },
  env: Record<string, string | undefined>,
): Promise<McpAnswer> {
  const stateDir = stateDirectory(env)
  const { problems, servers } = await configured(env)
  const named = servers.filter((server) => name === undefined || server.name === name)
  const isKnown = verb === 'servers' || verb === 'approve' || verb === 'forget'
  if (!isKnown || (verb !== 'servers' && name === undefined)) return { code: 2, text: help }
  if (verb === 'forget') return forget(stateDir, name ?? '')
  if (name !== undefined && named.length === 0) {
    return { code: 1, text: `${problems}There is no server ${name} in config.org.\n` }
  }
  const [first] = named
  if (verb === 'approve' && first !== undefined) {
    if (tools.length === 0 && !flags.all) return { code: 2, text: help }
    return approve(first, tools, stateDir, flags)
  }
  const looked = await Promise.all(named.map((server) => lookAt(server, stateDir)))
  if (flags.json) return { code: 0, text: `${JSON.stringify(looked.map(asData), null, 2)}\n` }
  const none = servers.length === 0 ? 'No server is named in config.org.\n' : ''
  return { code: 0, text: problems + none + looked.map(lines).join('\n') }
}

function asData({ problem, server, standings }: Looked) {
  const { command, name, url } = server
  const tools = standings.map((one) => ({ ...one, as: localName(name, one.name) }))
  return { name, command, url, problem, tools }
}

function forget(stateDir: string, name: string): McpAnswer {
  const isName = /^[a-z][a-z0-9]{0,19}$/.test(name)
  if (!isName || !hasPins(stateDir, name))
    return { code: 1, text: `Nothing of ${name} is approved.\n` }
  rmSync(pinsPath(stateDir, name))
  return { code: 0, text: `Nothing of ${name} is approved any more. ${tellDaemon(stateDir)}\n` }
}

async function configured(env: Record<string, string | undefined>) {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const secrets = { env: (one: string) => env[one] ?? null, vault: (one: string) => vault.get(one) }
  const file = readConfigFile(configPath(env, env.HOME ?? homedir()), {
    servers: mcpSection(secrets),
  })
  const mine = file.problems.filter(({ severity }) => severity === 'error')
  return {
    servers: file.sections.servers,
    problems: mine.map((one) => `${formatProblem(one)}\n`).join(''),
  }
}

if (import.meta.main) {
  const { code, text } = await runMcp(process.argv.slice(2), process.env)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
