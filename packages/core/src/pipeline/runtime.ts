import { join } from 'node:path'
import type { StandingRules } from '../approval/always-allow.ts'
import { Approvals, Refusals } from '../approval/approvals.ts'
import { FlightPlans, flightPlanFiles } from '../approval/flight-plans.ts'
import { Proofs } from '../approval/rule-self-test.ts'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import { SealedFolder } from '../base/sealed.ts'
import { DatabaseError } from '../base/sqlite.ts'
import type { Gate } from '../contract/gate.ts'
import type { Provider } from '../contract/provider.ts'
import type { Signal, SignalMeta } from '../contract/signal.ts'
import type { SensorHandler, Skill } from '../contract/skill.ts'
import { type TierSettings, tierDefaults } from '../contract/tier.ts'
import type { Actuator, Tool } from '../contract/tool.ts'
import { type Memex, withoutFiles } from '../memex/memex.ts'
import type { MemoryDatabase } from '../memory/database.ts'
import { type Authorship, byOwner } from '../memory/history.ts'
import { Scopes } from '../memory/scopes.ts'
import { savedMoments } from '../memory/snapshot-store.ts'
import { Moments } from '../memory/snapshots.ts'
import { ObjectStore } from '../memory/store.ts'
import { type BreakerSettings, Breakers, breakerDefaults } from '../mind/breaker.ts'
import { answerTimeoutMs } from '../mind/cascade.ts'
import type { ConsensusSettings } from '../mind/consensus.ts'
import { Conversations } from '../mind/conversation.ts'
import {
  estimateTokens,
  type PromptSettings,
  promptDefaults,
  type TokenCounter,
} from '../mind/prompt.ts'
import { type StreamSettings, Streams, streamDefaults } from '../mind/stream.ts'
import type { Embeddings } from '../search/embeddings.ts'
import { Indexes } from '../search/indexes.ts'
import { Usage } from '../wire/session-state.ts'
import { Mail, Outbox, type Sessions } from './outbox.ts'
import { forgetfulTrace, type Trace } from './trace.ts'

/** Where things are; absolute paths. */
export interface RuntimeConfig {
  home: string
  memexDir: string
  stateDir: string
  /** People on chat networks who may approve, each as `source:sender`. */
  approvers?: readonly string[]
  /** The tags of notes that no model gets to see; `private` by default. */
  privateTags?: readonly string[]
}

/**
 * One line for the log; never the text of a note or a secret. A line with the name of a file of
 * which nobody knows whether it is private is given to a model in other words.
 */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  forModel?: string,
) => void

/** How thinking is done; each part is explained where it is used. */
export interface MindSettings {
  /** How long an answer may take when its provider does not say, in milliseconds. */
  answerTimeoutMs: number
  breaker: BreakerSettings
  /** Null for one model at a time. */
  consensus: ConsensusSettings | null
  tiers: TierSettings
  prompt: PromptSettings
  stream: StreamSettings
}

/** What is right for most. */
export const mindDefaults: MindSettings = {
  answerTimeoutMs,
  breaker: breakerDefaults,
  consensus: null,
  tiers: tierDefaults,
  prompt: promptDefaults,
  stream: streamDefaults,
}

