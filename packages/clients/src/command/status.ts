import { commandName, type Presence, presenceOf, stateDirectory } from '@passepartout/core/presence'
import type { Answer, Environment } from '#commands/program'

/** The status of this user's daemon, with the exit codes that service managers expect. */
export async function statusOf(env: Environment): Promise<Answer> {
  const presence = await presenceOf(stateDirectory(env))
  const code = presence === null ? 3 : presence.state === 'ready' ? 0 : 4
  return { code, text: asText(presence), data: asData(presence) }
}

function asData(presence: Presence | null) {
  if (presence === null) return { running: false, state: 'stopped' }
  const { health, memex, pid, port, since, state } = presence
  return { running: true, state, pid, port, memex, since, ...health }
}

function asText(presence: Presence | null): string {
  if (presence === null) return 'No daemon is running.'
  const { health, memex, pid, port, state } = presence
  if (state === 'starting') return `Starting for ${memex} (process ${pid}).`
  if (state === 'hanging') {
    return `It does not answer: process ${pid}, for ${memex}.\nLook: ${commandName} logs. End it: ${commandName} stop.`
  }
  const first = `Running for ${memex} (process ${pid}, port ${port}).`
  return health === null ? first : `${first}\n${healthLine(health)}`
}

function healthLine(health: Record<string, unknown>): string {
  const number = (name: string) => (typeof health[name] === 'number' ? health[name] : 0)
  const memory = Math.round(number('memoryBytes') / 1_000_000)
  const up = `up ${lengthOf(number('uptimeMs'))}`
  const { scope = 'memex' } = health
  const where =
    scope === 'memex' ? '' : `, new ones begin in ${String(scope).replace(/[^ -~]/g, '?')}`
  const sessions = number('sessions')
  const counts = `${number('objects')} notes and headings, ${sessions} session${sessions === 1 ? '' : 's'}`
  return `${up}, ${memory} MB, ${counts}${where}`
}

function lengthOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${Math.floor(ms / 1_000)} s`
  if (hours < 1) return `${minutes} min`
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}
