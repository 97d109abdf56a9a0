import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { commandName } from '../base/command-name.ts'
import { findInstance, type Instance } from '../base/daemon-lock.ts'
import { objectToPlist, plistToObject, printPlist, readPlist } from '../base/plist.ts'
import { encodeFrame, FrameDecoder } from './frame.ts'

export { commandName } from '../base/command-name.ts'
export { findInstance, type Instance, isAlive } from '../base/daemon-lock.ts'
export { cacheDirectory, stateDirectory } from '../base/directories.ts'
export { formatLogLine, lastLogLines, logPath } from '../base/log-file.ts'
export { ownVersion } from '../base/own-package.ts'
export { messageOf, print, printable, printError } from '../base/printing.ts'
export { keepState } from '../base/private-folder.ts'

/** A daemon, as seen from outside. */
export interface Presence extends Instance {
  state: 'starting' | 'ready' | 'hanging'
  port: number | null
  /** What it said about itself: version, sessions, uptime, memory; null when it was not asked or did not answer. */
  health: Record<string, unknown> | null
}

/** The daemon of a state directory; null when none is there. Never rejects. */
export async function presenceOf(stateDir: string, patienceMs = 1_000): Promise<Presence | null> {
  const instance = findInstance(stateDir)
  if (instance === null) return null
  const { port, socket } = announcementOf(stateDir, instance.pid)
  if (port === null) return { ...instance, state: 'starting', port, health: null }
  const health = socket === null ? null : await askHealth(socket, patienceMs)
  const isHanging = socket !== null && health === null
  return { ...instance, state: isHanging ? 'hanging' : 'ready', port, health }
}

/** Why there is no connection to the daemon of this state directory, and what to do. */
export function whyNoDaemon(stateDir: string): string {
  const instance = findInstance(stateDir)
  if (instance === null) {
    return `No daemon is running. Start one: ${commandName} start --detach --memex FOLDER`
  }
  const who = `The daemon (process ${instance.pid}, for ${instance.memex})`
  if (announcementOf(stateDir, instance.pid).port === null)
    return `${who} is still starting. Ask again in a moment.`
  return `${who} does not answer now. Ask again, or look: ${commandName} logs; or end it: ${commandName} stop`
}

function announcementOf(stateDir: string, pid: number) {
  const nothing = { port: null, socket: null }
  try {
    const found: unknown = JSON.parse(readFileSync(join(stateDir, 'daemon.json'), 'utf8'))
    const { pid: announced, port, socket } = found as Record<string, unknown>
    if (announced !== pid || typeof port !== 'number') return nothing
    return { port, socket: typeof socket === 'string' ? socket : null }
  } catch {
    return nothing
  }
}

function askHealth(path: string, patienceMs: number): Promise<Record<string, unknown> | null> {
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown> | null>()
  const socket = connect(path)
  const timer = setTimeout(() => resolve(null), patienceMs)
  const decoder = new FrameDecoder()
  socket.on('connect', () => {
    for (const action of ['authenticate', 'health-check']) socket.write(request(action))
  })
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const message of decoder.messages(chunk)) {
        const { action, ...health } = payloadOf(message)
        if (action === 'health') resolve(health)
      }
    } catch {
      resolve(null)
    }
  })
  socket.on('error', () => resolve(null)).on('close', () => resolve(null))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

function request(action: string): Buffer {
  const signal = { type: 'request', meta: { source: 'probe' }, payload: { action }, depth: 0 }
  return encodeFrame(printPlist(objectToPlist(signal)))
}

function payloadOf(message: string): Record<string, unknown> {
  const signal = plistToObject(readPlist(message)) as { payload?: unknown } | null
  const payload = signal?.payload
  return typeof payload === 'object' && payload !== null ? { ...payload } : {}
}
