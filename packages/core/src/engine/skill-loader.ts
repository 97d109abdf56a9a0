import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { settle } from '../approval/verify.ts'
import { commandName } from '../base/command-name.ts'
import { lineEnds, onOneLine } from '../base/single-line.ts'
import type { Gate, GatePanel, Verdict } from '../contract/gate.ts'
import { likeName, type NamedParts, takenNames } from '../contract/reserved-names.ts'
import { type Action, messageAction, type Signal } from '../contract/signal.ts'
import { GateJail } from '../jail/gate-jail.ts'
import { Jail, type JailLimits } from '../jail/jail.ts'
import { tell } from '../pipeline/act.ts'
import { gateContext } from '../pipeline/gate-context.ts'
import type { Runtime, SensorHandler, Skill, Tool } from '../pipeline/runtime.ts'
import { defineSkill } from '../pipeline/skill.ts'
import { suspend } from '../pipeline/suspend.ts'
import { type Changed, watchFolder } from '../upkeep/memex-watch.ts'
import { questionIn } from '../wire/session-state.ts'
import {
  formatSkillProblem,
  missingCapabilities,
  type SkillDocument,
  type SkillProblem,
} from './skill-document.ts'
import { type Grant, readGrants, type SkillOrigin, writeGrant } from './skill-grants.ts'
import { type FoundSkill, inSkillOrder, readSkillFolders, type SkillFolder } from './skill-order.ts'
import { type Cells, panelOf, type RunningSkill, runEntry, skillOf } from './skill-parts.ts'
import { problemOf, trySkill } from './skill-trial.ts'

/** How a skill is doing. */
export interface SkillStatus {
  name: string
  path: string
  state: 'running' | 'stale' | 'waiting' | 'disabled' | 'broken' | 'faulty'
  /** Who answers for it. */
  origin: SkillOrigin
  capabilities: readonly string[]
  /** What is asked for and not granted. */
  missing: readonly string[]
  /** Such as `gate quiet`, `tool count`. */
  brings: readonly string[]
  /** Problems and faults, each as `path:line: error: message` where a line is known. */
  problems: readonly string[]
  hash: string
}

/** Where the engine finds and keeps things. */
export interface SkillEngineOptions {
  folders: readonly SkillFolder[]
  /** The owner's file of grants. */
  grantsPath: string
  /** Where what skills keep for themselves is written; not at all where it is missing. */
  keptPath?: string
  limits?: Partial<JailLimits>
}

interface Desk {
  readonly options: SkillEngineOptions
  runtime: Runtime | null
  /** The jail of all gates, and how it is asked. */
  readonly gates: GateJail
  readonly panel: GatePanel
  /** The jails of what else the skills bring, by the name of the skill. */
  readonly work: Map<string, Jail>
  readonly running: Map<string, { running: RunningSkill; skill: Skill }>
  readonly status: Map<string, SkillStatus>
  /** Questions that were put already, by name, hash and capabilities. */
  readonly asked: Set<string>
  /** Faults in a row, and the document that had them. */
  readonly faults: Map<string, { hash: string; count: number; last: string; part: string }>
  readonly standIns: Map<string, Gate>
  readonly hooked: Set<string>
  readonly states: Map<string, unknown>
  /** Folders that were not there at the start, and are not followed by this page. */
  readonly absent: Set<string>
  /** The last look, after which the next begins, and whether one is under way. */
  last: Promise<unknown>
  isLooking: boolean
  closers: (() => Promise<void>)[]
  /** It was said that bubblewrap does not work. */
  isPlainTold: boolean
  /** Told that jobs may have changed. */
  tellJobs: () => void
  /** Told that a skill was taken out, and why. */
  tellFault: (name: string, problem: string) => void
}

const faultsMax = 3

