import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  announcementPath,
  type Clock,
  commandName,
  createLoop,
  createRuntime,
  DatabaseError,
  type Heartbeat,
  holdInstance,
  ingestMemex,
  keepPrivate,
  keepState,
  type Loop,
  leftRestores,
  type MemoryDatabase,
  messageOf,
  openDatabase,
  openMemex,
  openQuestions,
  openSessionFiles,
  openTrace,
  ownVersion,
  placeSessions,
  print,
  printError,
  proveInBackground,
  type Runtime,
  refusalOf,
  remember,
  type Server,
  type Signal,
  type SkillEngine,
  type SkillStatus,
  sessionFacts,
  socketPathOf,
  startHeartbeat,
  startServer,
  stateDirectory,
  tellOwner,
  tendMemory,
  traceFolder,
  watchInstance,
} from '@passepartout/core'

import { closeNetwork, finishRuns } from '@passepartout/gates/sandbox'
import {
  materialMask,
  openVault,
  promptMask,
  traceMask,
  type Vault,
} from '@passepartout/gates/secrets'
import {
  type GatewayHall,
  type GatewayNeeds,
  linkGateways,
  newHall,
} from '@passepartout/gateways/chat'
import { createMcpClient, type McpClient } from '@passepartout/gateways/mcp'
import { openEmbeddings } from '@passepartout/models/embeddings'
import { createTokenCounter } from '@passepartout/models/profiles'
import { keepRunning, loadHouse, versionsFolder } from '@passepartout/skills/improve'
import { type DaemonConfig, readDaemonConfig } from '../configuration/daemon-config.ts'
import { type DaemonLog, openDaemonLog } from '../telemetry/daemon-log.ts'
import { metricsSocketPath, startMetrics } from '../telemetry/metrics.ts'
import { startTelemetry } from '../telemetry/telemetry.ts'
import { readAgain, reloadAll } from './daemon-reload.ts'
import { isTerminalGone, obeySignals } from './daemon-signals.ts'
import { placesOf, skillsOf } from './daemon-skills.ts'
import { followSessions } from './session-desk.ts'

export { configTable, type DaemonConfig, readDaemonConfig } from '../configuration/daemon-config.ts'
export { placesOf, skillsOf } from './daemon-skills.ts'

