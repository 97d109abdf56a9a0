import { connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { runSkillProgram } from './daemon-process.ts'
import { capabilities, printable } from './talk.ts'

/** Does what the words after `skill` say; resolves to the exit code. */
export async function runSkillCommand(words: readonly string[]): Promise<number> {
  if (words[0] !== 'reload') return runSkillProgram('skill-program', words)
  const isJson = words.includes('--json')
  const lines = await reloadSkills(process.env)
  if (lines === null) {
    process.stderr.write('No daemon is running.\n')
    return 3
  }
  process.stdout.write(
    isJson ? `${JSON.stringify(lines)}\n` : lines.map((line) => `${line}\n`).join(''),
  )
  return 0
}

/** Has the daemon look again; resolves to a line for each skill, or null without a daemon. */
export async function reloadSkills(
  env: Record<string, string | undefined>,
): Promise<string[] | null> {
  const client = await connectToDaemon(stateDirectory(env), { capabilities }).catch(() => null)
  if (client === null) return null
  try {
    const payload = { sensor: 'skill-reload' }
    client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
    let text = ''
    for await (const signal of client) {
      if (signal.type === 'response') text += `${printable(signal.payload.text ?? '')}\n`
      if (signal.type === 'status' && signal.payload.action === 'turn-end') break
    }
    return text.split('\n').filter((line) => line !== '')
  } finally {
    client.close()
  }
}
