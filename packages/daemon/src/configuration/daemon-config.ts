import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type ConfigSection,
  configPath,
  type EmbeddingBackend,
  formatProblem,
  type MindSettings,
  type Secrets,
  type SessionSettings,
  sessionDefaults,
  sessionSection,
  skillsDirectory,
  stateDirectory,
} from '@passepartout/core'
import { type Workspace, workspaceSection, workspacesOf } from '@passepartout/gates/sandbox'
import { privateTags, privateTagsSection, readConfigFile } from '@passepartout/gates/secrets'
import { approverSection, type GatewaySettings, gatewaySection } from '@passepartout/gateways/chat'
import { type McpServerConfig, mcpSection } from '@passepartout/gateways/mcp'
import { embeddingSection } from '@passepartout/models/embeddings'
import {
  type Budget,
  budgetSection,
  type ConfiguredModel,
  environmentModel,
  mindSection,
  modelSection,
} from '@passepartout/models/profiles'
import {
  type ArchivistSettings,
  archivistDefaults,
  archivistSection,
} from '@passepartout/skills/archivist'
import { eventSection, type TierBudgets, tierBudgets } from '@passepartout/skills/events'
import { type ImproveWhen, improveSection } from '@passepartout/skills/improve'
import { webSection } from '@passepartout/skills/tools'
import { z } from 'zod'
import { parseTelemetryUrl } from '../telemetry/telemetry.ts'
import { memexFolder, memexSection } from './memex-config.ts'

/** What the daemon was told by its environment. Paths are absolute. */
export interface DaemonConfig {
  memexDir: string
  stateDir: string
  home: string
  port: number
  models: ConfiguredModel[]
  /** How thinking is done, as far as the owner has said. */
  mind: Partial<MindSettings>
  /** Who makes vectors; null for nobody. */
  embedding: EmbeddingBackend | null
  /** The tags of notes that no model gets to see. */
  privateTags: string[]
  /** People on chat networks who may approve, each as `network:number`. */
  approvers: string[]
  /** Folders besides the memex that the programming tools work in. */
  workspaces: Workspace[]
  /** Hosts whose pages may be read. */
  webHosts: string[]
  /** Other people's programs with tools in them. */
  mcpServers: McpServerConfig[]
  /** The chat networks that are linked. */
  gateways: GatewaySettings[]
  /** The owner's rules of permission. */
  permissionsFile: string
  /** The owner's own skills. */
  skillsDir: string
  /** What the archivist may do. */
  archivist: ArchivistSettings
  /** Where sessions are kept, and how many. */
  sessions: SessionSettings
  /** How often hooks may fire in a day. */
  events: TierBudgets
  /** What may be spent. */
  budgets: Budget[]
  /** When a model is asked to mend a skill. */
  improve: ImproveWhen
  /** What is wrong with the owner's file, a line for each. */
  problems: string[]
  /** Where the spans go; null for nowhere. */
  telemetryUrl: URL | null
  /** Whether words go there as well. */
  telemetryContent: boolean
  /** Whether clients that prove nothing may talk; as clients of the first daemon do. */
  takesLegacy: boolean
}

const portSchema = z.coerce.number().int().min(0).max(65_535)

/**
 * Reads the configuration; `vault` gives a secret by its name. Throws a TypeError that names the
 * variable and what it should be.
 */
export function readDaemonConfig(
  env: Record<string, string | undefined>,
  vault: (name: string) => string | null = () => null,
): DaemonConfig {
  const home = env.HOME ?? homedir()
  const port = portSchema.safeParse(env.PASSEPARTOUT_PORT ?? '0')
  if (!port.success)
    throw new TypeError('Expected PASSEPARTOUT_PORT to be a number from 0 to 65535')
  const table = configTable({ env: (name: string) => env[name] ?? null, vault })
  const file = readConfigFile(configPath(env, home), table)
  const typed = environmentModel(env)
  return {
    memexDir: memexFolder(env, file.sections.memex, home),
    stateDir: stateDirectory(env),
    home,
    port: port.data,
    models: [...(typed === null ? [] : [typed]), ...file.sections.models],
    mind: file.sections.mind[0] ?? {},
    embedding: file.sections.embedding[0] ?? null,
    privateTags: privateTags(file.sections.tags),
    approvers: file.sections.approvers.flat(),
    workspaces: workspacesOf(file.sections.workspaces, home),
    webHosts: file.sections.web.flat(),
    archivist: file.sections.archivist[0] ?? archivistDefaults,
    sessions: file.sections.sessions[0] ?? sessionDefaults,
    events: file.sections.events[0] ?? tierBudgets,
    mcpServers: file.sections.mcp,
    gateways: file.sections.gateways,
    permissionsFile: join(dirname(configPath(env, home)), 'permissions.org'),
    skillsDir: skillsDirectory(env),
    budgets: file.sections.budgets,
    improve: file.sections.improve.at(-1) ?? 'on-request',
    problems: file.problems.map(formatProblem),
    telemetryUrl: parseTelemetryUrl(env.PASSEPARTOUT_TELEMETRY_URL),
    telemetryContent: parseSwitch(
      'PASSEPARTOUT_TELEMETRY_CONTENT',
      env.PASSEPARTOUT_TELEMETRY_CONTENT,
    ),
    takesLegacy: parseSwitch('PASSEPARTOUT_LEGACY_CLIENTS', env.PASSEPARTOUT_LEGACY_CLIENTS),
  }
}

interface Sections {
  memex: typeof memexSection
  models: ReturnType<typeof modelSection>
  mind: typeof mindSection
  embedding: ReturnType<typeof embeddingSection>
  tags: typeof privateTagsSection
  approvers: typeof approverSection
  workspaces: typeof workspaceSection
  web: typeof webSection
  archivist: typeof archivistSection
  sessions: typeof sessionSection
  events: typeof eventSection
  mcp: ReturnType<typeof mcpSection>
  gateways: typeof gatewaySection
  improve: typeof improveSection
  budgets: typeof budgetSection
}

/** All sections of the configuration, for one reading of it. */
export function configTable(secrets: Secrets): Sections & Record<string, ConfigSection<unknown>> {
  return {
    memex: memexSection,
    models: modelSection(secrets),
    mind: mindSection,
    embedding: embeddingSection(secrets, { now: () => new Date() }),
    tags: privateTagsSection,
    approvers: approverSection,
    workspaces: workspaceSection,
    web: webSection,
    archivist: archivistSection,
    sessions: sessionSection,
    events: eventSection,
    mcp: mcpSection(secrets),
    gateways: gatewaySection,
    improve: improveSection,
    budgets: budgetSection,
  }
}

function parseSwitch(name: string, value: string | undefined): boolean {
  if (value === undefined || value === '' || value === '0') return false
  if (value === '1') return true
  throw new TypeError(`Expected ${name} to be 1 or 0`)
}
