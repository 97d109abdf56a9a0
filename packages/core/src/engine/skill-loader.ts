import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { settle } from '../approval/verify.ts'
import type { Gate } from '../contract/gate.ts'
import { type NamedParts, takenNames } from '../contract/reserved-names.ts'
import { type Action, messageAction, type Signal } from '../contract/signal.ts'
import { GateJail } from '../jail/gate-jail.ts'
import { tell } from '../pipeline/act.ts'
import { gateContext } from '../pipeline/gate-context.ts'
import type { Runtime, Skill, Tool } from '../pipeline/runtime.ts'
import { defineSkill } from '../pipeline/skill.ts'
import { suspend } from '../pipeline/suspend.ts'
import { type Changed, watchFolder } from '../upkeep/memex-watch.ts'
import { questionIn } from '../wire/session-state.ts'
import {
  cellsOf,
  collision,
  type Desk,
  ended,
  fail,
  faultsMax,
  leave,
  putIn,
  readStates,
  runJob,
  type SkillEngineOptions,
  type SkillStatus,
  setStatus,
  standIn,
  takeOut,
  tellTwins,
  workOf,
  writeStates,
} from './running-skills.ts'
import { missingCapabilities, type SkillDocument, type SkillProblem } from './skill-document.ts'
import { type Grant, readGrants, type SkillOrigin, writeGrant } from './skill-grants.ts'
import { type FoundSkill, inSkillOrder, readSkillFolders } from './skill-order.ts'
import { panelOf, type RunningSkill, skillOf } from './skill-parts.ts'
import { problemOf, trySkill } from './skill-trial.ts'

type Decision =
  | { kind: 'load'; from: SkillOrigin }
  | { kind: 'disabled' }
  | { kind: 'ask'; missing: string[] }

function decide({ document, isOwners }: FoundSkill, grant: Grant | undefined): Decision {
  if (grant === undefined) return { kind: 'ask', missing: [...document.capabilities] }
  if (!grant.isEnabled) return { kind: 'disabled' }
  const missing = missingCapabilities(document.capabilities, grant.capabilities)
  const isMeant = isOwners || grant.hash === document.hash
  if (missing.length > 0 || !isMeant) return { kind: 'ask', missing }
  return { kind: 'load', from: grant.from }
}

function withdraw(desk: Desk, grants: ReadonlyMap<string, Grant>): void {
  for (const [name, { running }] of [...desk.running]) {
    const grant = grants.get(name)
    if (isCovered(desk, running, grant)) continue
    takeOut(desk, name)
    desk.faults.delete(name)
    const hadGate = running.contributions.some(({ kind }) => kind === 'gate')
    if (hadGate && coversGates(grant)) standIn(desk, name)
  }
  for (const name of [...desk.standIns.keys()]) {
    if (!coversGates(grants.get(name))) leave(desk, name)
  }
}

function coversGates(grant: Grant | undefined): boolean {
  return grant?.isEnabled === true && grant.capabilities.includes('gates')
}

/** Whether the grant is still one for the version that runs. */
function isCovered({ options }: Desk, running: RunningSkill, grant: Grant | undefined): boolean {
  if (grant?.isEnabled !== true) return false
  const { capabilities, hash, name, path } = running.document
  const isOwners = options.folders.some(
    (each) => each.isOwners && join(each.path, `${name}.org`) === path,
  )
  return (
    missingCapabilities(capabilities, grant.capabilities).length === 0 &&
    (isOwners || grant.hash === hash) &&
    (grant.from === 'owner' || running.from === 'elsewhere')
  )
}

function stopDependants(desk: Desk): void {
  let isStopped = true
  while (isStopped) {
    isStopped = false
    for (const [name, { running }] of [...desk.running]) {
      const problems = neededOf(desk, running.document)
      if (problems.length === 0) continue
      takeOut(desk, name)
      fail(desk, name, problems, null, running.document, running.from)
      isStopped = true
    }
  }
}

