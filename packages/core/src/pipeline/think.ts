import { messageOf } from '../base/printing.ts'
import type { Answer, Listener } from '../contract/answer.ts'
import type { Provider, ProviderRequest, ToolSpec } from '../contract/provider.ts'
import type { Signal } from '../contract/signal.ts'
import { type Attempt, ask, type CascadeContext, exhaustedMessage } from '../mind/cascade.ts'
import { type Agreement, askTogether, type Vote } from '../mind/consensus.ts'
import type { Utterance } from '../mind/conversation.ts'
import { assemblePrompt, type Prompt } from '../mind/prompt.ts'
import { masked, maskedMaterial } from '../mind/prompt-mask.ts'
import { type Proposal, readProposal } from '../mind/proposal.ts'
import { isTier, providersFor, type Tier, tierOf } from '../mind/tier.ts'
import { assembleContext, fittingNotes } from '../search/context.ts'
import type { Runtime, Skill, Tool } from './runtime.ts'
import { promptRecord, type TraceRecord } from './trace.ts'

/** What one question to the providers brought, with all that a trace wants to know. */
export interface Thought extends Proposal {
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
  usage: Answer['usage']
  /** What the prompt cost by our count, and what was left out of it. */
  prompt: { tokens: number; cuts: string[] }
}

/** What is special about this try. */
interface ThinkOptions {
  /** The objections to the last proposal. */
  rejectionTrace?: string | undefined
  /** Asked instead of the tier that the signal deserves by itself. */
  tier?: Tier | undefined
  /** Hears the answer while it comes; a consensus is not heard. */
  listener?: Listener | undefined
}

function promptFor(
  runtime: Runtime,
  signal: Signal,
  tier: Tier,
  rejectionTrace: string | undefined,
  fitting: readonly string[],
): Prompt {
  const { mind, recentLog, tokens } = runtime
  const material = (text: string) => maskedMaterial(runtime, text)
  const session = signal.meta.sessionId ?? ''
  const said = signal.payload.text ?? ''
  const question = isOwners(signal) ? said : material(said)
  const skills = runtime.skills.filter((skill) => isTriggered(skill, signal))
  const parts = {
    day: runtime.clock.now().toDateString(),
    prompts: skills.flatMap(({ prompt }) => prompt ?? []),
    mandates: skills.flatMap(({ mandates }) => mandates ?? []),
    tools: offeredTools(runtime, signal),
    context: (tokensMax: number) => contextFor(runtime, session, { question, fitting }, tokensMax),
    said: before(saidIn(runtime, session), question),
    logs: signal.meta.origin === 'message' ? [] : recentLog.map(material),
    question,
    fromTool: signal.payload.sensor === 'tool-output',
    rejectionTrace: rejectionTrace === undefined ? undefined : material(rejectionTrace),
  }
  const limits = providersFor(runtime, signal, tier).flatMap(({ tokensMax }) => tokensMax ?? [])
  const settings = { ...mind.prompt, tokensMax: Math.min(mind.prompt.tokensMax, ...limits) }
  return assemblePrompt(parts, settings, (text) => tokens.count(text))
}

/** What was said in a session, as a model may hear it. */
export function saidIn(runtime: Runtime, session: string): Utterance[] {
  const { conversations, recentLog, store } = runtime
  if (conversations.closeAfter(store.closings)) recentLog.length = 0
  return conversations.of(session).map((utterance) => {
    if (utterance.speaker === 'owner') return utterance
    return { ...utterance, text: maskedMaterial(runtime, utterance.text) }
  })
}

function isOwners({ meta, payload }: Signal): boolean {
  return meta.origin === 'owner' && payload.sensor === 'user-input'
}

/** The conversation without the question at its end. */
function before(said: readonly Utterance[], question: string): readonly Utterance[] {
  const last = said.at(-1)?.text.replace(/ …$/, '')
  return last !== undefined && question.trim().startsWith(last.trim()) ? said.slice(0, -1) : said
}

function isTriggered(skill: Skill, signal: Signal): boolean {
  try {
    return skill.trigger?.(signal) ?? true
  } catch {
    return false
  }
}

