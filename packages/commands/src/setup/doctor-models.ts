import {
  commandName,
  type FailureKind,
  type ProviderEvent,
  type ProviderFailure,
  type Signal,
  singleMessage,
} from '@passepartout/core'
import { type ConfiguredModel, providerOf } from '@passepartout/models/profiles'
import type { Finding } from './doctor-checks.ts'

const answerTokensMax = 64
const patienceMs = 15_000

interface Outcome {
  failure: ProviderFailure | null
  tokens: { input: number; output: number } | null
  ms: number
}

async function askOnce(model: ConfiguredModel): Promise<Outcome> {
  const { firstTimeoutMs, maxTokens } = model.settings
  const waited = Math.min(firstTimeoutMs, patienceMs)
  const settings = {
    ...model.settings,
    maxTokens: Math.min(maxTokens ?? answerTokensMax, answerTokensMax),
    firstTimeoutMs: waited,
    timeoutMs: waited + patienceMs,
  }
  const outcome: Outcome = { failure: null, tokens: null, ms: 0 }
  const began = performance.now()
  const never = new AbortController().signal
  for await (const event of providerOf({ ...model, settings }).propose(question, never)) {
    note(outcome, event)
  }
  outcome.ms = performance.now() - began
  return outcome
}

const signal: Signal = {
  type: 'event',
  meta: { source: 'doctor' },
  payload: { sensor: 'user-input', text: 'Answer with one word: yes.' },
  depth: 0,
}
const question = {
  system: '',
  messages: singleMessage('Answer with one word: yes.'),
  tools: [],
  signal,
}

function note(outcome: Outcome, event: ProviderEvent): void {
  if (event.type === 'usage') {
    outcome.tokens = { input: event.inputTokens, output: event.outputTokens }
  }
  if (event.type !== 'failure') return
  const isCut = event.kind === 'too-long' && event.status === undefined
  if (!isCut) outcome.failure = event
}

const remedies: Record<FailureKind, string> = {
  auth: 'make a new key at the vendor, and put it where :KEY_ENV: or :KEY_VAULT: points',
  refused: `correct its :MODEL: or its :BASE_URL:; ${commandName} models lists what it offers`,
  protocol: 'correct its :BASE_URL: or its :PROVIDER:; what listens there is no such endpoint',
  'rate-limit': 'wait, or look at the limits and the credit of the account at the vendor',
  server: 'wait, and look at the log of the server or at the status page of the vendor',
  network: 'start that server, correct its :BASE_URL:, or connect this machine to the network',
  timeout: `wait until the server has loaded the model; ${commandName} doctor asks again`,
  overflow: 'correct its :MODEL: or its :CONTEXT:; a dozen words are too long for it',
  'too-long': 'correct its :MODEL:; it does not stop speaking',
  empty: 'correct its :MODEL: or its :PROVIDER:; it answers nothing to a question',
  aborted: `${commandName} doctor asks again`,
}
const passing: ReadonlySet<FailureKind> = new Set(['rate-limit', 'server', 'network', 'timeout'])

function costOf({ price }: ConfiguredModel, { tokens }: Outcome): string {
  if (price?.from === 'local') return 'at no cost'
  if (tokens === null) return 'at a cost that it did not tell'
  const count = `${tokens.input + tokens.output} tokens`
  if (price === null) return `for ${count}`
  const dollars = (tokens.input * price.in + tokens.output * price.out) / 1_000_000
  return `for ${count}, about $${dollars.toFixed(6)}`
}

function findingOf(model: ConfiguredModel, outcome: Outcome): Finding {
  const check = 'providers'
  const { model: id, name } = model.settings
  const { failure, ms } = outcome
  if (failure === null) {
    const found = `${name}: ${id} answered in ${(ms / 1000).toFixed(1)} s, ${costOf(model, outcome)}`
    return { check, level: 'ok', found, todo: '' }
  }
  const kind = failure.kind ?? 'protocol'
  const wait = failure.retryAfterMs
  const until =
    wait === undefined ? '' : ` It asks to be left alone for ${Math.ceil(wait / 1000)} s.`
  return {
    check,
    level: passing.has(kind) ? 'warn' : 'error',
    found: `${name}: ${failure.message}`,
    todo: `${remedies[kind]}.${until} Others are asked meanwhile.`,
  }
}

/** Whether the configured models answer; each is asked one question, unless `isOffline`. */
export async function checkModels(
  models: readonly ConfiguredModel[],
  isOffline: boolean = false,
): Promise<Finding[]> {
  const ok = (found: string): Finding => ({ check: 'providers', level: 'ok', found, todo: '' })
  if (models.length === 0) return [ok('no model is configured; the planner answers by its rules')]
  return Promise.all(
    models.map(async (model) => {
      if (isOffline) return ok(`${model.settings.name}: not asked, and at no cost (--offline)`)
      return findingOf(model, await askOnce(model))
    }),
  )
}
