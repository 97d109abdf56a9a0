import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { commandName } from '@passepartout/core/presence'
import { runSkillProgram } from '../session/daemon-process.ts'

/** Runs the setup; resolves to its exit code. */
export async function setup(words: readonly string[]): Promise<number> {
  const isComplete = words.some((word) => /^(?:-y|--yes|-h|--help|--systemd|--dry-run)$/.test(word))
  const isWatched = process.stdin.isTTY === true && process.stdout.isTTY === true
  if (isComplete || !isWatched) return runSkillProgram('setup-program', words)
  return wizard(words)
}

const vendors = [
  { value: '', label: 'none for now', hint: 'it answers by rules' },
  { value: 'ollama', label: 'Ollama', hint: 'on this machine' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'google', label: 'Google' },
  { value: 'openai-compatible', label: 'another server', hint: 'that speaks as OpenAI does' },
]

async function wizard(words: readonly string[]): Promise<number> {
  const clack = await import('@clack/prompts')
  const answered: Answered = (answer) => {
    if (typeof answer === 'symbol') throw new Left()
    return answer as Exclude<typeof answer, symbol>
  }
  try {
    clack.intro('Passepartout')
    const chosen = [...words]
    if (!words.includes('--memex')) {
      const initialValue = usualFolder()
      const message = 'Where are your Org files?'
      const memex = answered(await clack.text({ message, initialValue, validate: notEmpty }))
      chosen.push('--memex', memex)
    }
    const key = words.includes('--provider') ? null : await askModel(clack, answered, chosen)
    if (key !== null) await keepKey(key.name, key.value)
    const code = await runSkillProgram('setup-program', [...chosen, '--yes'])
    if (code !== 0) return code
    clack.outro(`Next: ${commandName} start --detach, then ${commandName} chat`)
    return 0
  } catch (error) {
    if (!(error instanceof Left)) throw error
    clack.cancel('Nothing was changed.')
    return 130
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
  chosen: string[],
): Promise<Key | null> {
  const ask = async (message: string, initialValue = '') =>
    answered(await clack.text({ message, initialValue, validate: notEmpty }))
  const message = 'Is there a language model to ask?'
  const provider = answered(await clack.select({ message, options: vendors }))
  if (provider === '') return null
  chosen.push('--provider', provider, '--model', await ask('Which model, as the vendor writes it?'))
  if (provider === 'openai-compatible') {
    chosen.push('--base-url', await ask('Where is the server?', 'http://127.0.0.1:8080/v1'))
  }
  if (provider === 'ollama') return null
  const value = answered(
    await clack.password({ message: 'Its key (kept in the encrypted vault; empty for none)' }),
  )
  if (value.trim() === '') return null
  const name = keyName(provider)
  chosen.push('--key-vault', name)
  return { name, value: value.trim() }
}

/** The name in the vault of the key of a vendor, as the vault wants names. */
export function keyName(provider: string): string {
  return `${provider.toLowerCase()}-key`
}

async function keepKey(name: string, value: string): Promise<void> {
  const code = await runSkillProgram('vault-program', ['set', name], value)
  if (code !== 0) throw new Error(`The key was not kept. Try: ${commandName} vault set ${name}`)
}
