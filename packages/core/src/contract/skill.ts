import type { StandingRules } from '../approval/always-allow.ts'
import type { Example } from '../approval/rule-self-test.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import type { Job } from '../upkeep/scheduler.ts'
import type { Gate } from './gate.ts'
import type { Provider } from './provider.ts'
import type { Action, Signal, SignalPayload } from './signal.ts'
import type { Tier } from './tier.ts'
import type { Actuator, Tool } from './tool.ts'

/** What a signal of this sensor leads to: an action, nothing (null), or a round of reason. */
export type SensorHandler = (
  signal: Signal,
  runtime: Runtime,
) => Action | 'reason' | null | Promise<Action | 'reason' | null>

/** One document's worth of behaviour. */
export interface Skill {
  /** Lower case with dashes, unique. */
  name: string
  /** One sentence for people. */
  description: string
  /** Names of skills that are loaded before this one. */
  dependsOn?: string[]
  /** Higher providers are asked first; 0 by default. */
  priority?: number
  /** Whether the skill's prompt belongs in the answer to this signal; always, by default. */
  trigger?(signal: Signal): boolean
  /** Text for the system prompt. */
  prompt?: string
  /** Rules for the model, put last, where they weigh most. */
  mandates?: string
  /** What the skill's gates are told besides the action; asked once for each verification. */
  facts?: (runtime: Runtime, signal: Signal) => unknown
  /** Names of tools that a model is not offered for this signal; when it throws, no tool is. */
  hiddenTools?(runtime: Runtime, signal: Signal): readonly string[]
  /** How many characters behind its judgement an answer must be shown for this skill's gates. */
  holdBack?: (runtime: Runtime) => number
  /** How much thought this signal needs; null or nothing leaves it to others. */
  classify?(signal: Signal, runtime: Runtime): Tier | null | undefined
  /** The owner's standing yeses; one skill at most brings them. */
  standing?: StandingRules
  gates?: Gate[]
  /** What the rules of these gates must and must not match; tried when the skill is loaded. */
  examples?: () => Iterable<Example>
  tools?: Tool[]
  actuators?: Actuator[]
  providers?(runtime: Runtime): Provider[]
  sensors?: Record<string, SensorHandler>
  /** What the skill is told at times, by a signal of its own; see the scheduler. */
  jobs?: SkillJob[]
}

/** A time, and the payload of the signal that is sent then; its sensor is `job-…`. */
export interface SkillJob extends Omit<Job, 'run'> {
  payload: SignalPayload | Look
}

/** Looks between two turns, changes no note, and returns what there is to be told; mostly nothing. */
export type Look = (runtime: Runtime) => readonly JobWord[] | Promise<readonly JobWord[]>

/** One signal that a look leads to. */
export interface JobWord {
  payload: SignalPayload
  /** Whose words are in it; a tool's by default. */
  origin?: 'tool' | 'web' | 'message'
}

/** The skill as given. Throws a TypeError for a name that is not lower case with dashes. */
export function defineSkill(skill: Skill): Skill {
  if (/^[a-z][a-z0-9-]*$/.test(skill.name)) return skill
  throw new TypeError(`Expected a skill's name in lower case with dashes, got ${skill.name}`)
}

/** The skills, dependencies first. Throws an Error that names a missing skill, a circle or a twin. */
export function inDependencyOrder(skills: readonly Skill[]): Skill[] {
  const byName = new Map<string, Skill>()
  for (const skill of skills) {
    if (byName.has(skill.name)) throw new Error(`There are two skills called ${skill.name}`)
    byName.set(skill.name, skill)
  }
  const ordered = new Set<Skill>()
  const visit = (skill: Skill, path: readonly string[]) => {
    if (ordered.has(skill)) return
    if (path.includes(skill.name)) {
      throw new Error(`These skills depend on one another: ${[...path, skill.name].join(' → ')}`)
    }
    for (const name of skill.dependsOn ?? []) {
      const needed = byName.get(name)
      if (needed === undefined)
        throw new Error(`The skill ${skill.name} needs ${name}, which is not there`)
      visit(needed, [...path, skill.name])
    }
    ordered.add(skill)
  }
  for (const skill of skills) visit(skill, [])
  return [...ordered]
}

/** Puts what the skills bring into the runtime. Throws an Error when names collide. */
export function loadSkills(runtime: Runtime, skills: readonly Skill[]): void {
  const ordered = inDependencyOrder(skills)
  const providers: { priority: number; provider: Provider }[] = []
  for (const skill of ordered) {
    runtime.skills.push(skill)
    if (skill.standing !== undefined) {
      if (runtime.standing !== null) throw twice(skill, 'keeper of rules', 'standing')
      runtime.standing = skill.standing
    }
    for (const gate of provenGates(runtime, skill)) {
      if (runtime.gates.some(({ name }) => name === gate.name))
        throw twice(skill, 'gate', gate.name)
      runtime.gates.push(gate)
    }
    for (const tool of skill.tools ?? []) put(runtime.tools, tool.name, tool, skill, 'tool')
    for (const actuator of skill.actuators ?? []) {
      put(runtime.actuators, actuator.name, actuator, skill, 'actuator')
    }
    for (const [sensor, handler] of Object.entries(skill.sensors ?? {})) {
      put(runtime.sensors, sensor, handler, skill, 'sensor')
    }
    const priority = skill.priority ?? 0
    for (const provider of skill.providers?.(runtime) ?? []) providers.push({ priority, provider })
  }
  providers.sort((a, b) => b.priority - a.priority)
  runtime.providers.push(...providers.map(({ provider }) => provider))
}

function provenGates({ proofs }: Runtime, { name, gates = [], examples }: Skill): Gate[] {
  return examples === undefined ? gates : proofs.add(name, examples(), gates)
}

function put<T>(map: Map<string, T>, name: string, value: T, skill: Skill, kind: string): void {
  if (map.has(name)) throw twice(skill, kind, name)
  map.set(name, value)
}

function twice(skill: Skill, kind: string, name: string): Error {
  return new Error(`The skill ${skill.name} brings a second ${kind} called ${name}`)
}
