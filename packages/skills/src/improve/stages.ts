import {
  type Action,
  type Contribution,
  type formatSkillProblem,
  type JailLimits,
  onOneLine,
  readSkillDocument,
  type SkillDocument,
  type SkillOrigin,
  type Trial,
  trySkill,
} from '@passepartout/core'
import { dangerousActions, gateDifferences, gateFindings, ownActions, reachOf } from './attacks.ts'
import { type CodeShape, codeShape, compareDocuments } from './compare.ts'
import { type Finding, note, refusal } from './finding.ts'
import { newReads } from './reads.ts'
import { skillStyle } from './skill-standards.ts'
import { skillTypes } from './skill-types.ts'

/** The stages, in their order. */
const stageNames = ['read', 'compare', 'style', 'types', 'tests', 'gates', 'attacks'] as const

/** One stage and what it found. */
interface Stage {
  name: (typeof stageNames)[number]
  /** Not reached when an earlier one refused. */
  state: 'passed' | 'refused' | 'not reached'
  refusals: Objection[]
  notes: Objection[]
}

/** What a stage has found. */
interface Objection {
  rule: Finding['rule'] | 'unreadable' | 'style-worse' | 'types-wrong' | 'tests-fail'
  message: string
}

/** What came of a proposal. */
export interface Review {
  stages: Stage[]
  /** No stage has refused. */
  accepted: boolean
  /** The proposed document, when it could be read. */
  document: SkillDocument | null
  /** Tests that failed before and pass now. */
  mended: string[]
  /** How many tests pass now. */
  passing: number
}

/** A proposal and what it is to be compared with. */
interface ProposalText {
  name: string
  path: string
  /** Empty for a new skill. */
  base: string
  proposed: string
  from: SkillOrigin
  limits?: Partial<JailLimits>
  /** More dangerous actions than those of the house's rules. */
  attacks?: readonly Action[]
}

/** A line for each stage, and one for each thing that was found. */
export function reviewLines({ mended, passing, stages }: Review): string[] {
  const lines = stages.flatMap(({ name, notes, refusals, state }) => [
    `${name}: ${state}`,
    ...refusals.map(({ message, rule }) => `  REFUSED ${rule}: ${oneLine(message)}`),
    ...notes.map(({ message, rule }) => `  LOOK AT ${rule}: ${oneLine(message)}`),
  ])
  const tests = `${passing} tests pass`
  return [...lines, mended.length === 0 ? tests : `${tests}; mended: ${oneLine(mended.join(', '))}`]
}

function oneLine(text: string): string {
  return onOneLine(text).slice(0, 1_000)
}

/** Judges a proposal by all stages. Never runs it outside of a jail, and changes nothing. */
export async function reviewProposal(given: ProposalText): Promise<Review> {
  const { base, from, limits, path, proposed } = given
  const stages = new Map(stageNames.map((name) => [name, emptyStage(name)]))
  const review: Review = {
    stages: [...stages.values()],
    accepted: false,
    document: null,
    mended: [],
    passing: 0,
  }
  const put = (name: Stage['name'], refusals: Objection[], notes: Objection[] = []) => {
    const stage = stages.get(name)!
    stage.refusals.push(...refusals)
    stage.notes.push(...notes)
    stage.state = stage.refusals.length === 0 ? 'passed' : 'refused'
  }
  const isGood = () => review.stages.every(({ state }) => state !== 'refused')
  const read = readSkillDocument(proposed, path)
  put('read', read.ok ? [] : read.problems.map((each) => objection('unreadable', each)))
  const compared = [
    ...(await compareDocuments(base, proposed)),
    ...(await newReads(base, proposed)),
  ]
  put('compare', ...divided(compared))
  put('style', worse(styleCounts(base), styleCounts(proposed)))
  if (read.ok) put('types', await newTypeProblems(base, proposed))
  if (!read.ok || !isGood()) return review
  review.document = read.document
  const old = base === '' ? null : readSkillDocument(base, path)
  const shapes = { old: await codeShape(base), next: await codeShape(proposed) }
  const before = old?.ok ? await trySkill(old.document, from, limits) : null
  const after = await trySkill(read.document, from, limits)
  const isRewritten = old?.ok && shapes.old.testCode !== shapes.next.testCode
  const asWritten = isRewritten
    ? await trySkill({ ...read.document, tests: old.document.tests }, from, limits)
    : after
  review.passing = after.passed.length
  review.mended = after.passed.filter(
    (test) => shapes.old.tests.includes(test) && before?.passed.includes(test) === false,
  )
  const [refusals, notes] = divided([...ranFindings(shapes, { before, after, asWritten })])
  put('tests', [...trialObjections(before, after), ...refusals], notes)
  put('gates', ...divided(contributionFindings(shapes, before, after)))
  if (!isGood()) return review
  const basis = old?.ok && before !== null ? { document: old.document, trial: before } : null
  put(
    'attacks',
    ...divided(await attacked(given, basis, { document: read.document, trial: after })),
  )
  review.accepted = isGood()
  return review
}

