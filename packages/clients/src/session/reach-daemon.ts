import { printError } from '@passepartout/core/presence'
import { type Client, connectToDaemon, stateDirectory } from '@passepartout/core/protocol'
import { release, spawnDaemon } from './daemon-process.ts'

/** How a client introduces itself. */
interface Introduction {
  source: string
  capabilities?: readonly string[]
  /** A session to go on with. */
  sessionId?: string
}

/** A connection to the daemon. Rejects with why there is none. */
export async function reachDaemon(
  env: Record<string, string | undefined>,
  wishes: Introduction,
): Promise<Client> {
  const reach = () => connectToDaemon(stateDirectory(env), wishes).catch(() => null)
  const there = await reach()
  if (there !== null) return there
  try {
    const daemon = await spawnDaemon(env)
    printError(daemon.warnings)
    release(daemon)
  } catch (error) {
    const other = await reach()
    if (other !== null) return other
    throw error
  }
  const started = await reach()
  if (started === null) throw new Error('The daemon does not answer')
  return started
}