function ended(desk: Desk, name: string, error: unknown, part: string): void {
  const entry = desk.running.get(name)
  if (error === null || entry === undefined) {
    if (entry === undefined || desk.faults.get(name)?.part === part) desk.faults.delete(name)
    return
  }
  const { document } = entry.running
  const { line, message } = problemOf(error, document.code)
  const last = formatSkillProblem({ path: document.path, line: line ?? 1, message })
  const count = (desk.faults.get(name)?.count ?? 0) + 1
  desk.faults.set(name, { hash: document.hash, count, last, part })
  desk.runtime?.log('warn', last, `the skill ${name} failed`)
  if (count < faultsMax) return
  takeOut(desk, name)
  if (document.capabilities.includes('gates')) standIn(desk, name)
  setStatus(desk, document, { state: 'faulty', from: entry.running.from, problems: [last] })
  const text = `The skill ${name} was disabled, because it failed ${count} times in a row: ${last}`
  desk.runtime?.log('error', text, `the skill ${name} was disabled`)
  desk.runtime?.outbox.send(toOwner(text))
  desk.tellFault(name, last)
}

function standIn(desk: Desk, name: string): void {
  const reason = `the gate of ${name}, which does not work; see: ${commandName} skill why ${name}`
  const gate: Gate = {
    name: `${name}.stand-in`,
    priority: 500,
    check: (action) =>
      action.payload.action === 'message'
        ? withLine(action, `(Not seen by ${reason})`)
        : { kind: 'approval', reason, rule: 'skill.stand-in' },
  }
  leave(desk, name)
  desk.standIns.set(name, gate)
  desk.runtime?.gates.push(gate)
}

function withLine(action: Action, line: string): Verdict {
  const { text = '' } = action.payload
  if (text.includes(line)) return { kind: 'pass' }
  const payload = { ...action.payload, text: `${text}\n\n${line}` }
  return { kind: 'change', action: { ...action, payload } }
}

/** Takes the stand-in of a skill away, if there is one. */
function leave(desk: Desk, name: string): void {
  const gate = desk.standIns.get(name)
  desk.standIns.delete(name)
  const gates = desk.runtime?.gates ?? []
  if (gate !== undefined) gates.splice(gates.indexOf(gate), 1)
}

function toOwner(text: string): Signal {
  const { payload } = messageAction(text)
  return { type: 'response', meta: { source: 'cli' }, payload: { ...payload }, depth: 0 }
}

function collision(desk: Desk, skill: Skill, from: SkillOrigin): string | null {
  const { runtime, running } = desk
  if (runtime === null) return null
  const own = new Set([skill.name, ...toolNames(running.get(skill.name)?.skill)])
  const rivals = from === 'owner' ? rivalsOf(desk, skill) : []
  const yielded = new Set(rivals.flatMap((name) => toolNames(running.get(name)?.skill)))
  const taken = [...takenNames(runtime)].filter((name) => !own.has(name))
  for (const name of toolNames(skill)) {
    const isTaken = runtime.tools.has(name) && !own.has(name) && !yielded.has(name)
    if (isTaken) return `There is a tool called ${name} already`
    const like = from === 'elsewhere' ? likeName(name, taken) : null
    if (like !== null) return `The tool ${name} is called almost like ${like}, and is not it`
  }
  return null
}

function toolNames(skill: Skill | undefined): string[] {
  return (skill?.tools ?? []).map(({ name }) => name)
}

/** The strangers' running skills with a tool that is called like one of this skill's, or nearly so. */
function rivalsOf({ running }: Desk, skill: Skill): string[] {
  const own = toolNames(skill)
  const others = [...running].filter(
    ([name, entry]) => name !== skill.name && entry.running.from === 'elsewhere',
  )
  return others.flatMap(([name, entry]) =>
    toolNames(entry.skill).some((tool) => likeName(tool, own) !== null) ? [name] : [],
  )
}

function displace(desk: Desk, skill: Skill): void {
  for (const name of rivalsOf(desk, skill)) {
    const entry = desk.running.get(name)
    if (entry === undefined) continue
    const { document, from } = entry.running
    takeOut(desk, name)
    const message = `It has a tool that is called like one of ${skill.name}, which is the owner’s`
    fail(desk, name, [{ path: document.path, line: 1, message }], null, document, from)
  }
}

