import { existsSync, lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import {
  type Action,
  type ConfigSection,
  defineSection,
  defineSkill,
  diffOf,
  fieldText,
  formatSkillProblem,
  type Gate,
  messageAction,
  oneOf,
  type Runtime,
  readGrants,
  readSkillDocument,
  type Signal,
  type Skill,
  type SkillEngineOptions,
  type Tool,
  type ToolResult,
  type TraceRecord,
  trySkill,
  writeGrant,
  writeNewFile,
} from '@passepartout/core'
import { z } from 'zod'
import { askForDocument, type Proposed, type Wish } from './asking.ts'
import {
  findDocument,
  hashOf,
  keepProposal,
  keepRecord,
  type ProposalRecord,
  readRecord,
  readRecords,
  readText,
  SwapError,
  swapDocument,
} from './keeping.ts'
import { keepVersion, versionsFolder } from './skill-versions.ts'
import { type Review, reviewLines, reviewPatch, reviewProposal } from './stages.ts'

/** When a model is asked to mend a skill. */
export type ImproveWhen = 'on-request' | 'on-failure'

/** The section about it. */
export const improveSection: ConfigSection<ImproveWhen> = defineSection({
  marker: 'SELF_IMPROVE',
  properties: z.object({ SELF_IMPROVE: oneOf('on-request', 'on-failure') }),
  read: ({ SELF_IMPROVE }) => SELF_IMPROVE,
})

/** Where things are, and when a model is asked. */
interface ImproveOptions {
  places: SkillEngineOptions
  stateDir: string
  /** The folder of the book's documents; null when this is no repository. */
  book: string | null
  when: ImproveWhen
}

interface Desk extends ImproveOptions {
  /** Where proposals are kept. */
  folder: string
  /** What has passed the stages, as `skill base proposal`; null before the first look. */
  reviewed: Set<string> | null
  /** Documents about which a model was asked because of a fault, by hash. */
  asked: Set<string>
}

interface Target {
  kind: ProposalRecord['kind']
  skill: string
  path: string
  base: string
  from: 'owner' | 'elsewhere'
}

function targetOf(desk: Desk, name: string): Target | null {
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

const triesMax = 3
const shownMax = 18_000

type Outcome = { kind: 'plan'; record: ProposalRecord } | { kind: 'none'; text: string }

async function propose(
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
function step(runtime: Runtime, skill: string, record: TraceRecord): void {
  runtime.trace.record({ ...record, fields: { skill, ...record.fields } })
}

interface Judged {
  accepted: boolean
  lines: string[]
  records: TraceRecord[]
}

async function judge(target: Target, proposed: Proposed): Promise<Judged> {
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

const keyOf = ({ base, proposal, skill }: Names) => `${skill} ${base} ${proposal}`

function reviewedOf(desk: Desk): Set<string> {
  desk.reviewed ??= new Set(
    readRecords(desk.folder).flatMap((record) =>
      record.state === 'proposed' ? keyOf(record) : [],
    ),
  )
  return desk.reviewed
}

function planOf({ base, kind, proposal, provider, skill, why }: ProposalRecord): Action {
  const what = { change: 'A change of the skill', new: 'A new skill', patch: 'A patch for' }[kind]
  const explanation = `${what} ${skill}, proposed by ${provider}: ${why || 'it says no reason'}`
  const tool = kind === 'patch' ? 'keep-patch' : 'swap-skill'
  const payload = { action: 'call', tool, args: { skill, base, proposal }, explanation }
  return { type: 'request', target: 'tool', payload }
}

const swapArguments = z.object({
  skill: z.string().max(300),
  base: z.string().length(64),
  proposal: z.string().length(64),
})

async function preview(desk: Desk, args: Record<string, unknown>): Promise<string | null> {
  const read = recordFor(desk, args)
  if (read === null) return null
  const { record } = read
  return shownText(record.kind, record.skill, record.lines, read)
}

/** All that the question shows besides the arguments. */
function shownText(
  kind: ProposalRecord['kind'],
  skill: string,
  lines: readonly string[],
  { base, proposed }: Pick<Kept, 'base' | 'proposed'>,
): string {
  const head = kind === 'patch' ? 'Nothing in the book is changed by a yes; a patch is kept.' : ''
  const parts = [head, ...lines, diffOf(skill, base, proposed)]
  return parts.filter((part) => part !== '').join('\n')
}

interface Kept {
  record: ProposalRecord
  base: string
  proposed: string
}

/** The record and the texts that these arguments name; null when any of it is not what it was. */
function recordFor({ folder }: Desk, args: Record<string, unknown>): Kept | null {
  const names = swapArguments.parse(args)
  const record = readRecord(folder, names.proposal)
  if (record === null || record.state !== 'proposed' || keyOf(record) !== keyOf(names)) return null
  const base = readText(folder, names.base)
  const proposed = readText(folder, names.proposal)
  return base === null || proposed === null ? null : { record, base, proposed }
}

const sensors = new Set(['skill-improve', 'skill-create', 'job-skill-fault'])
const tools = new Set(['swap-skill', 'keep-patch'])

const improveGate: Gate = {
  name: 'self-improve',
  priority: 595,
  check({ payload }, { facts, signal }) {
    if (!tools.has(payload.tool ?? '')) return { kind: 'pass' }
    const refuse = (rule: string, reason: string) => ({ kind: 'reject' as const, rule, reason })
    if (!sensors.has(signal.payload.sensor ?? '')) {
      return refuse(
        'self-improve.not-yours',
        'a skill is changed by passepartout skill improve only',
      )
    }
    const names = swapArguments.safeParse(payload.args)
    const reviewed = facts['self-improve'] as ReadonlySet<string> | undefined
    if (!names.success || !reviewed?.has(keyOf(names.data))) {
      return refuse('self-improve.not-reviewed', 'this text has not passed the stages')
    }
    const reason = 'the code of a skill would change'
    return {
      kind: 'approval',
      reason,
      rule: `self-improve.ask.${names.data.proposal.slice(0, 32)}`,
    }
  },
}

async function take(
  desk: Desk,
  runtime: Runtime,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  const found = recordFor(desk, args)
  const failed = (message: string): ToolResult => ({ status: 'error', message })
  if (found === null) return failed('The proposal is not what was reviewed; nothing was written.')
  const { base, proposed, record } = found
  const target =
    record.kind === 'new' ? newTarget(desk, record.skill) : targetOf(desk, record.skill)
  if (target?.path !== record.path) return failed('The document is not where it was.')
  const again = await judge({ ...target, base }, { ...record, document: proposed })
  if (!again.accepted) return failed(`It does not pass any more.\n${again.lines.join('\n')}`)
  const ran = runtime.skills.some(({ name }) => name === record.skill)
  try {
    if (base !== '') keepVersion(desk.folder, versionOf(runtime, record, 'saved'), base)
    swapDocument(desk.places, record.path, record.base, proposed)
  } catch (error) {
    if (error instanceof SwapError) return failed(`${error.message}.`)
    throw error
  }
  moveGrant(desk, record, proposed)
  keepVersion(desk.folder, versionOf(runtime, record, `proposed by ${record.provider}`), proposed)
  step(runtime, record.skill, {
    kind: 'improve-swap',
    fields: { base: record.base, proposal: record.proposal },
  })
  keepRecord(desk.folder, { ...record, state: 'taken' })
  reviewedOf(desk).delete(keyOf(record))
  const after = await lookAgain(runtime, record.skill)
  const isWell = after === 'running' || (!ran && /^(?:disabled|waiting)$/.test(after))
  if (isWell)
    return { status: 'success', content: `${record.skill} is ${after}, with the new text.` }
  await takeBack(desk, runtime, { ...record, state: 'taken' }, `it is ${after}`)
  return failed(`${record.skill} was ${after} with the new text, so the old one is back.`)
}

function versionOf({ clock }: Runtime, { path, skill }: ProposalRecord, how: string) {
  return { skill, path, at: clock.now().toISOString(), how }
}

function newTarget({ places }: Desk, skill: string): Target {
  const folder = places.folders.find(({ isOwners }) => !isOwners)?.path ?? ''
  return { kind: 'new', skill, path: join(folder, `${skill}.org`), base: '', from: 'elsewhere' }
}

function moveGrant({ places }: Desk, record: ProposalRecord, text: string): void {
  const { base, kind, path, proposal, skill } = record
  const grant = readGrants(places.grantsPath).get(skill)
  if (kind === 'new') {
    const read = readSkillDocument(text, path)
    const capabilities = read.ok ? read.document.capabilities : []
    const from = 'elsewhere' as const
    writeGrant(places.grantsPath, {
      name: skill,
      capabilities,
      from,
      hash: proposal,
      isEnabled: true,
    })
  } else if (grant?.hash === base) writeGrant(places.grantsPath, { ...grant, hash: proposal })
}

/** Has the engine look, and says how the skill is then. */
async function lookAgain(runtime: Runtime, skill: string): Promise<string> {
  const lines = (await runtime.reloaders.get('skills')?.()) ?? []
  return lines.find((line) => line.startsWith(`${skill}: `))?.slice(skill.length + 2) ?? 'gone'
}

async function takeBack(
  desk: Desk,
  runtime: Runtime,
  record: ProposalRecord,
  why: string,
): Promise<void> {
  const { base, kind, path, proposal, skill } = record
  const old = readText(desk.folder, base)
  const grant = readGrants(desk.places.grantsPath).get(skill)
  if (kind === 'new') {
    if (existsSync(path) && hashOf(readFileSync(path, 'utf8')) === proposal) rmSync(path)
    if (grant !== undefined) writeGrant(desk.places.grantsPath, { ...grant, isEnabled: false })
  } else if (old !== null) {
    swapDocument(desk.places, path, proposal, old)
    keepVersion(desk.folder, versionOf(runtime, record, 'taken back'), old)
    if (grant?.hash === proposal) writeGrant(desk.places.grantsPath, { ...grant, hash: base })
  }
  keepRecord(desk.folder, { ...record, state: 'taken-back' })
  step(runtime, skill, { kind: 'improve-back', fields: { proposal, base }, text: why })
  await lookAgain(runtime, skill)
}

/** The record of the text that a skill has now, if a proposal was taken for it. */
function takenFor(desk: Desk, target: Target): ProposalRecord | null {
  const record = readRecord(desk.folder, hashOf(target.base))
  return record?.state === 'taken' && record.skill === target.skill ? record : null
}

async function onFault(desk: Desk, signal: Signal, runtime: Runtime): Promise<Action | null> {
  const skill = fieldText(signal.payload.skill)
  const target = targetOf(desk, skill)
  if (target?.kind !== 'change') return null
  const problem = signal.payload.text ?? ''
  const record = takenFor(desk, target)
  if (record !== null) {
    await takeBack(desk, runtime, record, problem)
    const text = `The proposal that was taken for ${skill} failed, so the text before it is back: ${problem}`
    const { payload } = messageAction(text)
    runtime.outbox.send({
      type: 'response',
      meta: { source: 'cli' },
      payload: { ...payload },
      depth: 0,
    })
    return null
  }
  const hash = hashOf(target.base)
  if (desk.when !== 'on-failure' || desk.asked.has(hash)) return null
  desk.asked.add(hash)
  const outcome = await propose(desk, runtime, signal, target, `It failed three times: ${problem}`)
  return outcome.kind === 'plan' ? planOf(outcome.record) : null
}

const unproven = 'Show the token first: a model is asked for the owner only.'

async function onImprove(desk: Desk, signal: Signal, runtime: Runtime): Promise<Action> {
  if (signal.meta.isUnproven === true) return messageAction(unproven)
  const skill = fieldText(signal.payload.skill).slice(0, 300)
  const target = targetOf(desk, skill)
  if (target === null) return messageAction(`There is no document of a skill called ${skill}.`)
  const words = signal.payload.text ?? ''.slice(0, 4_000)
  const outcome = await propose(desk, runtime, signal, target, words)
  return outcome.kind === 'plan' ? planOf(outcome.record) : messageAction(outcome.text)
}

async function onCreate(desk: Desk, signal: Signal, runtime: Runtime): Promise<Action> {
  if (signal.meta.isUnproven === true) return messageAction(unproven)
  const skill = fieldText(signal.payload.skill)
  const words = signal.payload.text ?? ''.slice(0, 4_000)
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(skill)) {
    return messageAction('Expected a name in lower case with dashes.')
  }
  if (words.trim() === '') return messageAction('Expected a description of what the skill is for.')
  if (findDocument(desk.places, skill) !== null) {
    return messageAction(`There is a skill called ${skill} already.`)
  }
  const outcome = await propose(desk, runtime, signal, newTarget(desk, skill), words)
  return outcome.kind === 'plan' ? planOf(outcome.record) : messageAction(outcome.text)
}

async function keepPatch(
  desk: Desk,
  runtime: Runtime,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  const found = recordFor(desk, args)
  if (found?.record.kind !== 'patch') {
    return {
      status: 'error',
      message: 'The proposal is not what was reviewed; nothing was written.',
    }
  }
  const { base, proposed, record } = found
  const name = `${basename(record.skill, '.org')}-${record.proposal.slice(0, 8)}.patch`
  const path = join(desk.folder, name)
  rmSync(path, { force: true })
  writeNewFile(path, patchOf(record.skill, base, proposed))
  keepRecord(desk.folder, { ...record, state: 'taken' })
  reviewedOf(desk).delete(keyOf(record))
  step(runtime, record.skill, { kind: 'improve-patch', fields: { proposal: record.proposal } })
  const content = `${path}\nIn the repository: git apply ${path} && npm run tangle && npm test`
  return { status: 'success', content }
}

/** The difference as ~git apply~ reads it. */
function patchOf(path: string, base: string, proposed: string): string {
  const [, , ...pieces] = diffOf(path, base.replace(/\n$/, ''), proposed.replace(/\n$/, '')).split(
    '\n',
  )
  return [`--- a/${path}`, `+++ b/${path}`, ...pieces, ''].join('\n')
}

function improveTool(
  name: string,
  description: string,
  parts: Pick<Tool, 'preview' | 'run'>,
): Tool {
  const common = {
    parameters: swapArguments,
    readOnly: false,
    permission: 'ask',
    timeoutMs: 120_000,
  }
  return { name, description, ...common, ...parts } as Tool
}

/** The skill that mends skills. */
export function createSelfImprove(options: ImproveOptions): Skill {
  const folder = versionsFolder(options.stateDir)
  const desk: Desk = { ...options, folder, reviewed: null, asked: new Set() }
  const shown = (args: Record<string, unknown>) => preview(desk, args)
  return defineSkill({
    name: 'self-improve',
    description: 'Has a model propose repairs of skills, and the owner decide.',
    gates: [improveGate],
    facts: () => reviewedOf(desk),
    tools: [
      improveTool('swap-skill', 'Puts a reviewed proposal in the place of a skill’s document.', {
        preview: shown,
        run: (args, { runtime }) => take(desk, runtime, args),
      }),
      improveTool(
        'keep-patch',
        'Keeps a reviewed proposal for a document of the book as a patch.',
        {
          preview: shown,
          run: (args, { runtime }) => keepPatch(desk, runtime, args),
        },
      ),
    ],
    hiddenTools: () => [...tools],
    sensors: {
      'skill-improve': (signal, runtime) => onImprove(desk, signal, runtime),
      'skill-create': (signal, runtime) => onCreate(desk, signal, runtime),
      'job-skill-fault': (signal, runtime) => onFault(desk, signal, runtime),
    },
  })
}
