import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateDirectory } from '@passepartout/core/presence'
import { type Client, connect } from '@passepartout/core/protocol'
import { onTestFinished } from 'vitest'
import { endProcess, spawnDaemon } from '../../packages/clients/src/session/daemon-process.ts'

/** Starts a daemon that lives until the end of the test, and connects to it with its token. */
export async function startRunning(env: Record<string, string | undefined>): Promise<Client> {
  const { child, port } = await spawnDaemon(env)
  const token = readFileSync(join(stateDirectory(env), 'token'), 'utf8').trim()
  const client = await connect({ host: '127.0.0.1', port, token })
  onTestFinished(async () => {
    client.close()
    await endProcess(child.pid!)
  })
  return client
}

/** Says something and returns all that is answered in this turn, a line or more for each answer. */
export async function say(client: Client, text: string): Promise<string> {
  const payload = { sensor: 'user-input', text }
  client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
  let said = ''
  for await (const signal of client) {
    if (signal.type === 'response') said += `${signal.payload.text}\n`
    if (signal.type === 'status' && signal.payload.action === 'turn-end') break
  }
  return said
}