const engineSignal: Signal = {
  type: 'event',
  meta: { source: 'cli', origin: 'tool' },
  payload: { sensor: 'skill-engine' },
  depth: 0,
}

async function askOwner(desk: Desk, found: FoundSkill, missing: readonly string[]): Promise<void> {
  const { capabilities, hash, name, path } = found.document
  const key = `${name} ${hash} ${missing.join(' ')}`
  const { runtime } = desk
  if (runtime === null || desk.asked.has(key)) return
  desk.asked.add(key)
  const from = found.isOwners ? 'owner' : 'elsewhere'
  const args = { skill: name, capabilities: capabilities.join(' '), from, hash }
  const explanation = `The skill ${name} in ${path} asks for: ${args.capabilities || 'nothing'}.`
  const payload = { action: 'call', tool: 'allow-skill', args, explanation }
  const action: Action = { type: 'request', target: 'tool', payload }
  const result = await settle(runtime.gates, action, gateContext(runtime, engineSignal))
  if (result.kind !== 'approval') runtime.log('warn', `${name} cannot be asked about`)
  else {
    const { text } = await suspend(runtime, engineSignal, result, false)
    tell(runtime, engineSignal, text, questionIn(runtime, text))
  }
}

/** Closes the questions about a skill, but for those about this hash. */
function closeQuestions({ asked, runtime }: Desk, name: string, hash: string | null): void {
  for (const { action, id, token } of runtime?.approvals.open() ?? []) {
    const { args, tool } = action.payload
    if (tool !== 'allow-skill' || args?.skill !== name || args.hash === hash) continue
    if (runtime?.approvals.take(token)) runtime.flightPlans.conclude(id, 'EXPIRED')
    for (const key of asked) if (key.startsWith(`${name} `)) asked.delete(key)
  }
}

const allowArguments = z.object({
  skill: z.string(),
  capabilities: z.string(),
  from: z.enum(['owner', 'elsewhere']),
  hash: z.string(),
})

function allowTool(desk: Desk): Tool {
  return {
    name: 'allow-skill',
    description: 'Grants a skill what it asks for. Only the owner can.',
    parameters: allowArguments,
    readOnly: false,
    permission: 'ask',
    async run(args) {
      const { capabilities, from, hash, skill } = allowArguments.parse(args)
      const found = readSkillFolders(desk.options.folders).skills
      const document = found.find((each) => each.document.name === skill)?.document
      if (document?.hash !== hash) {
        return {
          status: 'error',
          message: `${skill} has changed since; it will be asked about again`,
        }
      }
      const words = capabilities.split(' ').filter((word) => word !== '')
      const grant = { name: skill, capabilities: words, from, hash, isEnabled: true }
      writeGrant(desk.options.grantsPath, grant)
      const next = looked(desk)
      if (!desk.isLooking) await next
      const state = desk.status.get(skill)?.state ?? 'gone'
      return { status: 'success', content: `${skill} is ${state}.` }
    },
  }
}

const grantsGate: Gate = {
  name: 'skill-grants',
  priority: 590,
  check({ payload }, { signal }) {
    if (payload.tool !== 'allow-skill') return { kind: 'pass' }
    if (signal.payload.sensor !== 'skill-engine') {
      const reason = 'what a skill may do is granted by the owner and not by a proposal'
      return { kind: 'reject', reason, rule: 'skill-grants.not-yours' }
    }
    const reason = 'a skill asks for what it was not granted'
    return { kind: 'approval', reason, rule: 'skill-grants.ask' }
  },
}

function looked(desk: Desk, isForced = false): Promise<string[]> {
  stopNow(desk)
  const next = desk.last.then(async () => {
    desk.isLooking = true
    try {
      return await look(desk, isForced)
    } finally {
      desk.isLooking = false
    }
  })
  desk.last = next.catch(() => {})
  return next
}