function putIn(desk: Desk, running: RunningSkill, skill: Skill): void {
  const { runtime } = desk
  if (runtime === null) return
  if (running.from === 'owner') displace(desk, skill)
  takeOut(desk, skill.name, false)
  leave(desk, skill.name)
  runtime.skills.push(skill)
  runtime.gates.push(...(skill.gates ?? []))
  for (const tool of skill.tools ?? []) runtime.tools.set(tool.name, tool)
  desk.running.set(skill.name, { running, skill })
  for (const { kind, name } of running.contributions) if (kind === 'hook') hookUp(desk, name)
}

function takeOut(desk: Desk, name: string, isForGood = true): void {
  const entry = desk.running.get(name)
  const { runtime } = desk
  if (entry === undefined || runtime === null) return
  const { gates = [], tools = [] } = entry.skill
  remove(runtime.skills, [entry.skill])
  remove(runtime.gates, gates)
  for (const tool of tools) runtime.tools.delete(tool.name)
  desk.running.delete(name)
  if (!isForGood) return
  entry.running.stop.abort()
  desk.gates.drop(name)
  desk.work.get(name)?.drop(name)
  desk.work.delete(name)
}

function remove<T>(list: T[], parts: readonly T[]): void {
  for (const part of parts) {
    const at = list.indexOf(part)
    if (at >= 0) list.splice(at, 1)
  }
}

function hookUp(desk: Desk, sensor: string): void {
  const { runtime } = desk
  if (runtime === null || desk.hooked.has(sensor)) return
  desk.hooked.add(sensor)
  const before = runtime.sensors.get(sensor)
  const handler: SensorHandler = async (signal, runtime) => {
    for (const { running } of [...desk.running.values()]) {
      const isMeant = running.contributions.some(
        ({ kind, name }) => kind === 'hook' && name === sensor,
      )
      if (isMeant) await runNoted(desk, running, `hook:${sensor}`, signal)
    }
    return before === undefined ? null : before(signal, runtime)
  }
  runtime.sensors.set(sensor, handler)
}

async function runJob(desk: Desk, signal: Signal): Promise<null> {
  const { job, skill } = signal.payload
  const entry = desk.running.get(String(skill))
  if (entry !== undefined) await runNoted(desk, entry.running, `job:${String(job)}`, signal)
  return null
}

async function runNoted(
  desk: Desk,
  running: RunningSkill,
  entry: string,
  signal: Signal,
): Promise<void> {
  const { runtime } = desk
  const { name } = running.document
  if (runtime === null) return
  try {
    const said = await runEntry(runtime, running, entry, signal, cellsOf(desk))
    if (said === null) return
    if (said.state !== undefined) keepState(desk, name, said.state)
    if (said.notice !== undefined) await notify(runtime, signal, name, said.notice)
  } catch (error) {
    runtime.log('debug', `${name}: ${String(error)}`, `the skill ${name} failed`)
  }
}

const keptMax = 16_384
const keptSchema = z.record(z.string(), z.unknown())

function keepState(desk: Desk, name: string, state: unknown): void {
  const text = JSON.stringify(state ?? null)
  if (text.length > keptMax || JSON.stringify(desk.states.get(name)) === text) return
  desk.states.set(name, state)
  writeStates(desk)
}

function writeStates({ options, runtime, states }: Desk): void {
  const { keptPath } = options
  if (keptPath === undefined) return
  try {
    mkdirSync(dirname(keptPath), { recursive: true, mode: 0o700 })
    const text = JSON.stringify(Object.fromEntries(states))
    writeFileSync(`${keptPath}.new`, `${text}\n`, { mode: 0o600 })
    renameSync(`${keptPath}.new`, keptPath)
  } catch (error) {
    runtime?.log('warn', `what skills keep was not written: ${String(error)}`)
  }
}

