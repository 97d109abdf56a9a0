import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createLoop, createRuntime, loadSkills, openMemex, startServer } from '@passepartout/core'
import { z } from 'zod'
import { actuators } from './actuators.ts'
import { dispatcher } from './gate-dispatcher.ts'
import { policy } from './gate-policy.ts'
import { validator } from './gate-validator.ts'
import { notes } from './notes.ts'
import { planner } from './planner.ts'
import { type OpenAiSettings, openAi, parseOpenAiSettings } from './provider-openai.ts'
import { tasks } from './tasks.ts'

/** What the daemon was told by its environment. Paths are absolute. */
export interface DaemonConfig {
  memexDir: string
  stateDir: string
  home: string
  port: number
  openAi: OpenAiSettings | null
}

const portSchema = z.coerce.number().int().min(0).max(65_535)

/** Reads the configuration. Throws a TypeError that names the variable and what it should be. */
export function readDaemonConfig(env: Record<string, string | undefined>): DaemonConfig {
  const home = env.HOME ?? homedir()
  const memexDir = resolve(env.MEMEX_DIR ?? '')
  if (!env.MEMEX_DIR || !existsSync(memexDir) || !statSync(memexDir).isDirectory()) {
    throw new TypeError('Expected MEMEX_DIR to be the folder of your Org files')
  }
  const port = portSchema.safeParse(env.PASSEPARTOUT_PORT ?? '0')
  if (!port.success)
    throw new TypeError('Expected PASSEPARTOUT_PORT to be a number from 0 to 65535')
  return {
    memexDir,
    stateDir: join(env.XDG_STATE_HOME ?? join(home, '.local', 'state'), 'passepartout'),
    home,
    port: port.data,
    openAi: parseOpenAiSettings(env),
  }
}

/** Reads the token of the state directory, or makes one: 64 hex digits in a file of mode 0600. */
export function ensureToken(stateDir: string): string {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const path = join(stateDir, 'token')
  if (existsSync(path)) {
    chmodSync(path, 0o600)
    const token = readFileSync(path, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return token
    rmSync(path)
  }
  const token = randomBytes(32).toString('hex')
  writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' })
  return token
}

function skillsOf(config: DaemonConfig): Skill[] {
  return [policy, dispatcher, validator, actuators, notes, tasks, openAi(config.openAi), planner]
}
