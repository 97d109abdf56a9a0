import { nearestName, stateDirectory } from '@passepartout/core'
import { isRecognisable, openVault, type Vault } from '@passepartout/gates/secrets'
import { type Answer, type Environment, type Given, ProgramError } from '../line/program.ts'

/** The names of what is kept. */
export async function listSecrets({ env }: Given): Promise<Answer> {
  const names = (await readable(env)).names()
  return { text: names.join('\n'), data: names.map((name) => ({ name })) }
}

/** Keeps what is typed or piped in. */
export async function keepSecret({ env, secret, words: [name = ''] }: Given): Promise<Answer> {
  const vault = await readable(env)
  const value = (await secret('The value')).replace(/\r?\n$/, '')
  await vault.set(name, value)
  const warning = ' It is too short to be recognised, so nothing keeps it from being sent.'
  return { text: `${name} is kept.${isRecognisable(value) ? '' : warning}` }
}

/** Takes an entry out for good. */
export async function removeSecret({ env, words: [name = ''] }: Given): Promise<Answer> {
  const vault = await readable(env)
  if (await vault.remove(name)) return { text: `${name} is gone.` }
  const near = nearestName(name, vault.names())
  const meant = near === null ? '' : ` Did you mean ${near}?`
  throw new ProgramError(`There is no ${name}.${meant}`)
}

async function readable(env: Environment): Promise<Vault> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const problem = vault.problem()
  if (problem !== null) throw new ProgramError(problem)
  return vault
}