function emptyStage(name: Stage['name']): Stage {
  return { name, state: 'not reached', refusals: [], notes: [] }
}

function divided(findings: readonly Finding[]): [Objection[], Objection[]] {
  const of = (wanted: Finding['kind']) =>
    findings.flatMap(({ kind, message, rule }) => (kind === wanted ? [{ rule, message }] : []))
  return [of('refusal'), of('note')]
}

function objection(
  rule: Objection['rule'],
  problem: Parameters<typeof formatSkillProblem>[0],
): Objection {
  return { rule, message: `line ${problem.line}: ${problem.message}` }
}

type Counts = Map<string, { count: number; message: string }>

function counted(found: readonly { key: string; message: string }[]): Counts {
  const counts: Counts = new Map()
  for (const { key, message } of found) {
    counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, message })
  }
  return counts
}

function styleCounts(text: string): Counts {
  if (text === '') return new Map()
  return counted(
    skillStyle(text).map(({ line, message, rule }) => ({
      key: rule,
      message: `${rule}, line ${line}: ${message}`,
    })),
  )
}

function worse(
  before: Counts,
  after: Counts,
  rule: Objection['rule'] = 'style-worse',
): Objection[] {
  return [...after].flatMap(([key, { count, message }]) =>
    count > (before.get(key)?.count ?? 0) ? [{ rule, message }] : [],
  )
}

async function newTypeProblems(base: string, proposed: string): Promise<Objection[]> {
  const of = async (text: string) =>
    counted(
      (text === '' ? [] : await skillTypes(text)).map(({ line, message }) => ({
        key: message,
        message: `line ${line}: ${message}`,
      })),
    )
  const after = await of(proposed)
  return after.size === 0 ? [] : worse(await of(base), after, 'types-wrong')
}

function trialObjections(before: Trial | null, after: Trial): Objection[] {
  const failed = after.problems.map((problem) => objection('tests-fail', problem))
  const fewer = after.passed.flatMap((name): Objection[] => {
    const known = before?.passed.includes(name) ? (before.looked[name] ?? 0) : 1
    const isKnown = before === null || Object.hasOwn(before.looked, name)
    const looked = after.looked[name] ?? 0
    if (looked >= known || (looked > 0 && !isKnown)) return []
    const message = `the test “${name}” looks at ${looked} expectations, and should at ${known}`
    return [{ rule: 'tests-weakened', message }]
  })
  return [...failed, ...fewer]
}

interface Shapes {
  old: CodeShape
  next: CodeShape
}

interface Trials {
  /** Null when the base cannot be read. */
  before: Trial | null
  after: Trial
  /** The new code with the tests as they were. */
  asWritten: Trial
}

function* ranFindings({ old, next }: Shapes, trials: Trials): Generator<Finding> {
  const { after, asWritten, before } = trials
  const hasCode = next.code.trim() !== ''
  if (hasCode && after.passed.length === 0 && after.problems.length === 0) {
    yield refusal('no-tests', 'no test of it has run')
  }
  const named = new Set([...old.tests, ...(before?.passed ?? []), ...next.tests])
  for (const name of after.problems.length === 0 ? named : []) {
    if (!after.passed.includes(name)) {
      yield refusal('tests-not-run', `the test “${name}” was not run`)
    }
  }
  const failed = old.tests.filter((name) => before?.passed.includes(name) === false)
  if (failed.length > 0 && old.code === next.code) {
    yield refusal('code-unchanged', `the code is as it was, and failed: ${failed.join(', ')}`)
  }
  if (before === null && old.tests.length > 0 && old.testCode !== next.testCode) {
    yield note('old-test-fails', 'the tests were changed, and cannot be tried as they were')
  }
  if (asWritten === after) return
  const isLoaded = asWritten.contributions.length === after.contributions.length
  for (const name of old.tests) {
    if (asWritten.passed.includes(name)) continue
    const how = `the test “${name}” as it was fails with the new code`
    if (isLoaded && !failed.includes(name)) yield note('old-test-fails', how)
    else yield refusal('mended-by-its-test', how)
  }
}

function contributionFindings(
  { next: { parts }, old: text }: Shapes,
  before: Trial | null,
  after: Trial,
): Finding[] {
  const key = ({ kind, name }: Contribution) => `${kind} ${name}`
  const old = new Map((before?.contributions ?? []).map((each) => [key(each), each]))
  const next = new Map(after.contributions.map((each) => [key(each), each]))
  const findings: Finding[] = []
  for (const [name, was] of old) findings.push(...contributionChange(name, was, next.get(name)))
  for (const [name, priority] of text.gates) {
    if (!old.has(`gate ${name}`)) findings.push(...writtenGate(name, priority, next))
  }
  for (const name of next.keys()) {
    if (!old.has(name)) findings.push(note('brings-more', `new: ${name}`))
  }
  const unread = [...next.keys()].filter((name) => !parts?.includes(name))
  if (unread.length > 0) {
    const what = `${unread.join(', ')} cannot be read off the text; read all of the code`
    findings.push(note('code-changed', what))
  }
  return findings
}

