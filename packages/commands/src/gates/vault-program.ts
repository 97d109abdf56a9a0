import { messageOf, nearestName, print, stateDirectory } from '@passepartout/core'
import { isRecognisable, openVault, type Vault } from '@passepartout/gates/secrets'
import { readTypedSecret } from './typed-secret.ts'

const help = `Usage: passepartout vault list [--json]
       passepartout vault set NAME < VALUE
       passepartout vault remove NAME

Keeps credentials in an encrypted file that only you can read. Values are read from
standard input and never printed. PASSEPARTOUT_VAULT_PASSPHRASE locks the file with a
passphrase instead of an identity beside it.
`

/** What came of it: an exit code and a text, for standard error unless the code is 0. */
export interface VaultAnswer {
  code: 0 | 1 | 2
  text: string
}

/** Does what the words say. `readValue` is asked only for `set`. Never throws. */
export async function runVault(
  words: readonly string[],
  env: Record<string, string | undefined>,
  readValue: () => Promise<string>,
): Promise<VaultAnswer> {
  const isJson = words.includes('--json')
  const [verb = '--help', name = '', ...more] = words.filter((word) => word !== '--json')
  if (verb === '--help' || verb === '-h') return { code: 0, text: help }
  if (isJson && verb !== 'list') return { code: 2, text: help }
  const needsName = verb === 'set' || verb === 'remove'
  if (!(needsName || verb === 'list') || (name !== '') !== needsName || more.length > 0) {
    return { code: 2, text: help }
  }
  try {
    const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
    const vault = await openVault({ dir: stateDirectory(env), passphrase })
    const said = await carryOut(verb, name, vault, readValue)
    if (!isJson || said.code !== 0) return said
    return { code: 0, text: `${JSON.stringify(vault.names().map((each) => ({ name: each })))}\n` }
  } catch (error) {
    return { code: 1, text: `${messageOf(error)}\n` }
  }
}

async function carryOut(
  verb: string,
  name: string,
  vault: Vault,
  readValue: () => Promise<string>,
): Promise<VaultAnswer> {
  const problem = vault.problem()
  if (problem !== null) return { code: 1, text: `${problem}\n` }
  if (verb === 'list')
    return {
      code: 0,
      text: vault
        .names()
        .map((each) => `${each}\n`)
        .join(''),
    }
  if (verb === 'remove') {
    if (await vault.remove(name)) return { code: 0, text: `${name} is gone.\n` }
    const near = nearestName(name, vault.names())
    const meant = near === null ? '' : ` Did you mean ${near}?`
    return { code: 1, text: `There is no ${name}.${meant}\n` }
  }
  const value = (await readValue()).replace(/\r?\n$/, '')
  await vault.set(name, value)
  const warning = ' It is too short to be recognised, so nothing keeps it from being sent.'
  return { code: 0, text: `${name} is kept.${isRecognisable(value) ? '' : warning}\n` }
}

if (import.meta.main) {
  const value = () => readTypedSecret('The value')
  const { code, text } = await runVault(process.argv.slice(2), process.env, value)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
