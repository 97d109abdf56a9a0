import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { printError } from '@passepartout/core/presence'
import { stateDirectory } from '@passepartout/core/protocol'
import { reachDaemon } from '../session/reach-daemon.ts'
import { serveMcpHttp } from './http.ts'
import { mcpServer, openDoor } from './tools.ts'

/** Where the token for programs is kept. */
export function mcpTokenPath(env: Record<string, string | undefined>): string {
  return join(stateDirectory(env), 'mcp-token')
}

/** The token for programs, which is made when there is none: 64 hex digits, for this user only. */
export function mcpToken(env: Record<string, string | undefined>): string {
  const path = mcpTokenPath(env)
  mkdirSync(stateDirectory(env), { recursive: true, mode: 0o700 })
  if (existsSync(path)) {
    chmodSync(path, 0o600)
    const token = readFileSync(path, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return token
  }
  const token = randomBytes(32).toString('hex')
  writeFileSync(path, `${token}\n`, { mode: 0o600 })
  chmodSync(path, 0o600)
  return token
}

type Environment = Record<string, string | undefined>

/** Serves until the other program, or a signal, ends it. */
export async function mcp(env: Environment, port: number | null): Promise<void> {
  console.log = console.error
  const door = openDoor(() => reachDaemon(env, { source: 'mcp' }))
  const factory = () => mcpServer(door)
  const onError = (error: Error) => printError(`passepartout: ${error.message}\n`)
  const ended = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve())
    if (port === null) process.stdin.once('close', resolve).once('end', resolve)
  })
  const server =
    port === null
      ? serveStdio(factory, { onerror: onError })
      : await serveMcpHttp(factory, { port, token: mcpToken(env), onError })
  if ('port' in server) {
    const where = `http://127.0.0.1:${String(server.port)}/mcp`
    printError(`Serving ${where}; the token is in ${mcpTokenPath(env)}\n`)
  }
  process.stdout.on('error', () => process.exit(0))
  await ended
  await server.close()
  door.close()
  process.stdin.destroy()
}