async function look(desk: Desk, isForced: boolean): Promise<string[]> {
  const { options, runtime } = desk
  if (runtime === null) return []
  if (isForced) desk.faults.clear()
  const grants = readGrants(options.grantsPath)
  withdraw(desk, grants)
  const found = readSkillFolders(options.folders)
  const own = new Set([...desk.running.values()].map(({ skill }) => skill))
  const house = runtime.skills.filter((skill) => !own.has(skill))
  const taken = takenNames(withoutOwn(desk, runtime))
  const ordered = inSkillOrder(found, new Set(house.map(({ name }) => name)), taken)
  for (const name of [...desk.status.keys()]) {
    const isThere = found.skills.some(({ document }) => document.name === name)
    if (isThere || found.problems.has(name)) continue
    takeOut(desk, name)
    leave(desk, name)
    desk.status.delete(name)
    if (desk.states.delete(name)) writeStates(desk)
  }
  for (const [name, problems] of found.problems) fail(desk, name, problems, grants.get(name))
  for (const each of ordered) await consider(desk, each, grants.get(each.document.name))
  stopDependants(desk)
  for (const [name, problems] of found.twins) tellTwins(desk, name, problems)
  desk.tellJobs()
  return [...desk.status.values()].map(({ name, state }) => `${name}: ${state}`)
}

function stopNow(desk: Desk): void {
  try {
    if (desk.runtime !== null) withdraw(desk, readGrants(desk.options.grantsPath))
  } catch {
    // The look reads it again, and rejects with the reason.
  }
}

function withoutOwn({ running }: Desk, runtime: Runtime): NamedParts {
  const all = [...running.values()].map(({ skill }) => skill)
  const gates = new Set(all.flatMap((skill) => skill.gates ?? []))
  const tools = new Set(all.flatMap((skill) => (skill.tools ?? []).map(({ name }) => name)))
  return {
    ...runtime,
    skills: runtime.skills.filter((skill) => !all.includes(skill)),
    gates: runtime.gates.filter((gate) => !gates.has(gate)),
    tools: new Map([...runtime.tools].filter(([name]) => !tools.has(name))),
  }
}

async function consider(desk: Desk, found: FoundSkill, grant: Grant | undefined): Promise<void> {
  const { document } = found
  const { hash, name } = document
  const decision = decide(found, grant)
  const old = desk.running.get(name)?.running
  closeQuestions(desk, name, decision.kind === 'ask' ? hash : null)
  if (decision.kind === 'disabled') {
    desk.faults.delete(name)
    setStatus(desk, document, { state: 'disabled' })
  } else if (decision.kind === 'ask') {
    const state = old === undefined ? 'waiting' : 'stale'
    const from = old?.from ?? 'elsewhere'
    setStatus(desk, document, { state, from, running: old, missing: decision.missing })
    await askOwner(desk, found, decision.missing)
  } else {
    const { from } = decision
    const faults = desk.faults.get(name)
    if (old?.document.hash === hash && old.from === from) {
      setStatus(desk, document, { state: 'running', from, running: old })
    } else if (faults?.hash !== hash || faults.count < faultsMax)
      await replace(desk, document, from)
  }
}

async function replace(desk: Desk, document: SkillDocument, from: SkillOrigin): Promise<void> {
  const { name, path } = document
  const problems = neededOf(desk, document)
  const trial = problems.length > 0 ? null : await trySkill(document, from, desk.options.limits)
  problems.push(...(trial?.problems ?? []))
  if (trial !== null && problems.length === 0) {
    const { contributions } = trial
    const running = { document, from, contributions, stop: new AbortController() }
    const skill = skillOf(running, cellsOf(desk))
    const message = collision(desk, skill, from)
    if (message !== null) problems.push({ path, line: 1, message })
    else problems.push(...(await loadLive(desk, running, skill)))
  }
  if (problems.length > 0) fail(desk, name, problems, null, document, from)
}

function neededOf({ running, runtime }: Desk, { dependsOn, path }: SkillDocument): SkillProblem[] {
  const isThere = (name: string) =>
    running.has(name) || runtime?.skills.some((skill) => skill.name === name)
  const missing = dependsOn.find((name) => !isThere(name))
  return missing === undefined
    ? []
    : [{ path, line: 1, message: `It needs ${missing}, which does not run` }]
}

