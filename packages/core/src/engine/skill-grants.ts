import { readFileSync } from 'node:fs'
import { type Headline, headlines, type OrgData, parse, property } from 'org-ast'
import { applyPatches, setProperty } from 'org-ast/edit'
import { replaceFile } from '../base/new-file.ts'
import { type Capabilities, isCapability } from './skill-document.ts'

/** Who answers for a skill. */
export type SkillOrigin = 'owner' | 'elsewhere'

/** What one skill may do. */
export interface Grant {
  name: string
  capabilities: Capabilities
  /** `owner` for what the owner answers for. */
  from: SkillOrigin
  /** SHA-256 of the document that was meant. */
  hash: string
  isEnabled: boolean
}

/** The grants of a file by name; none when there is no file. Throws when it cannot be read. */
export function readGrants(path: string): Map<string, Grant> {
  const found = new Map<string, Grant>()
  const twice = new Set<string>()
  for (const headline of headlines(parse(textOf(path)))) {
    const grant = grantOf(headline)
    if (grant === null) continue
    if (found.has(grant.name)) twice.add(grant.name)
    found.set(grant.name, grant)
  }
  for (const name of twice) found.delete(name)
  return found
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return ''
    throw error
  }
}

function grantOf(headline: Headline): Grant | null {
  const name = headline.rawValue.trim()
  const hash = property(headline, 'HASH') ?? ''
  const state = property(headline, 'STATE') ?? ''
  const capabilities = (property(headline, 'CAPABILITIES') ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
  if (!/^[0-9a-f]{64}$/.test(hash) || !/^(?:enabled|disabled)$/.test(state)) return null
  if (!capabilities.every(isCapability)) return null
  const from = property(headline, 'FROM') === 'owner' ? 'owner' : 'elsewhere'
  return { name, capabilities, from, hash, isEnabled: state === 'enabled' }
}

const heading = `#+title: Skills that may run

Each headline is a skill and what you granted it. Set STATE to disabled to stop one.
FROM is owner for what you answer for; anything else is taken for a stranger's.
`

/** Writes a grant into the file, which is made when it is not there. Throws when it cannot be written. */
export function writeGrant(path: string, grant: Grant): void {
  const text = textOf(path) || heading
  const old = headlineOf(parse(text), grant.name)
  const start = old === null ? `${text.replace(/\n*$/, '\n\n')}* ${grant.name}\n` : text
  const values = {
    CAPABILITIES: grant.capabilities.join(' '),
    FROM: grant.from,
    HASH: grant.hash,
    STATE: grant.isEnabled ? 'enabled' : 'disabled',
  }
  let next = start
  for (const [key, value] of Object.entries(values)) {
    const headline = headlineOf(parse(next), grant.name)
    if (headline !== null) next = applyPatches(next, setProperty(next, headline, key, value))
  }
  replaceFile(path, next)
}

function headlineOf(tree: OrgData, name: string): Headline | null {
  return [...headlines(tree)].find((headline) => headline.rawValue.trim() === name) ?? null
}
