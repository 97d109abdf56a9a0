import type { Answer } from '../contract/answer.ts'
import type { Provider, ProviderRequest } from '../contract/provider.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { type Attempt, attempt, type CascadeContext } from './cascade.ts'
import { type Proposal, type ProposedCall, proposalDigest } from './proposal.ts'

/** How many are asked, and how long they have. */
export interface ConsensusSettings {
  /** The first so many models of the cascade; at least 2. */
  providers: number
  /** In milliseconds; who is not done then has no vote. */
  deadlineMs: number
}

/** What a call would touch, from the safest to the least safe; `words` for no call at all. */
export type CallKind = 'words' | 'tool' | 'shell' | 'other'

/** A call that somebody voted for. */
interface Wanted {
  tool: string
  kind: CallKind
  /** What it would do; see `proposalDigest`. */
  digest: string
  /** Whether it is made. */
  taken: boolean
}

/** One provider's vote. */
export interface Vote {
  provider: string
  /** `fault` for an answer that could not be read, `absent` for none. */
  kind: 'words' | 'calls' | 'fault' | 'absent'
  calls: Wanted[]
  /** Whether its words were taken. */
  taken: boolean
}

/** How the choice came about. `alone`: only one had a proposal. */
export type Agreement = 'agreed' | 'majority' | 'safest' | 'alone'

/** What a consensus brought. */
interface Consensus {
  /** The answer whose words were taken, with the calls that are made; null when nobody answered. */
  taken: { answer: Answer; proposal: Proposal } | null
  /** Null when there was no readable proposal. */
  agreement: Agreement | null
  votes: Vote[]
  attempts: Attempt[]
  failures: string[]
}

/** A vote on one line, for the trace. */
export function voteLine({ calls, kind, provider, taken }: Vote): string {
  const wanted = calls.map((call) => {
    return `${call.tool} ${call.digest.slice(0, 12)}${call.taken ? ' (taken)' : ''}`
  })
  const what = wanted.length === 0 ? kind : wanted.join(', ')
  return `${provider}: ${what}${taken ? ' (its words)' : ''}`
}

const consensusDefaults: ConsensusSettings = { providers: 3, deadlineMs: 60_000 }

/** How a consensus is made on this question: as the owner has set it, or as they ask; null for none. */
export function consensusFor(
  { meta, payload }: Signal,
  set: ConsensusSettings | null,
): ConsensusSettings | null {
  const isWished = meta.origin === 'owner' && payload.consensus === true
  return isWished ? (set ?? consensusDefaults) : set
}

const kinds: readonly CallKind[] = ['words', 'tool', 'shell', 'other']

/** What an action would touch. A command makes it a shell action, wherever it is sent. */
export function kindOf({ payload, target }: Action): CallKind {
  if (payload.cmd !== undefined || target === 'shell') return 'shell'
  if (payload.tool !== undefined || target === 'tool') return 'tool'
  return payload.action === 'message' ? 'words' : 'other'
}

/** What is voted with: the digests of the calls, and the kind of the worst of them. */
export interface Ballot {
  digests: ReadonlySet<string>
  kind: CallKind
}

interface Decision {
  /** The ballot whose words are taken. */
  index: number
  /** The calls that are made. */
  digests: ReadonlySet<string>
  agreement: Agreement
}

/** What is taken, and why; null for no ballots. */
export function decide(ballots: readonly Ballot[]): Decision | null {
  const [first] = ballots
  if (first === undefined) return null
  if (ballots.length === 1) return { index: 0, digests: first.digests, agreement: 'alone' }
  const isMost = (holds: (ballot: Ballot) => boolean) =>
    ballots.filter(holds).length * 2 > ballots.length
  const same = ({ digests }: Ballot) => digests.symmetricDifference(first.digests).size === 0
  const agreement = ballots.every(same) ? 'agreed' : 'majority'
  const talks = ({ digests }: Ballot) => digests.size === 0
  if (isMost(talks)) return { index: ballots.findIndex(talks), digests: new Set(), agreement }
  const all = new Set(ballots.flatMap(({ digests }) => [...digests]))
  const wanted = [...all].filter((digest) => isMost(({ digests }) => digests.has(digest)))
  if (wanted.length > 0) {
    const shared = ballots.map(({ digests }) => digests.intersection(new Set(wanted)).size)
    return { index: shared.indexOf(Math.max(...shared)), digests: new Set(wanted), agreement }
  }
  const safety = ballots.map(({ kind }) => kinds.indexOf(kind))
  const index = safety.indexOf(Math.min(...safety))
  return { index, digests: ballots[index]!.digests, agreement: 'safest' }
}

