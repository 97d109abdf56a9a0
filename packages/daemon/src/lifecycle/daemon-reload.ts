import { commandName, messageOf, mindDefaults, type Runtime } from '@passepartout/core'
import type { DaemonConfig } from '../configuration/daemon-config.ts'
import { modelsOf } from './daemon-skills.ts'

/** Takes over what can be; returns what is to be told. For between two turns. */
function takeOver(runtime: Runtime, before: DaemonConfig, after: DaemonConfig): string[] {
  const old = new Set(before.models.map(({ settings }) => settings.name))
  const skill = modelsOf(after)
  const at = runtime.skills.findIndex(({ name }) => name === skill.name)
  if (at >= 0) runtime.skills[at] = skill
  const others = runtime.providers.filter(({ name }) => !old.has(name))
  const fresh = skill.providers?.(runtime) ?? []
  runtime.providers.splice(0, runtime.providers.length, ...fresh, ...others)
  runtime.mind = { ...mindDefaults, ...after.mind }
  runtime.config = { ...runtime.config, approvers: after.approvers }
  const told = [`the configuration was read again: ${fresh.length} models`]
  for (const [field, what] of needStart) {
    if (JSON.stringify(before[field]) === JSON.stringify(after[field])) continue
    told.push(`${what} changed; that takes a new start: ${commandName} restart`)
  }
  return told
}

const needStart = [
  ['privateTags', 'the tags of private notes'],
  ['port', 'the port'],
  ['embedding', 'the embeddings'],
  ['workspaces', 'the workspaces'],
  ['webHosts', 'the hosts of the web'],
  ['archivist', 'what the archivist may do'],
  ['events', 'the budgets of hooks'],
  ['mcpServers', 'the servers of other people’s tools'],
] as const

/** What the configuration says now; null when it cannot be taken over, which is told. Never throws. */
export function readAgain({ log }: Runtime, read: () => DaemonConfig): DaemonConfig | null {
  try {
    const after = read()
    for (const problem of after.problems) log('warn', problem)
    if (!after.problems.some((problem) => problem.includes(': error: '))) return after
    log('error', 'the configuration stays as it was')
  } catch (error) {
    log('error', `the configuration stays as it was: ${messageOf(error)}`)
  }
  return null
}

/** Takes over a configuration, unless there is none, and asks everybody who reads something again. Never rejects. */
export async function reloadAll(
  runtime: Runtime,
  before: DaemonConfig,
  after: DaemonConfig | null,
): Promise<DaemonConfig> {
  if (after !== null) for (const line of takeOver(runtime, before, after)) runtime.log('info', line)
  for (const [name, reloader] of runtime.reloaders) {
    try {
      for (const line of await reloader()) runtime.log('info', `${name}: ${line}`)
    } catch (error) {
      runtime.log('error', `${name} was not read again: ${messageOf(error)}`)
    }
  }
  return after ?? before
}