function readStates({ options, runtime, states }: Desk): void {
  const { keptPath } = options
  if (keptPath === undefined || !existsSync(keptPath)) return
  try {
    const kept = keptSchema.parse(JSON.parse(readFileSync(keptPath, 'utf8')))
    for (const [name, state] of Object.entries(kept)) states.set(name, state)
  } catch (error) {
    runtime?.log('warn', `what skills kept in ${keptPath} was not read: ${String(error)}`)
  }
}

async function notify(
  runtime: Runtime,
  signal: Signal,
  name: string,
  notice: string,
): Promise<void> {
  const lines = notice.split(lineEnds).filter((line) => line.trim() !== '')
  const text = lines.map((line) => `${name}: ${onOneLine(line)}`).join('\n')
  const action: Action = { ...messageAction(text), target: 'cli' }
  const result = await settle(runtime.gates, action, gateContext(runtime, signal))
  if (result.kind === 'pass') runtime.outbox.send(toOwner(result.action.payload.text ?? ''))
}

function cellsOf(desk: Desk): Cells {
  return {
    panel: desk.panel,
    work: (name) => workOf(desk, name),
    ended: (name, error, part) => ended(desk, name, error, part),
    stateOf: (name) => desk.states.get(name),
  }
}

function workOf(desk: Desk, name: string): Jail {
  const jail = desk.work.get(name) ?? new Jail(desk.options.limits)
  desk.work.set(name, jail)
  return jail
}

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
    const question = await suspend(runtime, engineSignal, result, false)
    tell(runtime, engineSignal, question, questionIn(runtime, question))
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

function fail(
  desk: Desk,
  name: string,
  problems: readonly SkillProblem[],
  grant: Grant | null | undefined,
  document: SkillDocument | null = null,
  given: SkillOrigin | undefined = grant?.from,
): void {
  const lines = problems.map(formatSkillProblem)
  const old = desk.running.get(name)?.running
  const known = desk.status.get(name)?.problems.join('\n')
  const path = problems[0]?.path ?? ''
  const capabilities = document?.capabilities ?? grant?.capabilities ?? []
  const about = document ?? { name, path, capabilities, hash: '' }
  const whole = grant?.isEnabled === false ? 'disabled' : 'broken'
  const state = old === undefined ? whole : 'stale'
  setStatus(desk, about, { state, from: old?.from ?? given, running: old, problems: lines })
  const isGranted = document !== null || grant?.isEnabled === true
  if (old === undefined && isGranted && capabilities.includes('gates')) standIn(desk, name)
  if (known === lines.join('\n')) return
  for (const line of lines) desk.runtime?.log('error', line, `the skill ${name} has a mistake`)
}

/** A document of the same name is told with the skill that has the name, whose state it does not change. */
function tellTwins(desk: Desk, name: string, problems: readonly SkillProblem[]): void {
  const status = desk.status.get(name)
  const lines = problems.map(formatSkillProblem)
  if (status === undefined || lines.every((line) => status.problems.includes(line))) return
  desk.status.set(name, { ...status, problems: [...status.problems, ...lines] })
}

interface News {
  state: SkillStatus['state']
  from?: SkillOrigin | undefined
  missing?: readonly string[]
  problems?: readonly string[]
  /** What runs now, if anything does. */
  running?: RunningSkill | undefined
}

type About = Pick<SkillDocument, 'name' | 'path' | 'capabilities' | 'hash'>

function setStatus(desk: Desk, { capabilities, hash, name, path }: About, news: News): void {
  const { missing = [], problems = [], from = 'elsewhere', running, state } = news
  const brings = (running?.contributions ?? []).map((each) => `${each.kind} ${each.name}`)
  const status = { name, path, state, origin: from, capabilities, missing, brings, problems, hash }
  desk.status.set(name, status)
}

function readTool(desk: Desk): Tool {
  const parameters = z.object({ name: z.string().describe('The name of the instructions') })
  return {
    name: 'read-skill',
    description: 'Reads the instructions of a skill, by its name.',
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
