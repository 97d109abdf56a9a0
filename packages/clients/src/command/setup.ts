import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { commandName, print } from '@passepartout/core/presence'
import type { Answer, Given, Program } from '#commands/program'
import { vault, setup as writing } from '#commands/programs'

type Wishes = Record<string, unknown>

/** Sets up, after its questions when somebody is there to answer them. */
export async function setup(given: Given<Wishes>): Promise<Answer> {
  const { options } = given
  const isComplete = ['yes', 'systemd', 'dry-run'].some((name) => options[name] === true)
  const isWatched = process.stdin.isTTY === true && process.stdout.isTTY === true
  return isComplete || !isWatched ? writing.run!(given) : wizard(given)
}

const vendors = [
  { value: '', label: 'none for now', hint: 'it answers by rules' },
  { value: 'ollama', label: 'Ollama', hint: 'on this machine' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'google', label: 'Google' },
  { value: 'openai-compatible', label: 'another server', hint: 'that speaks as OpenAI does' },
]

async function wizard(given: Given<Wishes>): Promise<Answer> {
  const clack = await import('@clack/prompts')
  const answered: Answered = (answer) => {
    if (typeof answer === 'symbol') throw new Left()
    return answer as Exclude<typeof answer, symbol>
  }
  try {
    clack.intro('Passepartout')
    const chosen: Wishes = { ...given.options, yes: true }
    if (chosen.memex === undefined) {
      const initialValue = usualFolder()
      const message = 'Where are your Org files?'
      chosen.memex = answered(await clack.text({ message, initialValue, validate: notEmpty }))
    }
    const key = chosen.provider === undefined ? await askModel(clack, answered, chosen) : null
    if (key !== null) await keepKey(given, key)
    const { text } = await writing.run!({ ...given, options: chosen })
    print(text.endsWith('\n') ? text : `${text}\n`)
    clack.outro(`Next: ${commandName} start --detach, then ${commandName} chat`)
    return { text: '' }
  } catch (error) {
    if (!(error instanceof Left)) throw error
    clack.cancel('Nothing was changed.')
    return { code: 130, text: '' }
  }
}

/** The answer, unless the user left. */
type Answered = <T>(answer: T) => Exclude<T, symbol>

/** The user left the questions. */
class Left extends Error {}

function notEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? 'Please say something.' : undefined
}

function usualFolder(): string {
  const found = ['org', 'notes', 'Notes', 'Documents/org'].find((name) =>
    existsSync(join(homedir(), name)),
  )
  return `~/${found ?? 'notes'}`
}

interface Key {
  name: string
  value: string
}

async function askModel(
  clack: typeof import('@clack/prompts'),
  answered: Answered,
  chosen: Wishes,
): Promise<Key | null> {
  const ask = async (message: string, initialValue = '') =>
    answered(await clack.text({ message, initialValue, validate: notEmpty }))
  const message = 'Is there a language model to ask?'
  const provider = answered(await clack.select({ message, options: vendors }))
  if (provider === '') return null
  chosen.provider = provider
  chosen.model = await ask('Which model, as the vendor writes it?')
  if (provider === 'openai-compatible') {
    chosen['base-url'] = await ask('Where is the server?', 'http://127.0.0.1:8080/v1')
  }
  if (provider === 'ollama') return null
  const value = answered(
    await clack.password({ message: 'Its key (kept in the encrypted vault; empty for none)' }),
  )
  if (value.trim() === '') return null
  const name = keyName(provider)
  chosen['key-vault'] = name
  return { name, value: value.trim() }
}

/** The name in the vault of the key of a vendor, as the vault wants names. */
export function keyName(provider: string): string {
  return `${provider.toLowerCase()}-key`
}

async function keepKey(given: Given<Wishes>, { name, value }: Key): Promise<void> {
  const keeping = vault.programs!.find((each) => each.name === 'set') as Program
  await keeping.run!({ ...given, words: [name], secret: async () => value })
}
