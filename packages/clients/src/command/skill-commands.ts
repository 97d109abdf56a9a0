import { print, printError, whyNoDaemon } from '@passepartout/core/presence'
import { connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { asCommand } from '../session/client-session.ts'
import { runSkillProgram } from '../session/daemon-process.ts'

/** Does what the words after `skill` say; resolves to the exit code. */
export async function runSkillCommand(words: readonly string[]): Promise<number> {
  const asked = proposalIn(words)
  if (asked !== null) return askForProposal(asked, words.includes('--json'))
  if (words[0] !== 'reload') return runSkillProgram('skill-program', words)
  const isJson = words.includes('--json')
  const lines = await reloadSkills(process.env)
  if (lines === null) {
    printError(`${whyNoDaemon(stateDirectory(process.env))}\n`)
    return 3
  }
  print(isJson ? `${JSON.stringify(lines)}\n` : lines.map((line) => `${line}\n`).join(''))
  return 0
}

/** Has the daemon look again; resolves to a line for each skill, or null without a daemon. */
async function reloadSkills(env: Record<string, string | undefined>): Promise<string[] | null> {
  const client = await connectToDaemon(stateDirectory(env), asCommand).catch(() => null)
  if (client === null) return null
  try {
    const payload = { sensor: 'skill-reload' }
    client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
    let text = ''
    for await (const signal of client) {
      if (signal.type === 'response') text += `${signal.payload.text ?? ''}\n`
      if (signal.type === 'status' && signal.payload.action === 'turn-end') break
    }
    return text.split('\n').filter((line) => line !== '')
  } finally {
    client.close()
  }
}

interface Asked {
  sensor: 'skill-improve' | 'skill-create'
  skill: string
  text: string
}

/** What the words want a model for; null when they want none. */
export function proposalIn(words: readonly string[]): Asked | null {
  const [verb, ...rest] = words.filter((word) => word !== '--json')
  const from = rest.indexOf('--from')
  const [skill = '', ...more] = from < 0 ? rest : rest.toSpliced(from)
  if (skill === '' || skill.startsWith('-')) return null
  if (verb === 'improve' && from < 0)
    return { sensor: 'skill-improve', skill, text: more.join(' ') }
  if (verb !== 'new' || from < 0 || more.length > 0) return null
  return { sensor: 'skill-create', skill, text: rest.slice(from + 1).join(' ') }
}

async function askForProposal(asked: Asked, isJson: boolean): Promise<number> {
  const client = await connectToDaemon(stateDirectory(process.env), asCommand).catch(() => null)
  if (client === null) {
    printError(`A model is asked by a daemon. ${whyNoDaemon(stateDirectory(process.env))}\n`)
    return 1
  }
  try {
    client.send({ type: 'event', meta: { source: 'cli' }, payload: { ...asked }, depth: 0 })
    let text = ''
    let isWaiting = false
    for await (const signal of client) {
      if (signal.type === 'response') {
        text += `${signal.payload.text ?? ''}\n`
        isWaiting ||= signal.payload.question !== undefined
      }
      if (signal.type === 'status' && signal.payload.action === 'turn-end') break
    }
    const value = { skill: asked.skill, waits: isWaiting, text: text.trimEnd() }
    const shown = isJson ? `${JSON.stringify(value)}\n` : text
    print(shown, isWaiting || isJson ? 'stdout' : 'stderr')
    return isWaiting ? 3 : 1
  } finally {
    client.close()
  }
}
