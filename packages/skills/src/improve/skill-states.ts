import {
  formatSkillProblem,
  missingCapabilities,
  presenceOf,
  readGrants,
  readSkillFolders,
  type SkillEngineOptions,
  type SkillStatus,
} from '@passepartout/core'
import { z } from 'zod'

/** A skill as it is known; `enabled` is said of one that the next daemon would load. */
export type KnownSkill = Omit<SkillStatus, 'state'> & { state: SkillStatus['state'] | 'enabled' }

/** All skills, and who said so. */
export interface KnownSkills {
  /** The daemon that runs them, or the files of a machine on which none answers. */
  from: 'daemon' | 'files'
  /** Why the daemon did not say; null when it did, and when there is none. */
  silence: string | null
  skills: KnownSkill[]
}

const words = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? [])
const states = ['running', 'stale', 'waiting', 'disabled', 'broken', 'faulty'] as const
const answered = z.object({
  skills: z
    .array(
      z.object({
        name: z.string(),
        path: z.string(),
        state: z.enum(states),
        origin: z.enum(['owner', 'elsewhere']),
        capabilities: words,
        missing: words,
        brings: words,
        problems: words,
        hash: z.string(),
      }),
    )
    .nullish(),
})

/** What is known of the skills of these places. Never rejects for want of a daemon. */
export async function knownSkills(
  places: SkillEngineOptions,
  stateDir: string,
): Promise<KnownSkills> {
  const presence = await presenceOf(stateDir)
  if (presence?.state === 'ready' && presence.health !== null) {
    const read = answered.safeParse(presence.health)
    if (read.success) return { from: 'daemon', silence: null, skills: read.data.skills ?? [] }
  }
  const silence = presence === null ? null : `The daemon (process ${presence.pid}) does not say.`
  return { from: 'files', silence, skills: fromFiles(places) }
}

function fromFiles({ folders, grantsPath }: SkillEngineOptions): KnownSkill[] {
  const grants = readGrants(grantsPath)
  const { problems, skills, twins } = readSkillFolders(folders)
  const known = skills.map(({ document, isOwners }): KnownSkill => {
    const { capabilities, hash, name, path } = document
    const grant = grants.get(name)
    const missing = missingCapabilities(capabilities, grant?.capabilities ?? [])
    const isMeant = grant !== undefined && (isOwners || grant.hash === hash)
    const isReady = isMeant && grant.isEnabled && missing.length === 0
    const state = grant?.isEnabled === false ? 'disabled' : 'waiting'
    const origin = grant?.from ?? 'elsewhere'
    const told = (twins.get(name) ?? []).map(formatSkillProblem)
    const rest = { origin, capabilities, missing, brings: [], problems: told, hash } as const
    return { name, path, state: isReady ? 'enabled' : state, ...rest }
  })
  const broken = [...problems].map(([name, found]): KnownSkill => {
    const rest = {
      origin: 'elsewhere',
      capabilities: [],
      missing: [],
      brings: [],
      hash: '',
    } as const
    const path = found[0]?.path ?? ''
    const state = grants.get(name)?.isEnabled === false ? 'disabled' : 'broken'
    return { name, path, state, problems: found.map(formatSkillProblem), ...rest }
  })
  return [...known, ...broken]
}
