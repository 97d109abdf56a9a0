import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import {
  diffOf,
  formatSkillProblem,
  type Runtime,
  readGrants,
  readSkillDocument,
  type Signal,
  type SkillEngineOptions,
  type TraceRecord,
  trySkill,
} from '@passepartout/core'
import { askForDocument, type Proposed, type Wish } from './asking.ts'
import { findDocument, hashOf, keepProposal, type ProposalRecord, readRecords } from './keeping.ts'
import { type Review, reviewLines, reviewPatch, reviewProposal } from './stages.ts'

/** When a model is asked to mend a skill. */
export type ImproveWhen = 'on-request' | 'on-failure'

/** Where things are, and when a model is asked. */
export interface ImproveOptions {
  places: SkillEngineOptions
  stateDir: string
  /** The folder of the book's documents; null when this is no repository. */
  book: string | null
  when: ImproveWhen
}

/** What the skill holds between its signals. */
export interface Desk extends ImproveOptions {
  /** Where proposals are kept. */
  folder: string
  /** What has passed the stages, as `skill base proposal`; null before the first look. */
  reviewed: Set<string> | null
  /** Documents about which a model was asked because of a fault, by hash. */
  asked: Set<string>
}

/** The document that is to be mended, or made. */
export interface Target {
  kind: ProposalRecord['kind']
  skill: string
  path: string
  base: string
  from: 'owner' | 'elsewhere'
}

/** The document that a name or a path means, or null. */
export function targetOf(desk: Desk, name: string): Target | null {
  if (name.includes('/') || name.endsWith('.org')) return documentOfBook(desk, name)
  const found = findDocument(desk.places, name)
  if (found === null) return null
  const { isOwners, path, text } = found
  const grant = readGrants(desk.places.grantsPath).get(name)
  const isFirst = grant === undefined ? isOwners : grant.from === 'owner'
  const from = isFirst ? 'owner' : 'elsewhere'
  return { kind: 'change', skill: name, path, base: text, from }
}

function documentOfBook({ book }: Desk, name: string): Target | null {
  if (book === null || !/^org(?:\/[a-z0-9-]{1,60}){1,4}\.org$/.test(name)) return null
  const path = join(dirname(book), name)
  if (!existsSync(path) || !lstatSync(path).isFile()) return null
  if (!realpathSync(path).startsWith(`${realpathSync(book)}${sep}`)) return null
  return { kind: 'patch', skill: name, path, base: readFileSync(path, 'utf8'), from: 'elsewhere' }
}

async function problemsOf({ base, from, kind, path }: Target): Promise<string[]> {
  if (kind !== 'change') return []
  const read = readSkillDocument(base, path)
  const problems = read.ok ? (await trySkill(read.document, from)).problems : read.problems
  return problems.map((problem) => formatSkillProblem({ ...problem, path: basename(path) }))
}

/** The document that a new skill will have. */
export function newTarget({ places }: Desk, skill: string): Target {
  const folder = places.folders.find(({ isOwners }) => !isOwners)?.path ?? ''
  return { kind: 'new', skill, path: join(folder, `${skill}.org`), base: '', from: 'elsewhere' }
}

const triesMax = 3
const shownMax = 18_000

/** A proposal that was accepted, or why there is none. */
type Outcome = { kind: 'plan'; record: ProposalRecord } | { kind: 'none'; text: string }

/** Asks for a proposal until one is accepted, three times at most. */
export async function propose(
  desk: Desk,
  runtime: Runtime,
  signal: Signal,
  target: Target,
  words: string,
): Promise<Outcome> {
  const { base, skill } = target
  const problems = await runtime.away(() => problemsOf(target))
  const wish: Wish = { skill, document: base, problems, words }
  const asking = { ...signal, payload: { ...signal.payload, skill } }
  step(runtime, skill, {
    kind: 'improve-begin',
    fields: { base: hashOf(base) },
    text: problems.join('\n'),
  })
  let objections: string[] = []
  for (let count = 1; count <= triesMax; count++) {
    const told = count === 1 ? undefined : objections.join('\n')
    const answer = await runtime.away(() => askForDocument(runtime, wish, asking, told))
    if (!answer.ok) {
      step(runtime, skill, {
        kind: 'improve-end',
        fields: { result: 'no-answer' },
        text: answer.reason,
      })
      return { kind: 'none', text: answer.reason }
    }
    const judged = await runtime.away(() => judge(target, answer.value))
    objections = judged.lines
    for (const record of judged.records)
      step(runtime, skill, { ...record, fields: { try: count, ...record.fields } })
    if (judged.accepted)
      return { kind: 'plan', record: keep(desk, runtime, target, answer.value, objections) }
  }
  step(runtime, skill, { kind: 'improve-end', fields: { result: 'refused' } })
  const why = objections.filter((line) => line.includes('REFUSED')).join('\n')
  return {
    kind: 'none',
    text: `No proposal for ${skill} was good enough; nothing was changed.\n${why}`,
  }
}

