import { type Client, connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import type { Answer, Daemon, Environment, Reply } from '#commands/program'
import { asCommand } from '../session/client-session.ts'
import { hear, silent } from './ask.ts'
import { printer } from './chat.ts'

async function withDaemon<T>(env: Environment, work: (client: Client) => Promise<T>) {
  const client = await connectToDaemon(stateDirectory(env), asCommand).catch(() => null)
  if (client === null) return null
  try {
    return await work(client)
  } finally {
    client.close()
  }
}

/** Says a sentence to the daemon; null when none runs. */
export async function sayTo(
  env: Environment,
  sentence: string,
  { isConfirmed = false, success }: Parameters<Daemon['say']>[1],
): Promise<Answer | null> {
  return withDaemon(env, async (client) => {
    const also = { ...silent, notice: (text: string) => printer.notice(text) }
    const heard = await hear(client, sentence, also, { success })
    const { approval } = heard.data
    if (!isConfirmed || approval === null) return heard
    return hear(client, `approve ${approval}`, also, { success })
  })
}

/** Sends an event to the daemon; null when none runs. */
export async function tell(
  env: Environment,
  payload: Parameters<Daemon['tell']>[0],
): Promise<Reply | null> {
  return withDaemon(env, async (client) => {
    client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
    let said = ''
    let isWaiting = false
    for await (const signal of client) {
      if (signal.type === 'response') {
        said += `${signal.payload.text ?? ''}\n`
        isWaiting ||= signal.payload.question !== undefined
      }
      if (signal.type === 'status' && signal.payload.action === 'turn-end') break
    }
    return {
      lines: said
        .trimEnd()
        .split('\n')
        .filter((line) => isWaiting || line !== ''),
      isWaiting,
    }
  })
}
