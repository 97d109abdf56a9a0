import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { settle } from '../approval/verify.ts'
import { commandName } from '../base/command-name.ts'
import { lineEnds, onOneLine } from '../base/single-line.ts'
import type { Gate, GatePanel, Verdict } from '../contract/gate.ts'
import { likeName, takenNames } from '../contract/reserved-names.ts'
import { type Action, messageAction, type Signal } from '../contract/signal.ts'
import type { GateJail } from '../jail/gate-jail.ts'
import { Jail, type JailLimits } from '../jail/jail.ts'
import { gateContext } from '../pipeline/gate-context.ts'
import type { Runtime, SensorHandler, Skill } from '../pipeline/runtime.ts'
import { formatSkillProblem, type SkillDocument, type SkillProblem } from './skill-document.ts'
import type { Grant, SkillOrigin } from './skill-grants.ts'
import type { SkillFolder } from './skill-order.ts'
import { type Cells, type RunningSkill, runEntry } from './skill-parts.ts'
import { problemOf } from './skill-trial.ts'

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

/** Everything that the engine knows. */
export interface Desk {
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

/** After so many faults in a row a skill is taken out. */
export const faultsMax = 3

/** Notes how a part of a skill ended; after three faults in a row the skill is taken out. */
export function ended(desk: Desk, name: string, error: unknown, part: string): void {
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
  desk.runtime?.log('warn', last)
  if (count < faultsMax) return
  takeOut(desk, name)
  if (document.capabilities.includes('gates')) standIn(desk, name)
  setStatus(desk, document, { state: 'faulty', from: entry.running.from, problems: [last] })
  const text = `The skill ${name} was disabled, because it failed ${count} times in a row: ${last}`
  desk.runtime?.log('error', text)
  desk.runtime?.outbox.send(toOwner(text))
  desk.tellFault(name, last)
}

/** Puts a gate that asks the owner in the place of a missing one. */
export function standIn(desk: Desk, name: string): void {
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
export function leave(desk: Desk, name: string): void {
  const gate = desk.standIns.get(name)
  desk.standIns.delete(name)
  const gates = desk.runtime?.gates ?? []
  if (gate !== undefined) gates.splice(gates.indexOf(gate), 1)
}

function toOwner(text: string): Signal {
  const { payload } = messageAction(text)
  return { type: 'response', meta: { source: 'cli' }, payload: { ...payload }, depth: 0 }
}

/** Why the names of a skill cannot be had, or null. */
export function collision(desk: Desk, skill: Skill, from: SkillOrigin): string | null {
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

/** Puts a skill into the runtime, in the place of its older version. */
export function putIn(desk: Desk, running: RunningSkill, skill: Skill): void {
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

/** Takes a skill out of the runtime, for good or to make room for its next version. */
export function takeOut(desk: Desk, name: string, isForGood = true): void {
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

/** Runs the job that a signal names. */
export async function runJob(desk: Desk, signal: Signal): Promise<null> {
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
    runtime.log('debug', `${name}: ${String(error)}`)
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

/** Writes what skills keep for themselves; a failure is logged. */
export function writeStates({ options, runtime, states }: Desk): void {
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

/** Reads what skills have kept for themselves. */
export function readStates({ options, runtime, states }: Desk): void {
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

/** What the parts of a skill are run with. */
export function cellsOf(desk: Desk): Cells {
  return {
    panel: desk.panel,
    work: (name) => workOf(desk, name),
    ended: (name, error, part) => ended(desk, name, error, part),
    stateOf: (name) => desk.states.get(name),
  }
}

/** The jail of what a skill brings besides its gates; made when there is none. */
export function workOf(desk: Desk, name: string): Jail {
  const jail = desk.work.get(name) ?? new Jail(desk.options.limits)
  desk.work.set(name, jail)
  return jail
}

/** Notes that a document cannot be used, and why; a gate that is missing for it gets its stand-in. */
export function fail(
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
  for (const line of lines) desk.runtime?.log('error', line)
}

/** A document of the same name is told with the skill that has the name, whose state it does not change. */
export function tellTwins(desk: Desk, name: string, problems: readonly SkillProblem[]): void {
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

/** Notes how a skill is doing. */
export function setStatus(desk: Desk, { capabilities, hash, name, path }: About, news: News): void {
  const { missing = [], problems = [], from = 'elsewhere', running, state } = news
  const brings = (running?.contributions ?? []).map((each) => `${each.kind} ${each.name}`)
  const status = { name, path, state, origin: from, capabilities, missing, brings, problems, hash }
  desk.status.set(name, status)
}
