import type { Gate } from '../contract/gate.ts'
import type { Provider } from '../contract/provider.ts'
import type { Action } from '../contract/signal.ts'
import type { Runtime, Skill, Tool } from './runtime.ts'

/** The skill as given. Throws a TypeError for a name that is not lower case with dashes. */
export function defineSkill(skill: Skill): Skill {
  if (/^[a-z][a-z0-9-]*$/.test(skill.name)) return skill
  throw new TypeError(`Expected a skill's name in lower case with dashes, got ${skill.name}`)
}

/** A tool whose calls stand for other actions. */
export function shortForm(
  about: Pick<Tool, 'name' | 'description' | 'parameters' | 'isCore' | 'endsTurn'>,
  means: (args: Record<string, unknown>) => Omit<Action, 'type'>,
): Tool {
  const message = `${about.name} stands for another action, and was called itself.`
  return { ...about, readOnly: false, means, run: async () => ({ status: 'error', message }) }
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
