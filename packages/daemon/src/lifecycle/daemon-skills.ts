import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Skill, SkillEngineOptions } from '@passepartout/core'
import { createPermissionsSkill, createSessionModes } from '@passepartout/gates/permissions'
import { createVaultSkill, guardKeys, privacySkill, type Vault } from '@passepartout/gates/secrets'
import {
  createClaimsSkill,
  dispatcher,
  flightPlans,
  policy,
  validator,
} from '@passepartout/gates/verdicts'
import { createGatewaysSkill, type GatewayHall, newHall } from '@passepartout/gateways/chat'
import { keysOf, meterOf, models } from '@passepartout/models/profiles'
import { createGardener, createScribe, distill } from '@passepartout/skills/archivist'
import { actuators } from '@passepartout/skills/common'
import { createEvents } from '@passepartout/skills/events'
import {
  createSelfImprove,
  createSkillFilesSkill,
  skillPlaces,
  skillStandards,
} from '@passepartout/skills/improve'
import {
  attachments,
  contextManager,
  mcpDoor,
  memoryTools,
  notes,
  remembering,
  scopeTools,
  sessionTools,
  tasks,
  why,
} from '@passepartout/skills/notes'
import { planner } from '@passepartout/skills/planner'
import {
  calculation,
  createEmacsSkill,
  createFileTools,
  createGitTools,
  createLiterateTools,
  createOrgTools,
  createReplSkill,
  createSearchFiles,
  createShellSkill,
  createTestTools,
  createTypeScriptTools,
  createWebFetch,
  turnTools,
} from '@passepartout/skills/tools'
import { createConfigSkill } from '../configuration/config-tools.ts'
import { configTable, type DaemonConfig } from '../configuration/daemon-config.ts'
import { sessionDesk } from './session-desk.ts'
import { sessionViews } from './session-views.ts'

/** The skill of the models, with the gate that keeps their keys. */
export function modelsOf({ budgets, models: configured }: DaemonConfig): Skill {
  return guardKeys(models(configured, meterOf(budgets)), keysOf(configured))
}

/** Every skill of a daemon with this configuration and this vault. */
export function skillsOf(
  config: DaemonConfig,
  vault: Vault | null = null,
  hall: GatewayHall = newHall(),
): Skill[] {
  return [
    createPermissionsSkill(config.permissionsFile),
    ...(vault === null ? [] : [createVaultSkill(vault)]),
    policy,
    createClaimsSkill(),
    privacySkill,
    dispatcher,
    flightPlans,
    validator,
    actuators,
    createShellSkill(),
    turnTools,
    notes,
    remembering,
    scopeTools,
    sessionTools,
    contextManager,
    createEmacsSkill(),
    tasks,
    memoryTools,
    createFileTools(config.workspaces),
    createSearchFiles(config.workspaces),
    createGitTools(config.workspaces),
    createTestTools(config.workspaces),
    createTypeScriptTools(config.workspaces),
    createOrgTools(config.workspaces),
    createLiterateTools(config.workspaces),
    createReplSkill(config.workspaces),
    createWebFetch(config.webHosts),
    calculation,
    distill,
    why,
    createGardener(config.archivist, join(config.stateDir, 'archivist.db')),
    createScribe(config.archivist, join(config.stateDir, 'archivist.db')),
    createEvents({ path: join(config.stateDir, 'events.db'), budgets: config.events }),
    createSessionModes(),
    attachments,
    sessionViews,
    sessionDesk,
    mcpDoor,
    createSkillFilesSkill(filePlaces(config)),
    createSelfImprove(improveOptions(config)),
    skillStandards(placesOf(config)),
    configSkill(config),
    createGatewaysSkill(hall),
    modelsOf(config),
    planner,
  ]
}

/** Where the owner's own skills are. */
export function placesOf({ permissionsFile, ...config }: DaemonConfig): SkillEngineOptions {
  return skillPlaces({ ...config, configDir: dirname(permissionsFile) })
}

const book = join(import.meta.dirname, '../../../../org')

function improveOptions(config: DaemonConfig) {
  const { improve, stateDir } = config
  return { places: placesOf(config), stateDir, book: existsSync(book) ? book : null, when: improve }
}

function configSkill({ permissionsFile }: DaemonConfig): Skill {
  const anyKey = () => 'kept elsewhere'
  const path = join(dirname(permissionsFile), 'config.org')
  return createConfigSkill(path, () => configTable({ env: anyKey, vault: anyKey }))
}

/** Where the files of imported skills are, and which of them were approved. */
function filePlaces({ permissionsFile, skillsDir, stateDir }: DaemonConfig) {
  return {
    folder: join(skillsDir, 'installed'),
    grantsPath: join(dirname(permissionsFile), 'skills.org'),
    approvedPath: join(stateDir, 'skill-scripts.json'),
  }
}
