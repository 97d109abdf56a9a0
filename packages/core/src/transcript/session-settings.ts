import { cpSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type ConfigSection, defineSection, oneOf } from '../settings/config.ts'
import { type SessionLimits, sessionFolder, sessionLimits } from './session-file.ts'

/** Where sessions are kept, and how many of them. */
export interface SessionSettings {
  place: 'state' | 'memex'
  limits: Pick<SessionLimits, 'days' | 'sessions' | 'totalBytes'>
}

/** What holds without a section. */
export const sessionDefaults: SessionSettings = { place: 'state', limits: sessionLimits }

const whole = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999')
  .transform(Number)

/** The section of the configuration about sessions. */
export const sessionSection: ConfigSection<SessionSettings> = defineSection({
  marker: 'SESSIONS',
  properties: z.object({
    SESSIONS: oneOf('state', 'memex'),
    KEEP_DAYS: whole.default(sessionLimits.days),
    MEGABYTES: whole.default(sessionLimits.totalBytes / 1_000_000),
    MOST: whole.default(sessionLimits.sessions),
  }),
  read: (values) => ({
    place: values.SESSIONS,
    limits: {
      days: values.KEEP_DAYS,
      totalBytes: values.MEGABYTES * 1_000_000,
      sessions: values.MOST,
    },
  }),
})

/** The folder of the sessions, with the link that the settings want. Throws what the system throws. */
export function placeSessions(
  { memexDir, stateDir }: { memexDir: string; stateDir: string },
  { place }: SessionSettings,
): string {
  const folder = sessionFolder(stateDir)
  const wanted = place === 'memex' ? join(memexDir, '.passepartout', 'sessions') : null
  const now = linkOf(folder)
  if (now === wanted) return folder
  if (wanted !== null) {
    mkdirSync(wanted, { recursive: true, mode: 0o700 })
    if (now === null && lstatSync(folder, { throwIfNoEntry: false })) copied(folder, wanted)
    rmSync(folder, { recursive: true, force: true })
    symlinkSync(wanted, folder)
  } else {
    rmSync(folder)
    mkdirSync(folder, { mode: 0o700 })
    if (now !== null && lstatSync(now, { throwIfNoEntry: false })) copied(now, folder)
    if (now !== null) rmSync(now, { recursive: true, force: true })
  }
  return folder
}

function linkOf(folder: string): string | null {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isSymbolicLink() === true ? readlinkSync(folder) : null
}

function copied(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true })
}
