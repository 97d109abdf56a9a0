import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import {
  configPath,
  findInstance,
  formatProblem,
  messageOf,
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
import {
  type Answer,
  type Environment,
  type Given,
  ProgramError,
  UsageError,
} from '../line/program.ts'

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

/** Approves tools of a server as they describe themselves now. */
export async function approveTools({
  env,
  options: { all, 'dry-run': isDry },
  words: [name = '', ...wanted],
}: Given<{ all: boolean; 'dry-run': boolean }>): Promise<Answer> {
  if (wanted.length === 0 && !all)
    throw new UsageError('TOOL is missing; --all approves all of them')
  const [server] = (await named(env, name)).servers
  const stateDir = stateDirectory(env)
  const looked = await lookAt(server!, stateDir)
  if (looked.problem !== null) throw new ProgramError(lines(looked).trimEnd())
  const open = looked.standings.filter(({ state }) => state === 'new' || state === 'changed')
  const chosen = all ? open : open.filter((one) => wanted.includes(one.name))
  const unknown = wanted.filter((tool) => !looked.standings.some((one) => one.name === tool))
  if (unknown.length > 0) throw new ProgramError(`${name} has no tool ${unknown.join(', ')}.`)
  const shown = chosen.map((one) => toolLines(name, one)).join('')
  if (chosen.length === 0) return { text: 'There is nothing to approve.' }
  if (isDry) return { text: `${shown}Would be approved: ${chosen.length}.` }
  const tools = chosen.flatMap(({ now }) => (now === null ? [] : [now]))
  writePins(stateDir, server!, approved(readPins(stateDir, server!), tools))
  return { text: `${shown}Approved: ${tools.length}. ${tellDaemon(stateDir)}` }
}

function tellDaemon(stateDir: string): string {
  const running = findInstance(stateDir)
  if (running === null) return 'The next daemon has them.'
  process.kill(running.pid, 'SIGHUP')
  return 'The daemon was told.'
}

/** What servers offer, and what of it is approved. */
export async function listServers({ env, words: [name] }: Given): Promise<Answer> {
  const { problems, servers } = await named(env, name)
  const stateDir = stateDirectory(env)
  const looked = await Promise.all(servers.map((server) => lookAt(server, stateDir)))
  const none = servers.length === 0 ? 'No server is named in config.org.\n' : ''
  return { text: problems + none + looked.map(lines).join('\n'), data: looked.map(asData) }
}

function asData({ problem, server, standings }: Looked) {
  const { command, name, url } = server
  const tools = standings.map((one) => ({ ...one, as: localName(name, one.name) }))
  return { name, command, url, problem, tools }
}

async function named(env: Environment, name: string | undefined) {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const secrets = { env: (one: string) => env[one] ?? null, vault: (one: string) => vault.get(one) }
  const file = readConfigFile(configPath(env, env.HOME ?? homedir()), {
    servers: mcpSection(secrets),
  })
  const mine = file.problems.filter(({ severity }) => severity === 'error')
  const problems = mine.map((one) => `${formatProblem(one)}\n`).join('')
  const all = file.sections.servers
  const servers = name === undefined ? all : all.filter((server) => server.name === name)
  if (name === undefined || servers.length > 0) return { servers, problems }
  throw new ProgramError(`${problems}There is no server ${name} in config.org.`)
}

/** Takes back what was approved of a server. */
export async function forgetServer({ env, words: [name = ''] }: Given): Promise<Answer> {
  const stateDir = stateDirectory(env)
  const isName = /^[a-z][a-z0-9]{0,19}$/.test(name)
  if (!isName || !hasPins(stateDir, name)) throw new ProgramError(`Nothing of ${name} is approved.`)
  rmSync(pinsPath(stateDir, name))
  return { text: `Nothing of ${name} is approved any more. ${tellDaemon(stateDir)}` }
}
