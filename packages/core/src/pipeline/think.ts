import { messageOf } from '../base/printing.ts'
import type { Answer, Listener } from '../contract/answer.ts'
import { type Message, messagesText } from '../contract/message.ts'
import type { Provider, ProviderRequest } from '../contract/provider.ts'
import type { Signal } from '../contract/signal.ts'
import { type Attempt, ask, type CascadeContext, exhaustedMessage } from '../mind/cascade.ts'
import {
  type Agreement,
  askTogether,
  type ConsensusSettings,
  type Vote,
  voteLine,
} from '../mind/consensus.ts'
import { systemPrompt } from '../mind/prompt.ts'
import { masked } from '../mind/prompt-mask.ts'
import { type Proposal, readProposal } from '../mind/proposal.ts'
import { isTier, providersFor, type Tier, tierAbove, tierOf } from '../mind/tier.ts'
import { messagesOf } from '../transcript/messages.ts'
import type { Entry } from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'
import { offerFor } from './tool-offer.ts'
import { promptRecord, type TraceRecord } from './trace.ts'

/** What one question to the providers brought, with all that a trace wants to know. */
export interface Thought {
  proposal: Proposal
  /** The provider that answered, or null when nobody did. */
  provider: string | null
  /** The answer came from rules. */
  rules: boolean
  /** The answer's text as it came. */
  raw: string
  tier: Tier
  /** Everybody who was asked or passed over, in order. */
  attempts: Attempt[]
  /** What to tell the owner about those who failed. */
  failures: string[]
  /** Who proposed what, when several were asked at once; else empty. */
  votes: Vote[]
  agreement: Agreement | null
  /** Every model failed; what answered, if anything, are the rules. */
  exhausted: boolean
  /** Why the answer stopped after some of it had been shown. */
  brokenOff: string | null
  /** Why the request was too long for the model's window; a shorter one may be answered. */
  overflow: string | null
  usage: Answer['usage']
}

/** What is special about this question. */
interface ThinkOptions {
  /** Whether it goes one tier higher, because answers to it were refused. */
  isHarder?: boolean
  /** How several are asked at once; as the owner has set it by default. */
  consensus?: ConsensusSettings | null
  /** Whether tools may be called; yes by default. */
  mayCall?: boolean
  /** Hears the answer while it comes; a consensus is not heard. */
  listener?: Listener | undefined
}

/** What a model of this tier is sent. */
export async function requestFor(
  runtime: Runtime,
  signal: Signal,
  entries: readonly Entry[],
  tier: Tier,
): Promise<ProviderRequest> {
  const messages = messagesOf(entries).map((message) => maskedMessage(runtime, message))
  if (tier === 'reflex') return { system: '', messages, tools: [], signal }
  await countReady(runtime)
  const system = masked(runtime, systemPrompt(runtime.mind.persona))
  const tokensMax = Math.floor(roomFor(runtime, signal, tier) * 0.4)
  const count = (text: string) => runtime.tokens.count(text)
  const tools = offerFor(runtime, entries, signal, { tokensMax, count })
  return { system, messages, tools, signal }
}

function maskedMessage(runtime: Runtime, message: Message): Message {
  const mask = (text: string) => masked(runtime, text)
  switch (message.role) {
    case 'user':
      return { ...message, text: mask(message.text) }
    case 'assistant':
      return { ...message, text: mask(message.text) }
    case 'tool':
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, text: mask(result.text) })),
      }
  }
}

/** Waits for the tokenizer; without it the estimate counts. */
export async function countReady({ log, tokens }: Runtime): Promise<void> {
  try {
    await tokens.ready?.()
  } catch (error) {
    log('warn', `no tokenizer: ${messageOf(error)}`)
  }
}

/** How many tokens may be sent to the provider that is asked first in a tier. */
export function roomFor(runtime: Runtime, signal: Signal, tier: Tier): number {
  const [first] = providersFor(runtime, signal, tier)
  return Math.min(runtime.mind.prompt.tokensMax, first?.tokensMax ?? Number.POSITIVE_INFINITY)
}

/** The tier that a skill wishes for, or null. Never throws. */
export function wishedTier(runtime: Runtime, signal: Signal): Tier | null {
  const ordered = [...runtime.skills].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
  for (const skill of ordered) {
    try {
      const tier = skill.classify?.(signal, runtime)
      if (isTier(tier)) return tier
    } catch (error) {
      const why = messageOf(error)
      runtime.log('warn', `${skill.name} could not classify: ${why}`)
    }
  }
  return null
}

