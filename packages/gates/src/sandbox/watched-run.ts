import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { messageOf, type Runtime, type Signal, tellOwner } from '@passepartout/core'
import { z } from 'zod'
import { restoreStartup, type StartupLook, type StartupOutcome } from './startup-files.ts'
import { askAboutChanges } from './startup-question.ts'

/** A run, and how long it may take. */
interface WatchedRun {
  stateDir: string
  /** Taken just before. */
  look: StartupLook
  timeoutMs: number
}

const graceMs = 5_000

/** Runs something between two looks, and undoes what it has left to run later. Rejects as the run does. */
export async function runWatched<T>(
  { look, stateDir, timeoutMs }: WatchedRun,
  run: () => Promise<T>,
): Promise<{ result: T; left: StartupOutcome }> {
  const folder = folderOf(stateDir)
  const file = join(folder, `${Date.now()}-${randomBytes(4).toString('hex')}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const until = Date.now() + timeoutMs + graceMs
  writeFileSync(`${file}.new`, serialize({ ...look, until }), { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.new`, file)
  let left: StartupOutcome | null = null
  try {
    const result = await run()
    left = restoreStartup(look)
    return { result, left }
  } finally {
    if (left === null) restoreStartup(look)
    rmSync(file, { force: true })
  }
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'unfinished-runs')
}

const fileSchema = z.object({
  path: z.string(),
  kind: z.enum(['file', 'link', 'other']),
  mode: z.int(),
  content: z.instanceof(Buffer),
  isWhole: z.boolean(),
  changed: z.number(),
  runsByItself: z.boolean(),
  through: z.array(z.string()),
  isNote: z.boolean(),
})

const lookSchema = z.object({
  dir: z.string(),
  files: z.map(z.string(), fileSchema),
  folders: z.set(z.string()),
  repositories: z.set(z.string()),
  links: z.map(z.string(), z.string()),
  options: z.object({
    others: z.array(z.string()).optional(),
    hasNotes: z.boolean().optional(),
    home: z.string().optional(),
  }),
  unread: z.set(z.string()),
  until: z.number(),
})

const cause = 'A command that was cut short when the daemon ended'

/** Finishes the runs in which another daemon has ended, and tells the owner. Never rejects. */
export async function finishRuns(runtime: Runtime): Promise<void> {
  const folder = folderOf(runtime.config.stateDir)
  for (const name of namesIn(folder)) {
    const file = join(folder, name)
    try {
      if (!name.endsWith('.new')) tellAll(runtime, await finished(runtime, file))
    } catch (error) {
      const reason = messageOf(error)
      tellOwner(runtime, `${cause} could not be looked into: ${reason}.`)
    }
    rmSync(file, { force: true })
  }
}

async function finished(runtime: Runtime, file: string): Promise<string[]> {
  const { until, ...look } = lookSchema.parse(deserialize(readFileSync(file)))
  const meta = { source: 'cli', origin: 'tool' as const }
  const signal: Signal = { type: 'event', meta, payload: {}, depth: 0 }
  const left = restoreStartup(look, until)
  return askAboutChanges({ runtime, signal, dir: look.dir, cause }, left)
}

function tellAll(runtime: Runtime, notes: readonly string[]): void {
  if (notes.length > 0) tellOwner(runtime, `${cause}: ${notes.join(' ')}`)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
