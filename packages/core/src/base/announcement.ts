import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { findInstance } from './daemon-lock.ts'

const announcementSchema = z.object({
  pid: z.int().positive(),
  port: z.int().positive().max(65_535),
  memex: z.string(),
  socket: z.string().optional(),
})

/** What a running daemon says of itself. */
export interface Announcement {
  pid: number
  port: number
  /** The absolute path of its memex. */
  memex: string
  /** The absolute path of its Unix socket, when it has one. */
  socket?: string | undefined
}

/** The file in the state directory that holds it. */
export function announcementPath(stateDir: string): string {
  return join(stateDir, 'daemon.json')
}

/** The announcement of a daemon that runs, or null. */
export function findDaemon(stateDir: string): Announcement | null {
  try {
    const instance = findInstance(stateDir)
    if (instance === null) return null
    const text = readFileSync(announcementPath(stateDir), 'utf8')
    const announcement = announcementSchema.parse(JSON.parse(text))
    return announcement.pid === instance.pid ? announcement : null
  } catch {
    return null
  }
}

const socketPathMaxBytes = 100

/** Where the daemon's Unix socket belongs; undefined when the path would be too long for one. */
export function socketPathOf(stateDir: string): string | undefined {
  const path = join(stateDir, 'daemon.sock')
  return Buffer.byteLength(path) <= socketPathMaxBytes ? path : undefined
}

/** The token in the state directory. Throws when there is none or it cannot be read. */
export function readToken(stateDir: string): string {
  return readFileSync(join(stateDir, 'token'), 'utf8').trim()
}
