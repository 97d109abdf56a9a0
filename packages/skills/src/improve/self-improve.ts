import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type Action,
  type ConfigSection,
  defineSection,
  defineSkill,
  diffOf,
  fieldText,
  type Gate,
  messageAction,
  oneOf,
  type Runtime,
  readGrants,
  readSkillDocument,
  type Signal,
  type Skill,
  type Tool,
  type ToolResult,
  writeGrant,
  writeNewFile,
} from '@passepartout/core'
import { z } from 'zod'
import {
  findDocument,
  hashOf,
  keepRecord,
  type ProposalRecord,
  readRecord,
  readText,
  SwapError,
  swapDocument,
} from './keeping.ts'
import {
  type Desk,
  type ImproveOptions,
  type ImproveWhen,
  judge,
  keyOf,
  newTarget,
  propose,
  reviewedOf,
  shownText,
  step,
  type Target,
  targetOf,
} from './proposing.ts'
import { keepVersion, versionsFolder } from './skill-versions.ts'

/** The section about it. */
export const improveSection: ConfigSection<ImproveWhen> = defineSection({
  marker: 'SELF_IMPROVE',
  properties: z.object({ SELF_IMPROVE: oneOf('on-request', 'on-failure') }),
  read: ({ SELF_IMPROVE }) => SELF_IMPROVE,
})

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
  const words = (signal.payload.text ?? '').slice(0, 4_000)
  const outcome = await propose(desk, runtime, signal, target, words)
  return outcome.kind === 'plan' ? planOf(outcome.record) : messageAction(outcome.text)
}

async function onCreate(desk: Desk, signal: Signal, runtime: Runtime): Promise<Action> {
  if (signal.meta.isUnproven === true) return messageAction(unproven)
  const skill = fieldText(signal.payload.skill)
  const words = (signal.payload.text ?? '').slice(0, 4_000)
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