function* contributionChange(
  name: string,
  was: Contribution,
  is: Contribution | undefined,
): Generator<Finding> {
  if (is === undefined) {
    const gone = `the ${name} is gone`
    yield was.kind === 'gate' ? refusal('gate-weakened', gone) : note('brings-more', gone)
  } else if (was.kind === 'gate' && is.kind === 'gate' && is.priority !== was.priority) {
    const message = `the ${name} has the priority ${is.priority}, and had ${was.priority}`
    yield refusal('gate-weakened', message)
  } else if (was.kind === 'job' && is.kind === 'job' && is.cron !== was.cron) {
    yield note('brings-more', `the ${name} runs at ${is.cron}`)
  } else if (JSON.stringify(was) !== JSON.stringify(is)) {
    yield note('tool-changed', `the ${name} is described as ${JSON.stringify(is)}`)
  }
}

function* writtenGate(
  name: string,
  priority: string,
  next: ReadonlyMap<string, Contribution>,
): Generator<Finding> {
  const is = next.get(`gate ${name}`)
  if (is === undefined) yield refusal('gate-weakened', `the gate ${name} is gone`)
  else if (is.kind === 'gate' && /^-?\d+$/.test(priority) && is.priority !== Number(priority)) {
    const message = `the gate ${name} has the priority ${is.priority}, and had ${priority}`
    yield refusal('gate-weakened', message)
  }
}

interface Tried {
  document: SkillDocument
  trial: Trial
}

async function attacked(given: ProposalText, old: Tried | null, next: Tried): Promise<Finding[]> {
  const { attacks = [], base, limits, proposed } = given
  const findings: Finding[] = []
  const gates = gatesOf(old).filter((gate) => gatesOf(next).includes(gate))
  if (old !== null && gates.length > 0) {
    const ask = (actions: readonly Action[]) =>
      gateDifferences(old.document, next.document, gates, actions, limits)
    const wasBroken = old.trial.problems.length > 0
    const dangers = await ask([...dangerousActions(), ...attacks])
    findings.push(...gateFindings(dangers, { isOwn: false, wasBroken }))
    const own = await ask(await ownActions(base, proposed))
    findings.push(...gateFindings(own, { isOwn: true, wasBroken }))
  }
  const reach = await reachOf(next.document, next.trial.contributions, limits)
  const reached = old === null ? null : await reachOf(old.document, old.trial.contributions, limits)
  for (const [name, asked] of reach) {
    const known = reached?.get(name)
    for (const [tool, texts] of asked) {
      const isGranted = next.document.capabilities.includes(`call:${tool}`)
      const isKnown = known === undefined || [...texts].every((at) => known.get(tool)?.has(at))
      if (isGranted && isKnown) continue
      const message = `the ${name} called ${tool} when it was given hostile words`
      findings.push({ rule: 'reaches-further', kind: 'refusal', message })
    }
  }
  return findings
}

function gatesOf(tried: Tried | null): string[] {
  return (tried?.trial.contributions ?? []).flatMap(({ kind, name }) =>
    kind === 'gate' ? name : [],
  )
}

/** Judges a proposal for a document of the book, without running anything of it. */
export async function reviewPatch(base: string, proposed: string): Promise<Review> {
  const stages = stageNames.map(emptyStage)
  const review: Review = { stages, accepted: false, document: null, mended: [], passing: 0 }
  const put = (name: Stage['name'], [refusals, notes]: [Objection[], Objection[]]) => {
    const stage = stages.find((each) => each.name === name)!
    Object.assign(stage, { refusals, notes, state: refusals.length === 0 ? 'passed' : 'refused' })
  }
  put('compare', divided(await compareDocuments(base, proposed)))
  put('gates', divided(gateTexts(base, proposed)))
  review.accepted = stages.every(({ state }) => state !== 'refused')
  return review
}

function gateTexts(base: string, proposed: string): Finding[] {
  const all = (text: string, pattern: RegExp) => (text.match(pattern) ?? []).join(' ')
  const findings: Finding[] = []
  const refuse = (message: string) =>
    findings.push({ rule: 'gate-weakened', kind: 'refusal', message })
  const priorities = /\bpriority:\s*-?\d+/g
  if (all(base, priorities) !== all(proposed, priorities)) refuse('a priority has changed')
  const noes = /\bkind:\s*'(?:reject|approval)'/g
  if (all(base, noes) !== all(proposed, noes)) refuse('a gate says no in other places than before')
  return findings
}