function contextFor(
  { clock, conversations, scopes, store, tokens }: Runtime,
  session: string,
  about: { question: string; fitting: readonly string[] },
  tokensMax: number,
): string {
  const now = clock.now()
  const [year, month, day] = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
  const today = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
  const count = (text: string) => tokens.count(text)
  const options = { ...about, tokensMax, today, count, within: scopes.sight(session) }
  return assembleContext(store, conversations.focusOf(session), options)
}

/** The notes that fit the question, which is masked first: it may go to a backend elsewhere. */
function fittingFor(runtime: Runtime, signal: Signal): Promise<readonly string[]> {
  const { conversations, embeddings, scopes, store } = runtime
  const said = signal.payload.text ?? ''
  const question = isOwners(signal) ? said : maskedMaterial(runtime, said)
  const session = signal.meta.sessionId ?? ''
  const place = { focus: conversations.focusOf(session), within: scopes.sight(session) }
  return fittingNotes(store, embeddings, masked(runtime, question), place)
}

/** The tools that a model is offered for this signal. */
export function offeredTools(runtime: Runtime, signal: Signal): ToolSpec[] {
  const hidden = new Set<string>()
  for (const skill of runtime.skills) {
    try {
      for (const name of skill.hiddenTools?.(runtime, signal) ?? []) hidden.add(name)
    } catch (error) {
      const why = messageOf(error)
      runtime.log('error', `${skill.name} could not say which tools it hides: ${why}`)
      return []
    }
  }
  const named = [...runtime.tools.values()].sort((a, b) => rankOf(a) - rankOf(b))
  return named
    .filter(({ name }) => !hidden.has(name))
    .map(({ name, description, parameters }) => ({ name, description, parameters }))
}

/** What the owner has approved by name comes first, where it is not cut when room is short. */
function rankOf({ reach }: Tool): number {
  return reach === 'elsewhere' ? 0 : 1
}

async function requestFor(
  runtime: Runtime,
  signal: Signal,
  tier: Tier,
  rejectionTrace: string | undefined,
): Promise<{ request: ProviderRequest; facts: Thought['prompt'] }> {
  const question = signal.payload.text ?? ''
  if (tier !== 'reflex') await ready(runtime)
  const fitting = tier === 'reflex' ? [] : await runtime.away(() => fittingFor(runtime, signal))
  const { cuts, prompt, system, tokens, tools, ...rest } =
    tier === 'reflex'
      ? { system: '', prompt: question, tools: [], rejectionTrace, cuts: [], tokens: 0 }
      : promptFor(runtime, signal, tier, rejectionTrace, fitting)
  if (cuts.length > 0) runtime.log('debug', `left out of the prompt: ${cuts.join('; ')}`)
  const mask = (text: string) => masked(runtime, text)
  const trace = rest.rejectionTrace === undefined ? undefined : mask(rest.rejectionTrace)
  const request = {
    system: mask(system),
    prompt: mask(prompt),
    tools,
    rejectionTrace: trace,
    signal,
  }
  return { request, facts: { tokens, cuts } }
}

/** Waits for the tokenizer; without it the estimate counts. */
async function ready({ log, tokens }: Runtime): Promise<void> {
  try {
    await tokens.ready?.()
  } catch (error) {
    log('warn', `no tokenizer: ${messageOf(error)}`)
  }
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
  abort: AbortSignal,
  options: ThinkOptions = {},
): Promise<Thought> {
  const tier = options.tier ?? tierOf(runtime, signal, wishedTier(runtime, signal))
  const { request, facts } = await requestFor(runtime, signal, tier, options.rejectionTrace)
  const question = { request, tier, abort, listener: options.listener }
  const { answer, proposal, ...rest } = await runtime.away(() => askSome(runtime, question))
  if (rest.exhausted) tellExhausted(runtime, signal)
  const thought: Thought = {
    ...proposal,
    ...rest,
    provider: answer?.provider ?? null,
    rules: answer?.rules ?? false,
    raw: answer?.text ?? '',
    usage: answer?.usage ?? null,
    tier,
    prompt: facts,
  }
  runtime.usage.note(signal.meta.sessionId, thought.provider, thought.usage)
  runtime.trace.record(promptRecord(request.system, request.prompt))
  for (const record of thoughtRecords(thought, answer)) runtime.trace.record(record)
  return thought
}