/** Everything that exists once in a daemon. */
export interface Runtime {
  config: RuntimeConfig
  mind: MindSettings
  clock: Clock
  log: Log
  /** Without the files that are the daemon's own. */
  memex: Memex
  store: ObjectStore
  /** What the store can be asked by. */
  indexes: Indexes
  /** Which part of the notes a session is about. */
  scopes: Scopes
  /** The store before each of the last actions that may have changed something. */
  moments: Moments
  /** The trace entry of the signal under way; null between turns. */
  entry: string | null
  /** Whose signal is under way; null between turns. */
  asking: SignalMeta | null
  /** Who is taken to have written what changes now. */
  author: Authorship
  /** Where the store is kept; null when it is forgotten with the process. */
  database: MemoryDatabase | null
  /** Why the memory could not be written last; null when it was. */
  unwritten: string | null
  gates: Gate[]
  /** The examples that the gates are held to. */
  proofs: Proofs
  tools: Map<string, Tool>
  actuators: Map<string, Actuator>
  /** In the order in which they are asked. */
  providers: Provider[]
  sensors: Map<string, SensorHandler>
  skills: Skill[]
  approvals: Approvals
  refusals: Refusals
  /** The owner's standing yeses, when a skill keeps them. */
  standing: StandingRules | null
  flightPlans: FlightPlans
  outbox: Outbox
  conversations: Conversations
  /** What is near in meaning; null when nobody makes vectors. */
  embeddings: Embeddings | null
  /** Which providers are left alone for now. */
  breakers: Breakers
  /** Which answers the clients have seen while they came. */
  streams: Streams
  /** What the sessions have spent. */
  usage: Usage
  /** Counts what a text costs a model. */
  tokens: TokenCounter
  /** What of a text a model may be shown. */
  promptMask(text: string): string
  /** What a model may be shown of a text that is neither the owner's nor cleaned already. */
  materialMask(text: string): string
  /** The last lines of the log from `info` up, oldest first, for the prompt. */
  recentLog: string[]
  trace: Trace
  /** For each ingested file the stamp it had then. */
  stamps: Map<string, string>
  /** Sends a signal to the session in its `meta`; dropped when that is gone. Never throws. */
  reply(signal: Signal): void
  /** Waits for somebody else's answer while other sessions may work; the memory may differ afterwards. */
  away<T>(work: () => Promise<T>): Promise<T>
  /** What is read again when the owner says so, by name; each resolves to what is to be told. */
  reloaders: Map<string, () => Promise<string[]>>
}

/** What must be given, and what may be. */
export interface RuntimeOptions {
  config: RuntimeConfig
  memex: Memex
  clock?: Clock
  mind?: Partial<MindSettings>
  tokens?: TokenCounter
  /** Without one a model is shown all that is put before it. */
  promptMask?: (text: string) => string
  materialMask?: (text: string) => string
  log?: Log
  trace?: Trace
  /** Loaded into the store. */
  database?: MemoryDatabase
  reply?: (signal: Signal) => void
  /** Who is connected; without it every reply is sent as it is. */
  sessions?: Sessions
}

/** A runtime without skills. The store is empty until the memex is ingested. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { config, memex, clock = { now: () => new Date() } } = options
  const mind = { ...mindDefaults, ...options.mind }
  const recentLog: string[] = []
  const streams = new Streams()
  const log = keepingLog(recentLog, options.log)
  const told = (sentence: string) => log('error', sentence)
  const mail = { path: join(config.stateDir, 'outbox.db'), clock, told }
  const send = (signal: Signal) => sendOrTell(signal, options)
  const outbox = new Outbox(send, options.sessions, options.database ? new Mail(mail) : null)
  const approvals = new Approvals(clock, new SealedFolder(join(config.stateDir, 'approvals')))
  const marker = join(config.stateDir, 'acting')
  const store = new ObjectStore(clock, config.privateTags, (path) => memex.setup(path))
  const stamps = new Map<string, string>()
  options.database?.load(store, stamps)
  const notice = (text: string) => outbox.send(noticeOf(text))
  return {
    config,
    mind,
    clock,
    log,
    memex: withoutFiles(memex, flightPlanFiles),
    store,
    indexes: new Indexes(store),
    scopes: new Scopes(join(config.stateDir, 'scopes'), store),
    moments: new Moments(options.database ? savedMoments(options.database) : []),
    entry: null,
    asking: null,
    author: byOwner,
    database: options.database ?? null,
    unwritten: null,
    gates: [],
    proofs: new Proofs(),
    tools: new Map(),
    actuators: new Map(),
    providers: [],
    sensors: new Map(),
    skills: [],
    approvals,
    refusals: new Refusals(),
    standing: null,
    flightPlans: new FlightPlans({ memex, approvals, clock, marker, notice }),
    outbox,
    conversations: new Conversations(),
    embeddings: null,
    breakers: new Breakers(clock, mind.breaker),
    streams,
    usage: new Usage(),
    tokens: options.tokens ?? { count: estimateTokens },
    promptMask: options.promptMask ?? ((text) => text),
    materialMask: options.materialMask ?? ((text) => text),
    recentLog,
    trace: options.trace ?? forgetfulTrace(clock),
    stamps,
    reply: (signal) => outbox.send(streams.marked(signal)),
    away: (work) => work(),
    reloaders: new Map(),
  }
}

const recentLogMax = 12

function keepingLog(recent: string[], log: Log = () => {}): Log {
  return (level, message, forModel = message) => {
    if (level !== 'debug') recent.push(`${level}: ${forModel.slice(0, 300).toWellFormed()}`)
    if (recent.length > recentLogMax) recent.shift()
    log(level, message)
  }
}

/** Says a sentence to the owner, and writes it into the log. */
export function tellOwner(runtime: Runtime, sentence: string): void {
  runtime.log('warn', sentence)
  const notice = noticeOf(sentence)
  runtime.outbox.send({ ...notice, meta: runtime.asking ?? notice.meta })
}