async function loadLive(desk: Desk, running: RunningSkill, skill: Skill): Promise<SkillProblem[]> {
  const { document, from } = running
  const { code, name, path } = document
  try {
    const kinds = new Set(running.contributions.map(({ kind }) => kind))
    if (kinds.has('gate')) await desk.gates.load(name, code.text)
    kinds.delete('gate')
    if (kinds.size > 0) await workOf(desk, name).load(name, code.text)
    tellContainment(desk)
  } catch (error) {
    const { line, message } = problemOf(error, code)
    return [{ path, line: line ?? 1, message }]
  }
  putIn(desk, running, skill)
  desk.faults.delete(name)
  setStatus(desk, document, { state: 'running', from, running })
  desk.runtime?.log('info', `the skill ${name} is loaded`)
  return []
}

/** Says once when the processes have to do without bubblewrap. */
function tellContainment(desk: Desk): void {
  const jails = [desk.gates, ...desk.work.values()]
  if (desk.isPlainTold || !jails.some(({ containment }) => containment === 'permissions')) return
  desk.isPlainTold = true
  const text =
    'bubblewrap does not work here; skills are contained by Node’s permissions and SES only'
  desk.runtime?.log('warn', text)
}

function readTool(desk: Desk): Tool {
  const parameters = z.object({ name: z.string() })
  return {
    name: 'read-skill',
    description: 'Reads the instructions of a skill, by its name.',
    isCore: true,
    parameters,
    readOnly: true,
    async run(args) {
      const running = desk.running.get(parameters.parse(args).name)?.running
      const content = running?.document.instructions ?? ''
      if (running === undefined || content === '') {
        return { status: 'error', message: 'There are no instructions of that name.' }
      }
      return running.from === 'elsewhere'
        ? { status: 'success', content, origin: 'message' }
        : { status: 'success', content }
    },
  }
}

/** The owner's skills in a running daemon. */
export interface SkillEngine {
  /** The engine's own skill, for the list of the house. */
  skill: Skill
  /** Loads what is there and follows the folders. Never rejects. */
  start(runtime: Runtime): Promise<void>
  /** Looks again, with all faults forgiven; resolves to a line for each skill. */
  reload(): Promise<string[]>
  /** Is told what has changed in a folder that somebody else follows, and looks if it is a skill. */
  noticed(folder: string, changed: Changed): void
  /**
   * Loads what is granted into a runtime that is only asked what it would do: nobody is asked for
   * anything, nothing is written, and no folder followed. Never rejects.
   */
  loadGranted(runtime: Runtime): Promise<void>
  status(): SkillStatus[]
  /** Called whenever the jobs of skills may have changed. */
  watchJobs(tell: () => void): void
  /** Called when a skill was taken out because it failed again and again, with its last problem. */
  watchFaults(tell: (name: string, problem: string) => void): void
  close(): Promise<void>
}