interface Question {
  request: ProviderRequest
  tier: Tier
  abort: AbortSignal
  listener: Listener | undefined
}

type Told = Pick<
  Thought,
  'attempts' | 'failures' | 'votes' | 'agreement' | 'exhausted' | 'brokenOff'
>

/** What came of asking. */
interface Outcome extends Told {
  answer: Answer | null
  proposal: Proposal
}

const noProposal: Proposal = {
  action: { ok: false, reason: 'nobody answered' },
  form: 'text',
  rest: [],
}

async function askSome(runtime: Runtime, question: Question): Promise<Outcome> {
  const { request, tier } = question
  const { breakers, clock, log, mind } = runtime
  const context: CascadeContext = { breakers, clock, log, timeoutMs: mind.answerTimeoutMs }
  const providers = providersFor(runtime, request.signal, tier)
  const models = providers.filter(({ rules }) => rules !== true)
  const several = models.slice(0, Math.max(2, mind.consensus?.providers ?? 0))
  const isTogether = mind.consensus !== null && tier !== 'reflex' && several.length > 1
  if (!isTogether) return oneByOne(context, providers, question)
  const { deadlineMs } = mind.consensus!
  const read = (answer: Answer) => proposalOf(answer, request)
  const limited = { ...context, deadlineMs }
  const found = await askTogether(limited, several, request, question.abort, read)
  const { agreement, attempts, failures, taken, votes } = found
  if (taken !== null) {
    return { ...taken, agreement, attempts, failures, votes, exhausted: false, brokenOff: null }
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
  const { answer, brokenOff, ...rest } = result
  const proposal = answer === null ? noProposal : proposalOf(answer, request)
  const { message = null } = brokenOff ?? {}
  return { ...rest, answer, proposal, brokenOff: message, votes: [], agreement: null }
}

/** The records of a thought for the trace. */
function thoughtRecords(thought: Thought, answer: Answer | null): TraceRecord[] {
  const { agreement, attempts, form, prompt, provider, rest, tier, usage, votes } = thought
  const asked = attempts.map(({ provider, outcome, ms }) => `${provider} ${outcome} ${ms} ms`)
  const call = answer?.proposal == null ? '' : JSON.stringify(answer.proposal)
  const fields = {
    provider: provider ?? 'nobody',
    tier,
    form,
    asked: asked.join('; '),
    failures: thought.failures.join('; '),
    'broken-off': thought.brokenOff ?? '',
    'prompt-tokens': prompt.tokens,
    'left-out': prompt.cuts.join('; '),
    'input-tokens': usage?.inputTokens,
    'output-tokens': usage?.outputTokens,
    agreement: agreement ?? '',
  }
  const text = [thought.raw, call].filter((part) => part !== '').join('\n')
  const records: TraceRecord[] = [{ kind: 'proposal', fields, text: text.slice(0, 20_000) }]
  if (votes.length > 0) records.push({ kind: 'votes', text: votes.map(voteLine).join('\n') })
  if (rest.length > 0) records.push({ kind: 'not-done', text: rest.join('\n') })
  return records
}

function voteLine({ digest, kind, provider, taken }: Vote): string {
  return `${provider}: ${kind} ${digest?.slice(0, 12) ?? ''}${taken ? ' (taken)' : ''}`.trimEnd()
}

function proposalOf(answer: Answer, { prompt, tools }: ProviderRequest): Proposal {
  return readProposal(answer, prompt, new Set(tools.map(({ name }) => name)))
}

function tellExhausted(runtime: Runtime, signal: Signal): void {
  const payload = { action: 'log', level: 'error', text: exhaustedMessage }
  runtime.reply({ type: 'log', meta: signal.meta, payload, depth: signal.depth })
}