/** Writes a step into the open entry of the trace. */
export function step(runtime: Runtime, skill: string, record: TraceRecord): void {
  runtime.trace.record({ ...record, fields: { skill, ...record.fields } })
}

/** All that the question shows besides the arguments. */
export function shownText(
  kind: ProposalRecord['kind'],
  skill: string,
  lines: readonly string[],
  { base, proposed }: { base: string; proposed: string },
): string {
  const head = kind === 'patch' ? 'Nothing in the book is changed by a yes; a patch is kept.' : ''
  const parts = [head, ...lines, diffOf(skill, base, proposed)]
  return parts.filter((part) => part !== '').join('\n')
}

interface Judged {
  accepted: boolean
  lines: string[]
  records: TraceRecord[]
}

/** What the stages say about a proposal for this document. */
export async function judge(target: Target, proposed: Proposed): Promise<Judged> {
  const refused = (stage: string, rule: string, message: string): Judged => ({
    accepted: false,
    lines: [`${stage}: refused`, `  REFUSED ${rule}: ${message}`],
    records: [{ kind: 'improve-stage', fields: { stage, state: 'refused', rule }, text: message }],
  })
  const { base, from, kind, path, skill } = target
  const { document, skill: named } = proposed
  if (named !== skill) {
    const isPath = /[/\\]|\.\./.test(named)
    const rule = isPath ? 'outside-folder' : 'another-document'
    return refused(
      'answer',
      rule,
      `it is for ${JSON.stringify(named.slice(0, 80))}, not for ${skill}`,
    )
  }
  if (document === base) return refused('answer', 'no-change', 'it is the document as it was')
  const review =
    kind === 'patch'
      ? await reviewPatch(base, document)
      : await reviewProposal({ name: skill, path, base, proposed: document, from })
  const judged = {
    accepted: review.accepted,
    lines: reviewLines(review),
    records: recordsOf(review),
  }
  const size = shownText(kind, skill, judged.lines, { base, proposed: document }).length
  if (!review.accepted || size <= shownMax) return judged
  return refused('diff', 'too-long', `its question has ${size} characters, over ${shownMax}`)
}

function recordsOf({ stages }: Review): TraceRecord[] {
  return stages.map(({ name, notes, refusals, state }) => {
    const rules = [...new Set(refusals.map(({ rule }) => rule))].join(' ')
    const text = [...refusals, ...notes]
      .map(({ message, rule }) => `${rule}: ${message}`)
      .join('\n')
    return { kind: 'improve-stage', fields: { stage: name, state, rule: rules }, text }
  })
}

function keep(
  desk: Desk,
  runtime: Runtime,
  target: Target,
  { document, provider, why }: Proposed,
  lines: string[],
): ProposalRecord {
  const { base, kind, path, skill } = target
  const record: ProposalRecord = {
    kind,
    skill,
    path,
    base: hashOf(base),
    proposal: hashOf(document),
    provider,
    lines,
    why: why.replace(/\s+/g, ' ').slice(0, 300).toWellFormed(),
    state: 'proposed',
    at: runtime.clock.now().toISOString(),
  }
  keepProposal(desk.folder, record, { base, proposed: document })
  reviewedOf(desk).add(keyOf(record))
  step(runtime, skill, {
    kind: 'improve-plan',
    fields: { base: record.base, proposal: record.proposal },
  })
  return record
}

type Names = Pick<ProposalRecord, 'skill' | 'base' | 'proposal'>

/** What the gate knows a reviewed proposal by. */
export const keyOf = ({ base, proposal, skill }: Names) => `${skill} ${base} ${proposal}`

/** All proposals that have passed the stages and wait for the owner. */
export function reviewedOf(desk: Desk): Set<string> {
  desk.reviewed ??= new Set(
    readRecords(desk.folder).flatMap((record) =>
      record.state === 'proposed' ? keyOf(record) : [],
    ),
  )
  return desk.reviewed
}
