import type { Answer } from '../contract/answer.ts'
import type { Provider, ProviderRequest } from '../contract/provider.ts'
import type { Action } from '../contract/signal.ts'
import { type Attempt, attempt, type CascadeContext } from './cascade.ts'
import { type Proposal, proposalDigest } from './proposal.ts'

/** How many are asked, and how long they have. */
export interface ConsensusSettings {
  /** The first so many models of the cascade; at least 2. */
  providers: number
  /** In milliseconds; who is not done then has no vote. */
  deadlineMs: number
}

/** What a proposal would touch, from the safest to the least safe. */
export type ProposalKind = 'message' | 'tool' | 'shell' | 'other'

/** One provider's vote. */
export interface Vote {
  provider: string
  /** `fault` for a proposal that could not be read, `absent` for no answer. */
  kind: ProposalKind | 'fault' | 'absent'
  /** What it would do; see `proposalDigest`. Null without a readable proposal. */
  digest: string | null
  /** Whether this is the proposal that was taken. */
  taken: boolean
}

/** How the choice came about. `alone`: only one had a proposal. */
export type Agreement = 'agreed' | 'majority' | 'safest' | 'alone'

/** What a consensus brought. */
interface Consensus {
  /** The answer that was taken and what it proposes; null when nobody answered. */
  taken: { answer: Answer; proposal: Proposal } | null
  /** Null when there was no readable proposal. */
  agreement: Agreement | null
  votes: Vote[]
  attempts: Attempt[]
  failures: string[]
}

const kinds: readonly ProposalKind[] = ['message', 'tool', 'shell', 'other']

/** What an action would touch. A command makes it a shell action, wherever it is sent. */
export function kindOf({ payload, target }: Action): ProposalKind {
  if (payload.cmd !== undefined || target === 'shell') return 'shell'
  if (payload.tool !== undefined || target === 'tool') return 'tool'
  return payload.action === 'message' ? 'message' : 'other'
}

/** What is voted with. */
export interface Ballot {
  kind: ProposalKind
  digest: string
}

/** The index of the ballot that is taken, and why; null for no ballots. */
export function decide(ballots: readonly Ballot[]): { index: number; agreement: Agreement } | null {
  if (ballots.length === 0) return null
  if (ballots.length === 1) return { index: 0, agreement: 'alone' }
  const count = (digest: string) => ballots.filter((ballot) => ballot.digest === digest).length
  const winner = ballots.findIndex(({ digest }) => count(digest) * 2 > ballots.length)
  if (winner >= 0) {
    const all = count(ballots[winner]!.digest) === ballots.length
    return { index: winner, agreement: all ? 'agreed' : 'majority' }
  }
  const safety = ballots.map(({ kind }) => kinds.indexOf(kind))
  return { index: safety.indexOf(Math.min(...safety)), agreement: 'safest' }
}

/** Asks the providers at once and takes one proposal by the rule. Never rejects. */
export async function askTogether(
  context: CascadeContext,
  providers: readonly Provider[],
  request: ProviderRequest,
  abort: AbortSignal,
  read: (answer: Answer) => Proposal,
): Promise<Consensus> {
  const asked = await Promise.all(
    providers.map(async (provider) => {
      const record = { attempts: [], failures: [] }
      const asked = await attempt(context, provider, request, abort, record)
      const answer = asked?.ok === true ? asked.answer : null
      return { provider, record, answer, proposal: answer === null ? null : read(answer) }
    }),
  )
  const answered = asked.flatMap(({ answer, proposal }) =>
    answer === null || proposal === null ? [] : [{ answer, proposal }],
  )
  const readable = answered.flatMap((given) => {
    const { action } = given.proposal
    return action.ok ? [{ ...given, ...ballotOf(action.value) }] : []
  })
  const decision = decide(readable)
  const chosen = decision === null ? answered[0] : readable[decision.index]
  return {
    taken: chosen === undefined ? null : { answer: chosen.answer, proposal: chosen.proposal },
    agreement: decision?.agreement ?? null,
    votes: asked.map(({ provider, answer, proposal }) => ({
      ...voteOf(provider, proposal),
      taken: answer !== null && answer === chosen?.answer,
    })),
    attempts: asked.flatMap(({ record }) => record.attempts),
    failures: asked.flatMap(({ record }) => record.failures),
  }
}

function ballotOf(action: Action): Ballot {
  return { kind: kindOf(action), digest: proposalDigest(action) }
}

function voteOf({ name }: Provider, proposal: Proposal | null): Omit<Vote, 'taken'> {
  if (proposal === null) return { provider: name, kind: 'absent', digest: null }
  if (!proposal.action.ok) return { provider: name, kind: 'fault', digest: null }
  return { provider: name, ...ballotOf(proposal.action.value) }
}
