import {
  type Action,
  commandName,
  defineSkill,
  diffOf,
  editError,
  editFiles,
  type JobWord,
  type MemoryObject,
  type NoteEdit,
  type Runtime,
  type Skill,
  type Snapshot,
  sightOf,
  type Tool,
  type ToolResult,
  tellOwner,
} from '@passepartout/core'
import { parse, walk } from 'org-ast'
import { applyPatches, deleteProperty, ensureId, type Patch } from 'org-ast/edit'
import { z } from 'zod'
import { headlineOf } from '../notes/task-edit.ts'
import { archiveNote } from '../notes/task-moves.ts'
import {
  type ArchivistSettings,
  openProposals,
  type Proposals,
  type RepairKind,
  repairKinds,
} from './archivist.ts'
import { type Finding, goRound, type Repair } from './garden-findings.ts'

interface Round {
  steps: Generator<Finding | null, void>
  findings: Finding[]
  files: Snapshot['files']
  begun: number
}

interface Desk {
  readonly runtime: Runtime
  readonly settings: ArchivistSettings
  readonly proposals: Proposals
  round: Round | null
  /** What the last whole round has found, when it began, and in which notes. */
  last: Pick<Round, 'findings' | 'files' | 'begun'> | null
  /** The owner has asked for a round. */
  isWanted: boolean
}

const sliceMs = 50
const hourMs = 3_600_000
const dayMs = 24 * hourMs

function patienceOf({ archiveAfter, staleAfter }: ArchivistSettings) {
  return { archive: archiveAfter, stale: staleAfter }
}

function isDue({ isWanted, last, runtime }: Desk, now: number): boolean {
  if (isWanted || last === null) return true
  const age = now - last.begun
  const isChanged = runtime.store.snapshot().files !== last.files
  return age < 0 || age >= dayMs || (isChanged && age >= hourMs)
}

function walkOn(desk: Desk): JobWord[] {
  const { runtime, settings } = desk
  const now = runtime.clock.now().getTime()
  if (!settings.isOn || (desk.round === null && !isDue(desk, now))) return []
  const { files } = runtime.store.snapshot()
  const steps = () => goRound(runtime, now, patienceOf(settings))
  desk.round ??= { steps: steps(), findings: [], files, begun: now }
  const { round } = desk
  const until = performance.now() + sliceMs
  let step = round.steps.next()
  for (; step.done !== true; step = round.steps.next()) {
    if (step.value !== null) round.findings.push(step.value)
    if (performance.now() >= until && !desk.isWanted) return []
  }
  desk.last = round
  desk.round = null
  return proposed(desk, now)
}

const monthMs = 30 * dayMs
const changesMax = 20

function proposed(desk: Desk, now: number): JobWord[] {
  const { isWanted, proposals, settings } = desk
  desk.isWanted = false
  const open = openChanges(desk)
  return repairKinds.flatMap((kind): JobWord[] => {
    const isFree = settings.automatic.includes(kind) || isWanted
    if (!isFree && proposals.was(`kind ${kind}`, now - dayMs)) return []
    const keys = repairsOf(desk.last?.findings ?? [], kind)
      .map(({ key }) => key)
      .filter((key) => (isWanted ? !open.has(key) : !proposals.was(key, now - monthMs)))
      .slice(0, changesMax)
    if (keys.length === 0) return []
    for (const key of [...keys, `kind ${kind}`]) proposals.note(key, now)
    return [{ payload: { sensor: 'job-garden', kind, keys } }]
  })
}

/** The findings that the owner is being asked about. */
function openChanges({ runtime }: Desk): Set<unknown> {
  const names = new Set(Object.values(toolNames))
  const asked = runtime.approvals.open().map(({ action }) => action.payload)
  return new Set(
    asked.flatMap(({ args, tool = '' }) => (names.has(tool) ? [args?.changes].flat() : [])),
  )
}

function repairsOf(findings: readonly Finding[], kind: RepairKind): Finding[] {
  return findings.filter(({ isPrivate, repair }) => !isPrivate && repair?.kind === kind)
}

const toolNames: Record<RepairKind, string> = {
  links: 'repair-links',
  ids: 'repair-ids',
  archive: 'archive-done',
}

const reasons: Record<RepairKind, string> = {
  links: 'The gardener has found links that lead nowhere, and where they may have led',
  ids: 'The gardener has found notes whose id is missing, lost, or another one’s',
  archive: 'The gardener has found tasks that were done long ago',
}

