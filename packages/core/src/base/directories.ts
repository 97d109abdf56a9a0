import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

type Environment = Record<string, string | undefined>

function directory(env: Environment, variable: string, ...fallback: string[]): string {
  const given = env[variable] ?? ''
  const base = given.startsWith('/') ? given : join(env.HOME ?? homedir(), ...fallback)
  return join(base, 'passepartout')
}

/** What the owner writes: `config.org`, `permissions.org`. Absolute. (XDG Base Directory 0.8) */
export function configDirectory(env: Environment): string {
  return directory(env, 'XDG_CONFIG_HOME', '.config')
}

/** What the owner brings along. Absolute; it may not exist. */
export function dataDirectory(env: Environment): string {
  return directory(env, 'XDG_DATA_HOME', '.local', 'share')
}

/** The daemon's state directory, absolute; it may not exist yet. */
export function stateDirectory(env: Environment): string {
  return directory(env, 'XDG_STATE_HOME', '.local', 'state')
}

/** What can be thrown away while nothing runs. Absolute. */
export function cacheDirectory(env: Environment): string {
  return directory(env, 'XDG_CACHE_HOME', '.cache')
}

/** The owner's own skills. Absolute; most have none. */
export function skillsDirectory(env: Environment): string {
  return join(dataDirectory(env), 'skills')
}

/** What the folders begin with in which archives are unpacked for this state directory. */
export function restorePrefix(stateDir: string): string {
  return join(dirname(stateDir), `.${basename(stateDir)}-restore-`)
}

/** What restores have left that did not come to their end. Absolute. */
export function leftRestores(stateDir: string): string[] {
  const folder = dirname(stateDir)
  if (!existsSync(folder)) return []
  const prefix = basename(restorePrefix(stateDir))
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix))
  return names.map((name) => join(folder, name))
}
