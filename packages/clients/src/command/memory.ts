import { print } from '@passepartout/core/presence'
import { connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { asCommand, ask } from '../session/client-session.ts'
import { runSkillProgram } from '../session/daemon-process.ts'
import { codeOf, questionIn, say } from './ask.ts'

/** The sentence for a daemon that these words come to, or null when they are for the program. */
export function sentenceFor(words: readonly string[]): string | null {
  const [verb, name, ...more] = words.filter((word) => !word.startsWith('--'))
  const flags = new Set(words.filter((word) => word.startsWith('--')))
  if (name === undefined || more.length > 0 || /["“”\n\r]/.test(name)) return null
  if (verb === 'snapshot' && flags.has('--remove')) return `delete the snapshot "${name}"`
  if (verb === 'snapshot') return `keep a snapshot called "${name}"`
  return verb === 'rollback' && flags.has('--files') ? `roll back to snapshot "${name}"` : null
}

const success = /The moment is kept as|is removed\.|The files are as they were in/

/** Does what the words after `memory` say; resolves to the exit code. */
export async function runMemory(
  words: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const sentence = words.includes('--help') ? null : sentenceFor(words)
  const client =
    sentence === null
      ? null
      : await connectToDaemon(stateDirectory(env), asCommand).catch(() => null)
  if (sentence === null || client === null) return runSkillProgram('memory-program', words)
  try {
    const isJson = words.includes('--json')
    if (!words.includes('--yes')) return await say(client, sentence, isJson, success)
    const answers: string[] = []
    const answer = (text: string) => void answers.push(text)
    const listener = { answer, notice: answer, piece: answer, ended() {} }
    await ask(client, sentence, listener)
    const word = questionIn(answers)
    if (word !== null) return await say(client, `approve ${word}`, isJson, success)
    print(`${answers.join('\n')}\n`)
    return codeOf(answers, success)
  } finally {
    client.close()
  }
}