const wordSchema = z.object({ kind: z.enum(repairKinds), keys: z.array(z.string()).min(1) })

function wish(payload: unknown): Action | null {
  const read = wordSchema.safeParse(payload)
  if (!read.success) return null
  const { keys, kind } = read.data
  const explanation = `${reasons[kind]}: ${keys.length}.`
  const call = { action: 'call', tool: toolNames[kind], args: { changes: keys }, explanation }
  return { type: 'request', target: 'tool', payload: call }
}

const changesSchema = z.object({
  changes: z
    .array(z.string().regex(/^[0-9a-f]{12}$/))
    .min(1)
    .max(changesMax)
    .describe('the names of findings, from a garden report'),
})

function wanted(desk: Desk, args: Record<string, unknown>, kind: RepairKind): Finding[] {
  const keys = new Set(changesSchema.parse(args).changes)
  return repairsOf(findEverywhere(desk.runtime, desk.settings), kind).filter(({ key }) =>
    keys.has(key),
  )
}

/** Everything that there is to be found, at once. */
export function findEverywhere(
  runtime: Pick<Runtime, 'store' | 'indexes' | 'memex' | 'clock'>,
  settings: ArchivistSettings,
): Finding[] {
  const now = runtime.clock.now().getTime()
  return [...goRound(runtime, now, patienceOf(settings))].filter((step) => step !== null)
}

function editsFor(
  { store }: Pick<Runtime, 'store'>,
  repairs: readonly Finding[],
  read: (path: string) => string,
): NoteEdit[] {
  const byFile = new Map<string, [MemoryObject, Repair][]>()
  for (const { repair } of repairs) {
    const note = repair === null ? null : store.get(repair.note)
    if (note === null || repair === null) continue
    byFile.set(note.file, [...(byFile.get(note.file) ?? []), [note, repair]])
  }
  return [...byFile].map(([path, changes]) => {
    const text = read(path)
    const patches = changes.flatMap(([note, repair]) => patchesFor(store, text, note, repair))
    return { path, text, patches: apart(patches) }
  })
}

function patchesFor(
  store: Runtime['store'],
  text: string,
  note: MemoryObject,
  repair: Repair,
): Patch[] {
  const tree = parse(text)
  if (repair.kind === 'ids') {
    const headline = headlineOf(tree, note)
    return repair.id === null
      ? deleteProperty(text, headline, 'ID')
      : ensureId(text, headline, repair.id)
  }
  if (repair.kind !== 'links') return []
  const { from, to } = repair
  const end = store.get(note.children[0] ?? '')?.begin ?? note.end
  const patches: Patch[] = []
  walk(tree, (node) => {
    if (node.type !== 'link' || node.rawLink !== from || node.format !== 'bracket') return
    if (node.startOffset < note.begin || node.startOffset >= end) return
    const begin = text.indexOf(from, node.startOffset)
    patches.push({ begin, end: begin + from.length, text: to })
  })
  return patches
}

/** The patches without those that touch one before them. */
function apart(patches: readonly Patch[]): Patch[] {
  const kept: Patch[] = []
  for (const patch of patches) {
    const isClear = kept.every(({ begin, end }) => patch.end < begin || patch.begin > end)
    if (isClear) kept.push(patch)
  }
  return kept
}

type Ask = { kind: RepairKind; deskOf: (runtime: Runtime) => Desk; permission: 'allow' | 'ask' }

function repairTool({ deskOf, kind, permission }: Ask, description: string): Tool {
  const name = toolNames[kind]
  const change: Tool = {
    name,
    description,
    parameters: changesSchema,
    readOnly: false,
    reach: 'notes',
    permission,
    async preview(args, { runtime }) {
      const repairs = wanted(deskOf(runtime), args, kind)
      const edits = editsFor(runtime, repairs, (path) => runtime.memex.read(path))
      const diffs = edits.map(({ path, patches, text }) =>
        diffOf(path, text ?? '', applyPatches(text ?? '', patches)),
      )
      return diffs.filter(Boolean).join('\n') || null
    },
    async run(args, { runtime }) {
      const repairs = wanted(deskOf(runtime), args, kind)
      if (repairs.length === 0) return nothingLeft
      try {
        const label = `repaired ${repairs.length} of the gardener’s findings`
        await editFiles(runtime, label, (read) =>
          editsFor(runtime, repairs, (path) => read(path).text),
        )
      } catch (error) {
        return editError(error)
      }
      return done(repairs)
    },
  }
  return change
}