function noticeOf(text: string): Signal {
  return {
    type: 'response',
    meta: { source: 'cli' },
    payload: { action: 'message', text },
    depth: 0,
  }
}

function sendOrTell(signal: Signal, { log, reply }: RuntimeOptions): void {
  try {
    reply?.(signal)
  } catch (error) {
    const text = `A reply could not be sent: ${messageOf(error)}`
    log?.('error', text)
    try {
      reply?.({ ...signal, payload: { action: 'message', text } })
    } catch {
      log?.('error', 'nor could a short one')
    }
  }
}

/** After so many files what was read is written, so that it need not all be held at once. */
const batchMax = 2_500

/** Brings the store up to date with the files; returns how many were read. Throws when the folder is gone. */
export function ingestMemex(runtime: Runtime): number {
  loadRenewed(runtime)
  const files = runtime.memex.files()
  const present = new Set(files)
  for (const [path] of runtime.store.snapshot().files) {
    if (!present.has(path)) forgetFile(runtime, path)
  }
  let count = 0
  for (const path of files) {
    if (!ingestChanged(runtime, path)) continue
    count++
    if (count % batchMax === 0) remember(runtime)
  }
  remember(runtime)
  return count
}

/** Reads one file if it has changed; false when it has not, or could not be read, which is logged. */
export function ingestChanged(runtime: Runtime, path: string): boolean {
  const { memex, stamps, store } = runtime
  try {
    const stamp = memex.stamp(path)
    if (stamps.get(path) === stamp) return false
    store.ingestFile(path, memex.read(path), runtime.author)
    stamps.set(path, stamp)
    return true
  } catch (error) {
    const why = messageOf(error)
    runtime.log('warn', `${path} was not read: ${why}`, 'a note was not read')
    return false
  }
}

/** Takes a file that is gone out of the store. */
export function forgetFile({ stamps, store }: Runtime, path: string): void {
  store.removeFile(path)
  stamps.delete(path)
}

function loadRenewed(runtime: Runtime): void {
  const { database, stamps, store } = runtime
  try {
    database?.connection.look()
    if (database?.isRenewed !== true) return
    stamps.clear()
    database.load(store, stamps)
    runtime.moments = new Moments(savedMoments(database))
  } catch (error) {
    tellUnwritten(runtime, error)
  }
}

/** Writes what is new in the store to the database, if there is one, and has it embedded. Never throws. */
export function remember(runtime: Runtime): void {
  const { database, stamps, store } = runtime
  try {
    if (database?.isRenewed !== true) database?.commit(store, stamps)
    if (runtime.unwritten !== null) tellOwner(runtime, 'The memory is written again.')
    runtime.unwritten = null
  } catch (error) {
    tellUnwritten(runtime, error)
  }
  void runtime.embeddings?.wake()
}

function tellUnwritten(runtime: Runtime, error: unknown): void {
  const reason = messageOf(error)
  const isKnown = runtime.unwritten === reason
  runtime.unwritten = reason
  if (isKnown) return
  const isSentence = error instanceof DatabaseError
  tellOwner(runtime, isSentence ? reason : `The memory was not written: ${reason}`)
}