/** An engine that has not started. */
export function createSkillEngine(options: SkillEngineOptions): SkillEngine {
  const gates = new GateJail(options.limits, (why, skills) => {
    const text = `${why}; the gates of ${skills.join(', ')} are asked apart until it is known whose fault it was`
    desk.runtime?.log('warn', text)
  })
  const desk: Desk = {
    options,
    runtime: null,
    last: Promise.resolve(),
    isLooking: false,
    closers: [],
    tellJobs: () => {},
    tellFault: () => {},
    gates,
    work: new Map(),
    isPlainTold: false,
    panel: panelOf(gates, (name, error, part) => ended(desk, name, error, part)),
    running: new Map(),
    status: new Map(),
    asked: new Set(),
    faults: new Map(),
    standIns: new Map(),
    hooked: new Set(),
    states: new Map(),
    absent: new Set(),
  }
  const hasInstructions = () =>
    [...desk.running.values()].some(({ running }) => running.document.instructions !== '')
  const skill = defineSkill({
    name: 'skill-engine',
    description: 'Loads the owner’s skills from Org documents.',
    gates: [grantsGate],
    tools: [allowTool(desk), readTool(desk)],
    sensors: {
      'skill-reload': async () => messageAction(await reloaded(desk)),
      'job-skill': (signal) => runJob(desk, signal),
    },
    hiddenTools: () => (hasInstructions() ? ['allow-skill'] : ['allow-skill', 'read-skill']),
  })
  return {
    skill,
    start: (runtime) => start(desk, runtime),
    reload: () => looked(desk, true),
    noticed: (folder, changed) => noticed(desk, folder, changed),
    loadGranted: (runtime) => loadGranted(desk, runtime),
    status: () => [...desk.status.values()],
    watchJobs(tell) {
      desk.tellJobs = tell
    },
    watchFaults(tell) {
      desk.tellFault = tell
    },
    close: () => close(desk),
  }
}

async function reloaded(desk: Desk): Promise<string> {
  const lines = await looked(desk, true)
  return lines.length === 0 ? 'There are no skills.' : lines.join('\n')
}

async function start(desk: Desk, runtime: Runtime): Promise<void> {
  desk.runtime = runtime
  const { folders, grantsPath } = desk.options
  const again = () => lookAgain(desk)
  const owned = [
    dirname(grantsPath),
    ...folders.flatMap(({ isOwners, path }) => (isOwners ? [path] : [])),
  ]
  try {
    for (const path of owned) mkdirSync(path, { recursive: true, mode: 0o700 })
    readStates(desk)
    await looked(desk)
  } catch (error) {
    runtime.log('error', `the skills were not loaded: ${String(error)}`)
  }
  const roots = [dirname(grantsPath), ...folders.map(({ path }) => path)].filter(existsSync)
  for (const { path } of folders) if (!existsSync(path)) desk.absent.add(path)
  for (const root of new Set(roots)) {
    if (roots.some((other) => root.startsWith(join(other, '/')))) continue
    const watch = watchFolder(root, again, (message) => runtime.log('warn', message))
    desk.closers.push(() => watch.close())
  }
}

function lookAgain(desk: Desk): void {
  void looked(desk).catch((error) => desk.runtime?.log('error', `skills: ${String(error)}`))
}

function noticed(desk: Desk, folder: string, changed: Changed): void {
  const isIn = (path: string) =>
    changed === 'anything' ||
    [...changed].some((each) => join(folder, each).startsWith(join(path, '/')))
  if ([...desk.absent].some(isIn)) lookAgain(desk)
}

async function close(desk: Desk): Promise<void> {
  for (const closer of desk.closers) await closer()
  await desk.last
  desk.runtime = null
  await Promise.all([desk.gates, ...desk.work.values()].map((jail) => jail.close()))
}

async function loadGranted(desk: Desk, runtime: Runtime): Promise<void> {
  desk.runtime = runtime
  const { folders, grantsPath } = desk.options
  const grants = readGrants(grantsPath)
  const found = readSkillFolders(folders)
  const house = new Set(runtime.skills.map(({ name }) => name))
  const ordered = inSkillOrder(found, house, takenNames(runtime))
  for (const [name, problems] of found.problems) fail(desk, name, problems, grants.get(name))
  for (const each of ordered) {
    const { document } = each
    const decision = decide(each, grants.get(document.name))
    if (decision.kind === 'load') await replace(desk, document, decision.from)
    else setStatus(desk, document, { state: decision.kind === 'ask' ? 'waiting' : 'disabled' })
  }
}

/** Throws an Error that names the gates of this list which the runtime has not. */
export function requireGates(runtime: Runtime, names: readonly string[]): void {
  const missing = names.filter((name) => !runtime.gates.some((gate) => gate.name === name))
  if (missing.length === 0) return
  throw new Error(`These gates are missing, and nothing runs without them: ${missing.join(', ')}`)
}
