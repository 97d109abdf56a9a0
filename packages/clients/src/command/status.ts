import {
  commandName,
  type Presence,
  presenceOf,
  print,
  stateDirectory,
} from '@passepartout/core/presence'

type Environment = Record<string, string | undefined>

/** What to print, and the exit code. */
export interface Status {
  text: string
  code: number
}

/** The status of this user's daemon. */
export async function statusOf(env: Environment, isJson: boolean): Promise<Status> {
  const presence = await presenceOf(stateDirectory(env))
  const code = presence === null ? 3 : presence.state === 'ready' ? 0 : 4
  return { text: isJson ? asJson(presence) : asText(presence), code }
}

function asJson(presence: Presence | null): string {
  if (presence === null) return JSON.stringify({ running: false, state: 'stopped' })
  const { health, memex, pid, port, since, state } = presence
  return JSON.stringify({ running: true, state, pid, port, memex, since, ...health })
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

/** Runs `status` with its options; false for options that it does not know. */
export async function runStatus(options: readonly string[]): Promise<boolean> {
  if (options.some((option) => option !== '--json')) return false
  const { code, text } = await statusOf(process.env, options.length > 0)
  print(`${text}\n`)
  process.exitCode = code
  return true
}
