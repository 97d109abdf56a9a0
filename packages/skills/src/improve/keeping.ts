import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile, type SkillEngineOptions } from '@passepartout/core'
import { z } from 'zod'

/** A proposal that has passed the stages, and what became of it. */
export interface ProposalRecord {
  kind: 'change' | 'new' | 'patch'
  /** The skill's name; for a patch the document's path from the root of the book. */
  skill: string
  path: string
  /** SHA-256 of the document as it was; of the empty text for a new one. */
  base: string
  proposal: string
  /** Who proposed it, and why, in the model's words. */
  provider: string
  why: string
  /** The report of the stages. */
  lines: string[]
  state: 'proposed' | 'taken' | 'taken-back'
  /** ISO 8601. */
  at: string
}

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const recordSchema: z.ZodType<ProposalRecord> = z.object({
  kind: z.enum(['change', 'new', 'patch']),
  skill: z.string().min(1).max(300),
  path: z.string(),
  base: hash,
  proposal: hash,
  provider: z.string(),
  why: z.string(),
  lines: z.array(z.string()),
  state: z.enum(['proposed', 'taken', 'taken-back']),
  at: z.string(),
})

/** SHA-256 of a text, in hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Keeps both texts and the record in this folder. Throws when it cannot be written. */
export function keepProposal(
  folder: string,
  record: ProposalRecord,
  texts: { base: string; proposed: string },
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const text of [texts.base, texts.proposed]) {
    const path = join(folder, `${hashOf(text)}.org`)
    if (!existsSync(path)) replaceFile(path, text)
  }
  keepRecord(folder, record)
}

/** Writes the record over an older one. */
export function keepRecord(folder: string, record: ProposalRecord): void {
  replaceFile(join(folder, `${record.proposal}.json`), `${JSON.stringify(record, null, 1)}\n`)
}

/** The record of a proposal; null when there is none that can be read. */
export function readRecord(folder: string, proposal: string): ProposalRecord | null {
  if (!hash.safeParse(proposal).success) return null
  try {
    const read = recordSchema.safeParse(
      JSON.parse(readFileSync(join(folder, `${proposal}.json`), 'utf8')),
    )
    return read.success && read.data.proposal === proposal ? read.data : null
  } catch {
    return null
  }
}

/** All records of a folder. */
export function readRecords(folder: string): ProposalRecord[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.flatMap((name) => readRecord(folder, name.slice(0, -'.json'.length)) ?? [])
}

/** The text with this hash; null when it is not there, or is another one. */
export function readText(folder: string, wanted: string): string | null {
  try {
    const text = readFileSync(join(folder, `${wanted}.org`), 'utf8')
    return hashOf(text) === wanted ? text : null
  } catch {
    return null
  }
}

/** A document in one of the folders. */
interface FoundDocument {
  path: string
  text: string
  isOwners: boolean
}

const namePattern = /^[a-z][a-z0-9-]{0,40}$/

/** The document of a skill; null when there is none, or it is no plain file. */
export function findDocument(
  { folders }: Pick<SkillEngineOptions, 'folders'>,
  name: string,
): FoundDocument | null {
  if (!namePattern.test(name)) return null
  for (const { isOwners, path: folder } of folders) {
    const path = join(folder, `${name}.org`)
    if (!existsSync(path) || !lstatSync(path).isFile()) continue
    return { path, text: readFileSync(path, 'utf8'), isOwners }
  }
  return null
}

/** Why a document was not written. */
export class SwapError extends Error {}

/** Puts a text in the place of the one with the hash `base`; of a new one, where nothing is. */
export function swapDocument(
  { folders }: Pick<SkillEngineOptions, 'folders'>,
  path: string,
  base: string,
  text: string,
): void {
  const folder = folders.find((each) => each.path === dirname(path))
  const isPlain = namePattern.test(basename(path, '.org')) && path.endsWith('.org')
  if (folder === undefined || !isPlain) throw new SwapError(`${path} is in no folder of skills`)
  const isNew = base === hashOf('')
  if (isNew) mkdirSync(folder.path, { recursive: true, mode: 0o700 })
  const real = realpathSync(folder.path)
  const parent = realpathSync(dirname(folder.path))
  if (real !== join(parent, basename(folder.path))) throw new SwapError(`${folder.path} is a link`)
  if (isNew) {
    if (existsSync(path)) throw new SwapError(`${path} is there already`)
    replaceFile(path, text)
    return
  }
  const isFile = existsSync(path) && lstatSync(path).isFile()
  if (!isFile || hashOf(readFileSync(path, 'utf8')) !== base) {
    throw new SwapError(`${path} has changed since; nothing was written`)
  }
  replaceFile(path, text)
}