/** Reads the token of the state directory, or makes one: 64 hex digits in a file of mode 0600. */
export function ensureToken(stateDir: string): string {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const path = join(stateDir, 'token')
  if (existsSync(path)) {
    chmodSync(path, 0o600)
    const token = readFileSync(path, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return token
    rmSync(path)
  }
  const token = randomBytes(32).toString('hex')
  writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' })
  return token
}

/** A daemon that is ready. */
export interface Daemon {
  port: number
  runtime: Runtime
  log: DaemonLog
  /** Writes what there is, lets the turns that have begun finish, and closes everything. */
  stop(): Promise<void>
  /** Cuts short the turns that have begun. */
  interrupt(): void
  /** Reads the configuration again between two turns, and what else asked to be. Never rejects. */
  reload(): Promise<void>
}

/** What a daemon may be given besides its configuration. */
export interface StartOptions {
  vault?: Vault | null
  clock?: Clock
  /** Reads the configuration again; without it nothing is. */
  read?: () => DaemonConfig
  /** Gets each message for a person; standard error by default. */
  say?: (line: string) => void
}

/** A runtime with all that this machine can give it; replies go to whatever `server` gives by then. */
function assemble(
  config: DaemonConfig,
  { clock, database, hall, log, news, vault }: Taken,
  server: () => Server | undefined,
): Runtime {
  const mask = (text: string): string => traceMask(runtime.store, vault)(text)
  const runtime: Runtime = createRuntime({
    config,
    memex: openMemex(config.memexDir, undefined, (sentence) => news.tell(sentence)),
    database,
    clock,
    log: log.log,
    trace: openTrace({ dir: traceFolder(config.stateDir), clock, mask }),
    mind: config.mind,
    tokens: createTokenCounter(),
    promptMask: promptMask(vault),
    materialMask: (text) => materialMask(runtime.store)(text),
    reply: (signal) => {
      if (hall.desk?.reply(signal) !== true) server()?.send(signal.meta.sessionId ?? '', signal)
    },
    transcripts: openSessionFiles(placeSessions(config, config.sessions), {
      log: log.log,
      limits: config.sessions.limits,
    }),
    connections: {
      has: (id) => hall.desk?.has(id) === true || (server()?.has(id) ?? false),
      of: (source) => server()?.of(source) ?? [],
      rightOf: (id) => (hall.desk?.has(id) === true ? hall.desk.rightOf(id) : 'always'),
    },
  })
  log.maskWith(mask)
  news.tell = (sentence) => tellOwner(runtime, sentence)
  for (const sentence of news.told) news.tell(sentence)
  return runtime
}

function mustNotBeHalfRestored(stateDir: string): void {
  if (existsSync(stateDir) || leftRestores(stateDir).length === 0) return
  const before = `What was there before is beside it, under the name ${basename(stateDir)}.before-…`
  throw new Error(
    `A restore into ${stateDir} was ended in the middle. Do it again: ${commandName} restore FILE. ${before}`,
  )
}

/** What a daemon has taken by the time it is put together, and gives back at its end. */
interface Taken {
  clock: Clock
  log: DaemonLog
  database: MemoryDatabase
  vault: Vault | null
  hall: GatewayHall
  /** Gets what happens to the memory; what happens before there is somebody to tell is kept. */
  news: { told: string[]; tell(sentence: string): void }
}

/** Looks at the folders that are believed. Throws a FolderError. */
function keepFolders({ permissionsFile, skillsDir, stateDir }: DaemonConfig): string[] {
  const state = keepState(stateDir)
  const trusted = [dirname(permissionsFile), skillsDir].map((path) => keepPrivate(path, 'trusted'))
  return [state, ...trusted].flatMap(({ said }) => said)
}

/** Makes the folders private and takes them. Throws an Error that says which cannot be written. */
function takenFolders(config: DaemonConfig, clock: Clock) {
  mustNotBeHalfRestored(config.stateDir)
  try {
    const said = keepFolders(config)
    return { said, release: holdInstance(config.stateDir, config.memexDir, clock.now()) }
  } catch (error) {
    const why = refusalOf(error)
    if (why === null) throw error
    const text = `The state directory ${config.stateDir} cannot be written: ${why}`
    throw new Error(`${text}. Make it writable, or set XDG_STATE_HOME to another place.`, {
      cause: error,
    })
  }
}

/** Starts a daemon in this process. Rejects when the configuration is wrong or one is running. */
export async function startDaemon(
  config: DaemonConfig,
  version: string,
  options: StartOptions = {},
): Promise<Daemon> {
  const { clock = { now: () => new Date() }, vault = null } = options
  const { said, release } = takenFolders(config, clock)
  const log = openDaemonLog(config.stateDir, clock, options.say)
  let database: MemoryDatabase | null = null
  const giveBack = () => {
    database?.close()
    log.close()
    release()
  }
  try {
    log.tell('info', 'start', `version ${version}, for ${config.memexDir}`)
    for (const problem of [...said, ...config.problems]) log.log('warn', problem)
    const told: string[] = []
    const news: Taken['news'] = { told, tell: (sentence) => void told.push(sentence) }
    database = openDatabase(config.stateDir, (sentence) => news.tell(sentence))
    const taken: Taken = { clock, log, database, vault, hall: newHall(), news }
    return await putTogether(config, version, taken, { ...options, giveBack })
  } catch (error) {
    giveBack()
    if (!(error instanceof DatabaseError) || error.code !== 'full') throw error
    const text = `There is no room on the disk of ${config.stateDir}, and the daemon has not started`
    throw new Error(`${text}. Make room, and start it again.`, { cause: error })
  }
}

/** The servers of other people's tools; none of them is started. */
function serversFor(runtime: Runtime, { mcpServers, stateDir }: DaemonConfig): McpClient {
  const mcp = createMcpClient(mcpServers, { clock: runtime.clock, stateDir })
  runtime.reloaders.set('mcp', async () => mcp.refresh(runtime))
  return mcp
}

async function openDoor(
  runtime: Runtime,
  loop: Loop,
  config: DaemonConfig,
  { version, log, skills }: { version: string; log: DaemonLog; skills: () => SkillStatus[] },
) {
  const work = { turns: 0 }
  let endProofs: (() => void) | null = null
  const hear = (signal: Signal): Promise<void> => {
    endProofs ??= proveInBackground(runtime.proofs, runtime.log)
    work.turns++
    return loop.process(signal).finally(() => work.turns--)
  }
  const server = await startServer({
    host: '127.0.0.1',
    port: config.port,
    socketPath: socketPathOf(config.stateDir),
    token: ensureToken(config.stateDir),
    takesLegacy: config.takesLegacy,
    version,
    onSignal: (signal) => void hear(signal),
    onSession: (id, source) => begun(runtime, id, source),
    isKnown: (id) => runtime.sessions.has(id),
    onHealth: healthOf(runtime, work, skills),
    onApprovals: () => openQuestions(runtime),
    onLog: (message) => log.log('info', message),
  })
  return { server, hear, endProofs: () => endProofs?.(), turns: () => work.turns }
}

async function putTogether(
  config: DaemonConfig,
  version: string,
  taken: Taken,
  { giveBack, read }: StartOptions & { giveBack: () => void },
): Promise<Daemon> {
  let server: Server | undefined
  const { hall, log, vault } = taken
  const runtime = assemble(config, taken, () => server)
  const endTelemetry = tellCollector(runtime, config, traceMask(runtime.store, vault))
  const mcp = serversFor(runtime, config)
  const house = [...skillsOf(config, vault, hall), mcp.skill]
  const engine = loadHouse(runtime, house, placesOf(config))
  const endEmbeddings = openEmbeddings(runtime, config.embedding, traceMask(runtime.store, vault))
  ingestMemex(runtime)
  await engine.start(runtime)
  await finishRuns(runtime)
  const loop = createLoop(runtime)
  const about = { version, log, skills: () => engine.status() }
  const door = await openDoor(runtime, loop, config, about)
  server = door.server
  const endFollowing = followSessions(runtime, (id) => door.server.has(id))
  const endMetrics = await countFor(runtime, config, door.turns)
  const tending = tendMemory(runtime, (changed) => engine.noticed(runtime.memex.dir, changed))
  const heartbeat = startHeartbeat(runtime, loop)
  followJobs(runtime, engine, heartbeat)
  heedFaults(engine, loop)
  announce(config, server.port, socketPathOf(config.stateDir))
  let current = config
  const link = linker(hall, { runtime, vault, process: door.hear }, log)
  await link(current)
  const stop = async () => {
    await hall.desk?.rest()
    loop.close()
    remember(runtime)
    await tending.close()
    await heartbeat.close()
    await loop.idle()
    endFollowing()
    await runtime.sessions.forgotten()
    await hall.desk?.close()
    await engine.close()
    await runtime.trace.flush().catch(() => {})
    door.endProofs()
    endEmbeddings()
    await endTelemetry?.()
    await endMetrics()
    await closeNetwork()
    await mcp.close()
    rmSync(announcementPath(config.stateDir), { force: true })
    await server?.close()
    runtime.outbox.close()
    log.tell('info', 'stop', 'the daemon has ended')
    giveBack()
  }
  const reload = async () => {
    if (read === undefined) return
    const after = readAgain(runtime, read)
    await hall.desk?.narrow((after ?? current).gateways)
    current = await loop.between(() => reloadAll(runtime, current, after))
    await loop.between(() => link(current))
  }
  return { port: server.port, runtime, log, stop, interrupt: () => loop.interrupt(), reload }
}

function tellCollector(
  runtime: Runtime,
  { models, telemetryContent, telemetryUrl }: DaemonConfig,
  mask: (text: string) => string,
): (() => Promise<void>) | null {
  if (telemetryUrl === null) return null
  const named = models.map(
    ({ settings, vendor }) => [settings.name, { provider: vendor, model: settings.model }] as const,
  )
  const content = telemetryContent ? mask : null
  return startTelemetry(runtime, telemetryUrl, { models: new Map(named), content })
}

async function countFor(
  runtime: Runtime,
  { stateDir }: DaemonConfig,
  turns: () => number,
): Promise<() => Promise<void>> {
  const path = metricsSocketPath(stateDir)
  try {
    if (path !== null) return await startMetrics(runtime, { path, turns })
  } catch (error) {
    runtime.log('warn', `no figures: ${messageOf(error)}`)
  }
  return async () => {}
}

function begun({ outbox, scopes, sessions }: Runtime, id: string, source: string): void {
  scopes.begin(id)
  sessions.began(id, source)
  outbox.connected(id, source)
}

function heedFaults(engine: SkillEngine, loop: Loop): void {
  engine.watchFaults((skill, text) => {
    const payload = { sensor: 'job-skill-fault', skill, text }
    const meta = { source: 'cli', origin: 'tool' as const }
    void loop.tellItself({ type: 'event', meta, payload, depth: 0 })
  })
}

function followJobs(runtime: Runtime, engine: SkillEngine, heartbeat: Heartbeat): void {
  const keep = () => {
    try {
      const folder = versionsFolder(runtime.config.stateDir)
      keepRunning(folder, engine.status(), runtime.clock.now())
    } catch (error) {
      runtime.log('warn', `the versions of the skills were not kept: ${String(error)}`)
    }
  }
  keep()
  engine.watchJobs(() => {
    heartbeat.refresh()
    keep()
  })
  runtime.reloaders.set('jobs', async () => {
    heartbeat.refresh()
    return []
  })
}

function linker(hall: GatewayHall, needs: GatewayNeeds, log: DaemonLog) {
  return async ({ gateways }: DaemonConfig): Promise<void> => {
    const told = linkGateways(hall, gateways, needs).catch((error: unknown) => [
      `the chat networks are not linked: ${messageOf(error)}`,
    ])
    for (const line of await told) log.log('info', line)
  }
}

function announce({ stateDir, memexDir }: DaemonConfig, port: number, socket?: string): void {
  const announcement = { pid: process.pid, port, socket, memex: memexDir }
  const text = `${JSON.stringify(announcement)}\n`
  writeFileSync(announcementPath(stateDir), text, { mode: 0o600 })
}

function healthOf(
  runtime: Runtime,
  work: { turns: number },
  skills: () => SkillStatus[],
): (session: string) => Record<string, unknown> {
  const { store, config } = runtime
  const begun = performance.now()
  return (session) => ({
    ...sessionFacts(runtime, session),
    turns: work.turns,
    uptimeMs: Math.round(performance.now() - begun),
    memoryBytes: process.memoryUsage.rss(),
    objects: [...store.objects()].length,
    memex: config.memexDir,
    skills: skills(),
  })
}

/** Runs the daemon until it is told to stop. Prints `ready PORT`, or why not and sets exit code 1. */
export async function main(env: Record<string, string | undefined>): Promise<void> {
  try {
    const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
    const vault = await openVault({ dir: stateDirectory(env), passphrase })
    const read = () => readDaemonConfig(env, (name) => vault.get(name))
    const clock = { now: () => new Date() }
    const daemon = await startDaemon(read(), ownVersion(import.meta.dirname), {
      vault,
      clock,
      read,
    })
    const { log } = daemon
    process.on('uncaughtExceptionMonitor', (error) => {
      log.tell('error', 'crash', error.stack ?? String(error))
    })
    if (vault.problem() !== null) log.log('warn', vault.problem() ?? '')
    const hadTerminal = !isTerminalGone()
    obeySignals({
      ...daemon,
      clock,
      signals: process,
      isAbandoned: () => hadTerminal && isTerminalGone(),
      tell: log.tell,
      exit: (code) => process.exit(code),
    })
    watchInstance(clock, stateDirectory(env), () => {
      void leave(daemon).finally(() => process.exit(1))
    })
    log.tell('info', 'ready', `port ${daemon.port}`)
    print(`ready ${daemon.port}\n`)
    if (env.PASSEPARTOUT_DETACHED === '1') log.quiet()
  } catch (error) {
    printError(`passepartout: ${messageOf(error)}\n`)
    process.exitCode = 1
  }
}

if (import.meta.main) await main(process.env)

/** Ends a daemon whose state directory was moved or deleted. */
export async function leave({ runtime, stop }: Pick<Daemon, 'runtime' | 'stop'>): Promise<void> {
  const { config, database } = runtime
  try {
    database?.connection.look()
  } finally {
    const what = 'was moved or deleted, so this daemon ends; the notes are as they were'
    tellOwner(runtime, `${config.stateDir} ${what}. Start another: ${commandName} start`)
    await stop()
  }
}
