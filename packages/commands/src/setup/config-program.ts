import { homedir } from 'node:os'
import {
  commandName,
  configPath,
  formatProblem,
  type Secrets,
  stateDirectory,
} from '@passepartout/core'
import { configTable } from '@passepartout/daemon'
import {
  type ConfigChange,
  configText,
  editConfig,
  entryLines,
  showConfig,
  writeConfig,
} from '@passepartout/daemon/configuration'
import { openVault, readConfigFile } from '@passepartout/gates/secrets'
import { type Answer, type Environment, type Given, ProgramError } from '../line/program.ts'

const pathIn = (env: Environment) => configPath(env, env.HOME ?? homedir())

/** What the configuration says, without secrets. */
export async function showFile({ env }: Given): Promise<Answer> {
  const path = pathIn(env)
  const entries = showConfig(configText(path))
  const none = `Nothing is configured; ${commandName} setup asks what it needs.\n`
  const text = `${path}\n${entries.length === 0 ? none : entryLines(entries)}`
  return { text, data: { path, entries } }
}

/** What a daemon would object to. */
export async function checkFile({ env }: Given): Promise<Answer> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const secrets = {
    env: (name: string) => env[name] ?? null,
    vault: (name: string) => vault.get(name),
  }
  const path = pathIn(env)
  const { problems } = readConfigFile(path, configTable(secrets))
  const code = problems.some(({ severity }) => severity === 'error') ? 1 : 0
  const lines = problems.map(formatProblem)
  const text = lines.length === 0 ? `${path} is in order.` : lines.join('\n')
  return { code, text, data: { path, problems } }
}

const anyKey: Secrets = { env: () => 'kept elsewhere', vault: () => 'kept elsewhere' }

interface Wish {
  'dry-run': boolean
}

/** Sets a property under a headline. */
export async function setProperty(given: Given<Wish>): Promise<Answer> {
  const [headline = '', property = '', ...rest] = given.words
  return change(given, { headline, property, value: rest.join(' ') })
}

/** Takes a property away. */
export async function unsetProperty(given: Given<Wish>): Promise<Answer> {
  const [headline = '', property = ''] = given.words
  return change(given, { headline, property, value: null })
}

function change({ env, options }: Given<Wish>, wished: ConfigChange): Answer {
  const path = pathIn(env)
  const before = configText(path)
  const edit = editConfig(before, wished, () => configTable(anyKey))
  if (!edit.ok) throw new ProgramError(edit.reason)
  const isSame = edit.text === before
  const written = !options['dry-run'] && !isSame
  if (written) writeConfig(path, before, edit.text)
  const next = written
    ? `${path} is written. A daemon takes it over: ${commandName} reload`
    : 'Nothing was written.'
  const text = isSame ? 'It is so already.' : `${edit.diff}\n${next}`
  return { text, data: { path, written, diff: edit.diff } }
}