/** Asks once and reads the answer. Never rejects. */
export async function think(
  runtime: Runtime,
  signal: Signal,
  entries: readonly Entry[],
  abort: AbortSignal,
  options: ThinkOptions = {},
): Promise<Thought> {
  const own = tierOf(runtime, signal, wishedTier(runtime, signal))
  const tier = options.isHarder === true ? tierAbove(runtime.mind.tiers, signal, own) : own
  const sent = await requestFor(runtime, signal, entries, tier)
  const request = { ...sent, mayCall: options.mayCall }
  const { consensus = runtime.mind.consensus, listener } = options
  const question = { request, tier, abort, listener, consensus }
  const { answer, ...rest } = await runtime.away(() => askSome(runtime, question))
  if (rest.exhausted) tellExhausted(runtime, signal)
  const thought: Thought = {
    ...rest,
    provider: answer?.provider ?? null,
    rules: answer?.rules ?? false,
    raw: answer?.text ?? '',
    usage: answer?.usage ?? null,
    tier,
  }
  runtime.usage.note(signal.meta.sessionId, thought.provider, thought.usage)
  runtime.trace.record(promptRecord(request.system, messagesText(request.messages)))
  for (const record of thoughtRecords(thought)) runtime.trace.record(record)
  return thought
}

interface Question {
  request: ProviderRequest
  tier: Tier
  abort: AbortSignal
  listener: Listener | undefined
  consensus: ConsensusSettings | null
}

type Told = Pick<
  Thought,
  'attempts' | 'failures' | 'votes' | 'agreement' | 'exhausted' | 'brokenOff' | 'overflow'
>

/** What came of asking. */
interface Outcome extends Told {
  answer: Answer | null
  proposal: Proposal
}

const noProposal: Proposal = { text: '', calls: [], faults: [], form: 'text' }

async function askSome(runtime: Runtime, question: Question): Promise<Outcome> {
  const { request, tier } = question
  const { breakers, clock, log, mind } = runtime
  const context: CascadeContext = { breakers, clock, log, timeoutMs: mind.answerTimeoutMs }
  const providers = providersFor(runtime, request.signal, tier)
  const models = providers.filter(({ rules }) => rules !== true)
  const consensus = tier === 'reflex' ? null : question.consensus
  const several = models.slice(0, Math.max(2, consensus?.providers ?? 0))
  if (consensus === null || several.length < 2) return oneByOne(context, providers, question)
  const { deadlineMs } = consensus
  const read = (answer: Answer) => proposalOf(answer, request)
  const limited = { ...context, deadlineMs }
  const found = await askTogether(limited, several, request, question.abort, read)
  const { agreement, attempts, failures, taken, votes } = found
  if (taken !== null) {
    const fine = { exhausted: false, brokenOff: null, overflow: null }
    return { ...taken, agreement, attempts, failures, votes, ...fine }
  }
  const others = providers.filter((provider) => !several.includes(provider))
  const outcome = await oneByOne(context, others, question, attempts)
  const told = outcome.answer === null ? outcome.failures : [...failures, ...outcome.failures]
  return { ...outcome, votes, failures: told }
}

async function oneByOne(
  context: CascadeContext,
  providers: readonly Provider[],
  { request, abort, listener }: Question,
  prior: readonly Attempt[] = [],
): Promise<Outcome> {
  const result = await ask(context, providers, request, abort, { listener, prior })
  const { answer, ...rest } = result
  const proposal = answer === null ? noProposal : proposalOf(answer, request)
  const brokenOff = result.brokenOff?.message ?? null
  const overflow = result.overflow?.message ?? null
  return { ...rest, answer, proposal, brokenOff, overflow, votes: [], agreement: null }
}

/** The records of a thought for the trace. */
function thoughtRecords(thought: Thought): TraceRecord[] {
  const { agreement, attempts, proposal, provider, tier, usage, votes } = thought
  const asked = attempts.map(({ provider, outcome, ms }) => `${provider} ${outcome} ${ms} ms`)
  const calls = proposal.calls.map(({ args, tool }) => JSON.stringify({ tool, args }))
  const fields = {
    provider: provider ?? 'nobody',
    tier,
    form: proposal.form,
    asked: asked.join('; '),
    failures: thought.failures.join('; '),
    'broken-off': thought.brokenOff ?? '',
    'input-tokens': usage?.inputTokens,
    'cached-tokens': usage?.cachedTokens,
    'output-tokens': usage?.outputTokens,
    agreement: agreement ?? '',
  }
  const text = [thought.raw, ...calls].filter((part) => part !== '').join('\n')
  const records: TraceRecord[] = [{ kind: 'proposal', fields, text: text.slice(0, 20_000) }]
  if (votes.length > 0) records.push({ kind: 'votes', text: votes.map(voteLine).join('\n') })
  return records
}

function proposalOf(answer: Answer, { messages, tools }: ProviderRequest): Proposal {
  const material = messages.filter(({ role }) => role !== 'assistant')
  return readProposal(answer, messagesText(material), new Set(tools.map(({ name }) => name)))
}

function tellExhausted(runtime: Runtime, signal: Signal): void {
  const payload = { action: 'log', level: 'error', text: exhaustedMessage }
  runtime.reply({ type: 'log', meta: signal.meta, payload, depth: signal.depth })
}
