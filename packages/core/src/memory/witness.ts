import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Database } from '../base/sqlite-access.ts'

/** What a memory must hold. */
export interface Witness {
  /** The number of the last commit. */
  commits: number
  /** The names of the snapshots that somebody named. */
  snapshots: string[]
  /** What was lost and has not been acknowledged. */
  lost: string | null
}

const witnessSchema: z.ZodType<Witness> = z.object({
  commits: z.int().nonnegative(),
  snapshots: z.array(z.string()),
  lost: z.string().nullable(),
})

function witnessPath(stateDir: string): string {
  return join(stateDir, 'memory.witness')
}

/** What was attested last; null when there is no witness that can be read. */
export function readWitness(stateDir: string): Witness | null {
  try {
    return witnessSchema.parse(JSON.parse(readFileSync(witnessPath(stateDir), 'utf8')))
  } catch {
    return null
  }
}

/** Replaces the witness. Throws what the system throws. */
export function writeWitness(stateDir: string, witness: Witness): void {
  const path = witnessPath(stateDir)
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, `${JSON.stringify(witness)}\n`, { mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** What a database holds. */
export function holdingOf(db: Database): Pick<Witness, 'commits' | 'snapshots'> {
  const last = db.prepare("SELECT value FROM state WHERE name = 'seq'").get()?.value
  const named = db.prepare('SELECT name FROM snapshots WHERE name IS NOT NULL ORDER BY at, id')
  return { commits: Number(last ?? 0), snapshots: named.all().map(({ name }) => String(name)) }
}

const namesMax = 9

/** What the witness knows of and is not held, as the subject of a sentence; null when nothing is missing. */
export function shortfall(
  witness: Pick<Witness, 'commits' | 'snapshots'>,
  held: Pick<Witness, 'commits' | 'snapshots'>,
): string | null {
  const commits = witness.commits - held.commits
  const has = new Set(held.snapshots)
  const gone = witness.snapshots.filter((name) => !has.has(name))
  const names = gone.slice(0, namesMax).join(', ')
  const more = gone.length > namesMax ? ` and ${gone.length - namesMax} more` : ''
  const parts = [
    ...(commits > 0 ? [commits === 1 ? 'the last change' : `the last ${commits} changes`] : []),
    ...(gone.length === 1 ? [`the snapshot ${names}`] : []),
    ...(gone.length > 1 ? [`the snapshots ${names}${more}`] : []),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}
