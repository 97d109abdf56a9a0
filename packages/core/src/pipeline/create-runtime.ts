import { join } from 'node:path'
import { Approvals, Refusals, withoutOpenTokens } from '../approval/approvals.ts'
import { FlightPlans, flightPlanFiles } from '../approval/flight-plans.ts'
import { Proofs } from '../approval/rule-self-test.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log-file.ts'
import { messageOf } from '../base/printing.ts'
import { SealedFolder } from '../base/sealed.ts'
import { estimateTokens, type TokenCounter } from '../contract/provider.ts'
import type { Signal } from '../contract/signal.ts'
import { type Memex, withoutFiles } from '../memex/memex.ts'
import type { MemoryDatabase } from '../memory/database.ts'
import { byOwner } from '../memory/history.ts'
import { lastClosing } from '../memory/private-tags.ts'
import { Scopes } from '../memory/scopes.ts'
import { savedMoments } from '../memory/snapshot-store.ts'
import { Moments } from '../memory/snapshots.ts'
import { ObjectStore } from '../memory/store.ts'
import { Breakers, breakerDefaults } from '../mind/breaker.ts'
import { answerTimeoutMs } from '../mind/cascade.ts'
import { personaDefaults, promptDefaults } from '../mind/prompt.ts'
import { masked, maskedAbroad } from '../mind/prompt-mask.ts'
import { Streams, streamDefaults } from '../mind/stream.ts'
import { tierDefaults } from '../mind/tier.ts'
import { Indexes } from '../search/indexes.ts'
import { Results } from '../transcript/results.ts'
import { Sessions, type TranscriptStore } from '../transcript/sessions.ts'
import { Usage } from '../wire/session-state.ts'
import { type Connections, Mail, noticeOf, Outbox } from './outbox.ts'
import type {
  Actuator,
  MindSettings,
  Runtime,
  RuntimeConfig,
  SensorHandler,
  Tool,
} from './runtime.ts'
import { forgetfulTrace, type Trace } from './trace.ts'
import { turnLimits } from './turn-budget.ts'

/** What is right for most. */
export const mindDefaults: MindSettings = {
  answerTimeoutMs,
  breaker: breakerDefaults,
  consensus: null,
  tiers: tierDefaults,
  prompt: promptDefaults,
  persona: personaDefaults,
  stream: streamDefaults,
  turn: turnLimits,
}

/** What must be given, and what may be. */
interface RuntimeOptions {
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
  /** Where sessions are kept; without it they are forgotten with the process. */
  transcripts?: TranscriptStore
  reply?: (signal: Signal) => void
  /** Who is connected; without it every reply is sent as it is. */
  connections?: Connections
}

/** A runtime without skills. The store is empty until the memex is ingested. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { config, memex, clock = { now: () => new Date() } } = options
  const mind = { ...mindDefaults, ...options.mind }
  const streams = new Streams()
  const log = options.log ?? (() => {})
  const keep = (text: string) => text
  const { materialMask = keep, promptMask = keep } = options
  const masks = { log, materialMask, promptMask }
  const told = (sentence: string) => log('error', sentence)
  const mail = { path: join(config.stateDir, 'outbox.db'), clock, told }
  const send = (signal: Signal) => sendOrTell(signal, options)
  const outbox = new Outbox(send, options.connections, options.database ? new Mail(mail) : null)
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
    turn: null,
    asking: null,
    author: byOwner,
    database: options.database ?? null,
    unwritten: null,
    ...withoutSkills(),
    approvals,
    refusals: new Refusals(),
    standing: null,
    flightPlans: new FlightPlans({ memex, approvals, clock, marker, notice }),
    outbox,
    sessions: new Sessions({
      clock,
      mask: (text, isClean) =>
        withoutOpenTokens(approvals, (isClean ? masked : maskedAbroad)(masks, text)),
      closings: () => store.closings,
      closedBefore: () => lastClosing(store),
      store: options.transcripts,
      told: (sentence) => log('warn', sentence),
    }),
    results: new Results({
      dir: join(config.stateDir, 'results'),
      mask: (text) => maskedAbroad(masks, text),
      closings: () => store.closings,
      told,
    }),
    embeddings: null,
    breakers: new Breakers(clock, mind.breaker),
    streams,
    usage: new Usage(),
    tokens: options.tokens ?? { count: estimateTokens },
    promptMask,
    materialMask,
    trace: options.trace ?? forgetfulTrace(clock),
    stamps,
    reply: (signal) => outbox.send(streams.marked(signal)),
    away: (work) => work(),
    reloaders: new Map(),
  }
}

/** The registries of a runtime that has no skills yet. */
function withoutSkills() {
  return {
    gates: [],
    proofs: new Proofs(),
    tools: new Map<string, Tool>(),
    actuators: new Map<string, Actuator>(),
    providers: [],
    sensors: new Map<string, SensorHandler>(),
    skills: [],
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