const nothingLeft: ToolResult = {
  status: 'success',
  content: 'Nothing had to be done; the notes have changed since.',
}

function done(repairs: readonly Finding[]): ToolResult {
  const lines = repairs.map(({ file, line, what }) => `  ${file}:${line} ${what}`)
  return { status: 'success', content: `Repaired:\n${lines.join('\n')}\n“undo” takes it back.` }
}

function archiveTool({ deskOf, permission }: Omit<Ask, 'kind'>): Tool {
  return {
    name: toolNames.archive,
    parameters: changesSchema,
    readOnly: false,
    reach: 'notes',
    permission,
    description: 'Archives tasks that were done long ago, by the names of a garden report.',
    async run(args, { runtime }) {
      const { settings } = deskOf(runtime)
      const keys = new Set(changesSchema.parse(args).changes)
      const found = repairsOf(findEverywhere(runtime, settings), 'archive')
      const repairs = found.filter(({ key }) => keys.has(key))
      if (repairs.length === 0) return nothingLeft
      const ids = repairs.flatMap(({ repair }) => repair?.note ?? [])
      try {
        for (const id of ids) {
          const note = runtime.store.get(id)
          if (note !== null) await archiveNote(runtime, note)
        }
      } catch (error) {
        return editError(error)
      }
      return done(repairs)
    },
  }
}

const linesMax = 40

function report(desk: Desk, runtime: Runtime): string {
  const all = findEverywhere(runtime, desk.settings).filter(({ isPrivate }) => !isPrivate)
  if (all.length === 0) return 'The garden is tidy.'
  const sight = sightOf(runtime.store)
  const lines = all.slice(0, linesMax).map(({ file, key, kind, line, repair, what }) => {
    const name = repair === null ? '' : `  [${key}]`
    return `${file}:${line}  ${kind}: ${sight.text(what, file)}${name}`
  })
  const more =
    all.length > linesMax ? `\nand ${all.length - linesMax} more: ${commandName} garden` : ''
  return `${lines.join('\n')}${more}`
}

function reportTool(deskOf: (runtime: Runtime) => Desk): Tool {
  const parameters = z.object({
    propose: z.boolean().default(false).describe('have the repairs proposed now'),
  })
  return {
    name: 'garden-report',
    parameters,
    readOnly: true,
    timeoutMs: 60_000,
    description: 'Lists broken links, lost ids, twins, stale and old tasks, and missing files.',
    async run(args, { runtime }) {
      const desk = deskOf(runtime)
      const text = report(desk, runtime)
      if (!parameters.parse(args).propose || !desk.settings.isOn)
        return { status: 'success', content: text }
      desk.isWanted = true
      const content = `${text}\nWhat can be repaired is proposed within a minute, in flight-plans.org.`
      return { status: 'success', content }
    },
  }
}

/** The skill that looks after the notes; `path` is where it keeps what was proposed. */
export function createGardener(settings: ArchivistSettings, path: string): Skill {
  const desks = new WeakMap<Runtime['approvals'], Desk>()
  const deskOf = (runtime: Runtime): Desk => {
    const known = desks.get(runtime.approvals)
    if (known !== undefined) return known
    const desk = {
      runtime,
      settings,
      proposals: openProposals(path, (sentence) => tellOwner(runtime, sentence)),
      round: null,
      last: null,
      isWanted: false,
    }
    desks.set(runtime.approvals, desk)
    return desk
  }
  const ask = (kind: RepairKind): Ask => {
    return { kind, deskOf, permission: settings.automatic.includes(kind) ? 'allow' : 'ask' }
  }
  return defineSkill({
    name: 'gardener',
    description: 'Finds what is broken or overgrown in the notes, and proposes repairs.',
    offeredFor: ['broken', 'links', 'stale', 'twins'],
    tools: [
      repairTool(ask('links'), 'Repairs broken links, by the names of a garden report.'),
      repairTool(
        ask('ids'),
        'Gives notes the ids they should have, by the names of a garden report.',
      ),
      archiveTool(ask('archive')),
      reportTool(deskOf),
    ],
    sensors: { 'job-garden': ({ payload }) => wish(payload) },
    jobs: [
      { name: 'walk', when: { everyMs: 60_000 }, payload: (runtime) => walkOn(deskOf(runtime)) },
    ],
  })
}
