import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  commandName,
  diffOf,
  readGrants,
  replaceFile,
  type SkillEngineOptions,
  type SkillStatus,
  writeGrant,
  writeNewFile,
} from '@passepartout/core'
import { z } from 'zod'
import { findDocument, hashOf, readRecords, readText, swapDocument } from './keeping.ts'

/** A text that a skill has had. */
interface SkillVersion {
  skill: string
  /** Where the document lay. */
  path: string
  /** SHA-256 of the text, in hex. */
  hash: string
  /** ISO 8601: when it was first seen in this place. */
  at: string
  /** Such as `saved`, or who proposed it. */
  how: string
}

const versionSchema: z.ZodType<SkillVersion> = z.object({
  skill: z.string(),
  path: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.string(),
  how: z.string(),
})

const historyOf = (folder: string) => join(folder, 'versions.jsonl')

/** The folder of texts and their history in a state directory. */
export function versionsFolder(stateDir: string): string {
  return join(stateDir, 'improvements')
}

/** The versions of a skill, the oldest first. Never throws. */
export function versionsOf(folder: string, skill: string): SkillVersion[] {
  const path = historyOf(folder)
  if (!existsSync(path)) return []
  const versions = readFileSync(path, 'utf8').split('\n').map(versionIn)
  return versions.filter((version) => version?.skill === skill) as SkillVersion[]
}

function versionIn(line: string): SkillVersion | null {
  try {
    return versionSchema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}

/** Keeps a text, unless it is the one that was there last. Throws when it cannot be written. */
export function keepVersion(
  folder: string,
  version: Omit<SkillVersion, 'hash'>,
  text: string,
): void {
  const hash = hashOf(text)
  if (versionsOf(folder, version.skill).at(-1)?.hash === hash) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${hash}.org`)
  if (!existsSync(path)) writeNewFile(path, text)
  appendFileSync(historyOf(folder), `${JSON.stringify({ ...version, hash })}\n`, { mode: 0o600 })
  if (versionsOf(folder, version.skill).length > versionsMax + 20) forget(folder, version.skill)
}

const versionsMax = 100

function forget(folder: string, skill: string): void {
  const path = historyOf(folder)
  let left = versionsOf(folder, skill).length - versionsMax
  const lines = readFileSync(path, 'utf8').split('\n')
  const kept = lines.filter((line) => versionIn(line)?.skill !== skill || left-- <= 0)
  replaceFile(path, kept.join('\n'))
  const named = new Set(kept.flatMap((line) => versionIn(line)?.hash ?? []))
  for (const { base, proposal } of readRecords(folder)) named.add(base).add(proposal)
  for (const line of lines) {
    const { hash = '' } = versionIn(line) ?? {}
    if (hash !== '' && !named.has(hash)) rmSync(join(folder, `${hash}.org`), { force: true })
  }
}

/** Keeps the texts of the skills that run now. Throws when they cannot be written. */
export function keepRunning(folder: string, skills: readonly SkillStatus[], at: Date): void {
  for (const { hash, name, path, state } of skills) {
    if (state !== 'running' || versionsOf(folder, name).at(-1)?.hash === hash) continue
    const text = readFileSync(path, 'utf8')
    const version = { skill: name, path, at: at.toISOString(), how: 'saved' }
    if (hashOf(text) === hash) keepVersion(folder, version, text)
  }
}

/** The versions for a person, newest first; `now` is the hash of the document, or null. */
export function versionLines(versions: readonly SkillVersion[], now: string | null): string {
  const current = versions.findLastIndex(({ hash }) => hash === now)
  const lines = versions.map(({ at, hash, how }, index) => {
    const day = at.slice(0, 16).replace('T', ' ')
    return `${index === current ? '*' : ' '} ${hash.slice(0, 8)}  ${day}  ${how}\n`
  })
  if (now !== null && current < 0) lines.push(`* ${now.slice(0, 8)}  not loaded by a daemon yet\n`)
  return lines.reverse().join('')
}

/** Where a way back leads, and what it changes. */
interface WayBack {
  version: SkillVersion
  diff: string
}

/** Finds the version that is meant. Throws an Error that says what there is. */
export function wayBack(
  places: SkillEngineOptions,
  folder: string,
  skill: string,
  wanted = '',
): WayBack & { current: string } {
  const current = findDocument(places, skill)?.text ?? ''
  const now = hashOf(current)
  const place = findDocument(places, skill)?.path
  const own = versionsOf(folder, skill).filter(({ path }) => place === undefined || path === place)
  const others = own.filter(({ hash }) => hash !== now)
  const found = others.filter(({ hash }) => hash.startsWith(wanted))
  const version = found.at(-1)
  if (version === undefined) {
    const what = wanted === '' ? 'no version' : `no other version ${wanted}`
    throw new Error(
      `There is ${what} of ${skill}. What there is: ${commandName} skill versions ${skill}`,
    )
  }
  if (wanted !== '' && new Set(found.map(({ hash }) => hash)).size > 1) {
    throw new Error(
      `There is more than one version ${wanted} of ${skill}; give more of its letters.`,
    )
  }
  const text = readText(folder, version.hash)
  if (text === null)
    throw new Error(`The text of ${version.hash.slice(0, 8)} is not there any more.`)
  return { version, current, diff: diffOf(skill, current, text) }
}

/** Goes back, in one step. Throws when the document has changed since, or is in no folder. */
export function goBack(
  places: SkillEngineOptions,
  folder: string,
  { current, version }: WayBack & { current: string },
  at: Date,
): void {
  const { hash, skill } = version
  const path = findDocument(places, skill)?.path ?? version.path
  const text = readText(folder, hash) ?? ''
  const common = { skill, path, at: at.toISOString() }
  if (current !== '') keepVersion(folder, { ...common, how: 'saved' }, current)
  swapDocument(places, path, hashOf(current), text)
  keepVersion(folder, { ...common, how: `back to ${hash.slice(0, 8)}` }, text)
  const grant = readGrants(places.grantsPath).get(skill)
  if (grant?.hash === hashOf(current)) writeGrant(places.grantsPath, { ...grant, hash })
}