interface Reading {
  provider: Provider
  record: { attempts: Attempt[]; failures: string[] }
  answer: Answer | null
  proposal: Proposal | null
  /** Null without a vote. */
  ballot: Ballot | null
}

/** Asks the providers at once and takes what most of them want. Never rejects. */
export async function askTogether(
  context: CascadeContext,
  providers: readonly Provider[],
  request: ProviderRequest,
  abort: AbortSignal,
  read: (answer: Answer) => Proposal,
): Promise<Consensus> {
  const asked = await Promise.all(
    providers.map(async (provider): Promise<Reading> => {
      const record = { attempts: [], failures: [] }
      const asked = await attempt(context, provider, request, abort, record)
      const answer = asked?.ok === true ? asked.answer : null
      const proposal = answer === null ? null : read(answer)
      return { provider, record, answer, proposal, ballot: ballotOf(proposal) }
    }),
  )
  const voting = asked.filter(({ ballot }) => ballot !== null)
  const decision = decide(voting.map(({ ballot }) => ballot!))
  const chosen =
    decision === null ? asked.find(({ answer }) => answer !== null) : voting[decision.index]
  const taken = decision?.digests ?? new Set<string>()
  return {
    taken: chosen === undefined ? null : takenOf(chosen, voting, decision),
    agreement: decision?.agreement ?? null,
    votes: asked.map((reading) => voteOf(reading, taken, reading === chosen)),
    attempts: asked.flatMap(({ record }) => record.attempts),
    failures: asked.flatMap(({ record }) => record.failures),
  }
}

function digestOf({ action }: ProposedCall): string | null {
  return action.ok ? proposalDigest(action.value) : null
}

function ballotOf(proposal: Proposal | null): Ballot | null {
  if (proposal === null) return null
  const { calls, faults } = proposal
  const read = calls.flatMap(({ action }) => (action.ok ? [action.value] : []))
  if (read.length === 0 && calls.length + faults.length > 0) return null
  const worst = Math.max(0, ...read.map((action) => kinds.indexOf(kindOf(action))))
  return { digests: new Set(read.map(proposalDigest)), kind: kinds[worst]! }
}

function takenOf(
  { answer, proposal }: Reading,
  voting: readonly Reading[],
  decision: Decision | null,
): Consensus['taken'] {
  if (answer === null || proposal === null) return null
  if (decision === null || decision.agreement === 'alone') return { answer, proposal }
  const left = new Set(decision.digests)
  const all = [...proposal.calls, ...voting.flatMap(({ proposal }) => proposal?.calls ?? [])]
  const calls = all.filter((call) => left.delete(digestOf(call) ?? ''))
  return { answer, proposal: { ...proposal, calls, faults: [] } }
}

function voteOf(
  { ballot, proposal, provider: { name } }: Reading,
  made: ReadonlySet<string>,
  taken: boolean,
): Vote {
  if (proposal === null) return { provider: name, kind: 'absent', calls: [], taken: false }
  if (ballot === null) return { provider: name, kind: 'fault', calls: [], taken }
  const calls = proposal.calls.flatMap((call): Wanted[] => {
    const digest = digestOf(call)
    if (digest === null || !call.action.ok) return []
    return [{ tool: call.tool, kind: kindOf(call.action.value), digest, taken: made.has(digest) }]
  })
  return { provider: name, kind: calls.length === 0 ? 'words' : 'calls', calls, taken }
}
