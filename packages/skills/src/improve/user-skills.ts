import { join } from 'node:path'
import {
  createSkillEngine,
  loadSkills,
  type Runtime,
  requireGates,
  type Skill,
  type SkillEngine,
  type SkillEngineOptions,
} from '@passepartout/core'

/** The places of a daemon with these directories. */
export function skillPlaces(directories: {
  skillsDir: string
  configDir: string
  stateDir: string
  memexDir: string | null
}): SkillEngineOptions {
  const { configDir, memexDir, skillsDir, stateDir } = directories
  const folders = [
    { path: skillsDir, isOwners: true },
    { path: join(skillsDir, 'installed'), isOwners: false },
  ]
  if (memexDir !== null) folders.push({ path: join(memexDir, 'skills'), isOwners: false })
  const grantsPath = join(configDir, 'skills.org')
  const keptPath = join(stateDir, 'skills-kept.json')
  return { folders, grantsPath, keptPath }
}

/** The gates without which a daemon does not start. */
export const mandatoryGates: readonly string[] = [
  'permissions',
  'policy',
  'dispatcher',
  'flight-plans',
  'validator',
  'skill-grants',
]

/** Loads the house and an engine; rejects when a gate is missing. The engine still has to start. */
export function loadHouse(
  runtime: Runtime,
  skills: readonly Skill[],
  options: SkillEngineOptions,
): SkillEngine {
  const engine = createSkillEngine(options)
  loadSkills(runtime, [...skills, engine.skill])
  requireGates(runtime, mandatoryGates)
  runtime.reloaders.set('skills', () => engine.reload())
  return engine
}
