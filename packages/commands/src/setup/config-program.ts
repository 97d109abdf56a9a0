import { homedir } from 'node:os'
import {
  commandName,
  configPath,
  formatProblem,
  messageOf,
  print,
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

const help = `Usage: passepartout config show [--json]
       passepartout config check [--json]          exit code 1 when there is an error
       passepartout config set HEADLINE PROPERTY VALUE [--dry-run] [--json]
       passepartout config unset HEADLINE PROPERTY [--dry-run] [--json]

Shows and checks config.org, and changes one property in it. Nothing else in the file is
touched, a change that would be a mistake is refused, and secrets are neither shown nor taken:
they belong into the vault. A running daemon takes it over with: passepartout reload
`

type Env = Record<string, string | undefined>

interface Answer {
  code: 0 | 1 | 2
  text: string
}

const anyKey: Secrets = { env: () => 'kept elsewhere', vault: () => 'kept elsewhere' }

/** Does what the words say. Never rejects. */
export async function configProgram(args: readonly string[], env: Env): Promise<Answer> {
  const flags = args.filter((word) => word.startsWith('--'))
  const [verb = '', headline = '', property = '', ...rest] = args.filter(
    (word) => !flags.includes(word),
  )
  if (flags.includes('--help')) return { code: 0, text: help }
  const isKnown = flags.every((flag) => flag === '--json' || flag === '--dry-run')
  const path = configPath(env, env.HOME ?? homedir())
  const isJson = flags.includes('--json')
  if (!isKnown) return { code: 2, text: help }
  try {
    if (headline === '' && verb === 'show') return shown(path, isJson)
    if (headline === '' && verb === 'check') return await checked(path, env, isJson)
    const isSet = verb === 'set' && rest.length > 0
    if (property === '' || !(isSet || (verb === 'unset' && rest.length === 0)))
      return { code: 2, text: help }
    const value = isSet ? rest.join(' ') : null
    return changed(
      path,
      { headline, property, value },
      { isJson, isDry: flags.includes('--dry-run') },
    )
  } catch (error) {
    return { code: 1, text: `${messageOf(error)}\n` }
  }
}

function shown(path: string, isJson: boolean): Answer {
  const entries = showConfig(configText(path))
  if (isJson) return { code: 0, text: `${JSON.stringify({ path, entries }, null, 1)}\n` }
  const none = `Nothing is configured; ${commandName} setup asks what it needs.\n`
  return { code: 0, text: `${path}\n${entries.length === 0 ? none : entryLines(entries)}` }
}

async function checked(path: string, env: Env, isJson: boolean): Promise<Answer> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const secrets = {
    env: (name: string) => env[name] ?? null,
    vault: (name: string) => vault.get(name),
  }
  const { problems } = readConfigFile(path, configTable(secrets))
  const code = problems.some(({ severity }) => severity === 'error') ? 1 : 0
  if (isJson) return { code, text: `${JSON.stringify({ path, problems }, null, 1)}\n` }
  const lines = problems.map((problem) => `${formatProblem(problem)}\n`)
  return { code, text: lines.length === 0 ? `${path} is in order.\n` : lines.join('') }
}

function changed(
  path: string,
  change: ConfigChange,
  { isDry, isJson }: { isDry: boolean; isJson: boolean },
): Answer {
  const before = configText(path)
  const edit = editConfig(before, change, () => configTable(anyKey))
  if (!edit.ok) return { code: 1, text: isJson ? `${JSON.stringify(edit)}\n` : `${edit.reason}\n` }
  const isSame = edit.text === before
  if (!isDry && !isSame) writeConfig(path, before, edit.text)
  const isWritten = !isDry && !isSame
  if (isJson)
    return { code: 0, text: `${JSON.stringify({ path, written: isWritten, diff: edit.diff })}\n` }
  if (isSame) return { code: 0, text: 'It is so already.\n' }
  const next = isDry
    ? 'Nothing was written.'
    : `${path} is written. A daemon takes it over: ${commandName} reload`
  return { code: 0, text: `${edit.diff}\n${next}\n` }
}

if (import.meta.main) {
  const { code, text } = await configProgram(process.argv.slice(2), process.env)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
