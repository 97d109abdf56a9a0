import { hash } from 'node:crypto'
import { type LineStep, lineDiff } from '../base/line-diff.ts'
import type { Provenance } from '../contract/signal.ts'

/** What a file or headline said at a moment. Immutable, and named by its hash. */
export interface Version {
  /** SHA-256 in hexadecimal digits over everything below; see `versionHash`. */
  hash: string
  /** The id that is written in the note, or a file's; null for a headline without one. */
  written: string | null
  type: 'file' | 'headline'
  /** The line of stars with its line ending; empty for a file. */
  head: string
  /** The raw title of a headline; `#+title` of a file, or its path. */
  title: string
  /** The property drawer, names in upper case. */
  attributes: Record<string, string>
  /** The text under the headline's line up to the first headline inside; a file's before the first. */
  content: string
  /** Stars; 0 for a file. */
  level: number
  todo: string | null
  done: boolean
  priority: string | null
  /** Own and inherited, file tags included. */
  tags: string[]
  /** Timestamps as written. */
  scheduled: string | null
  deadline: string | null
  closed: string | null
  /** Its title begins with COMMENT; what is below it does not say so itself. */
  commented?: boolean
  /** The hashes of what is directly inside, in order. */
  children: string[]
}

/** The name that a version must have. */
export function versionHash(version: Omit<Version, 'hash'>): string {
  const { written, type, head, title, level, todo, done, priority, tags } = version
  const attributes = Object.entries(version.attributes).sort(([a], [b]) => (a < b ? -1 : 1))
  const line = [head, level, todo, done, priority, title, tags, version.commented ?? false]
  const parts = [written, type, line, attributes, version.content, version.children]
  return textHash(JSON.stringify(parts))
}

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function textHash(text: string): string {
  return hash('sha256', text)
}

/** Where the text of a version came from. */
export interface Authorship {
  by: Provenance
  /** The session and action that led to it; null for an edit outside the daemon. */
  signal: string | null
  /** Whether a part of it came from the web or a message, then or in a version before. */
  outside: boolean
}

/** What is known of a file that was changed by nobody we have seen. */
export const byOwner: Authorship = { by: 'owner', signal: null, outside: false }

/** One moment of one note. */
export interface Change extends Authorship {
  /** The version from then on; null when the note was gone. */
  hash: string | null
  /** Milliseconds since the epoch. */
  at: number
  /** The file it stood in. */
  file: string
}

/** The authorship of a version that comes after another one of the same note. */
export function authorshipAfter(now: Authorship, before: Authorship | null): Authorship {
  const foreign = now.by === 'web' || now.by === 'message'
  const outside = foreign || now.outside || (before?.outside ?? false)
  return outside === now.outside ? now : { ...now, outside }
}

/** Where versions and changes are that are not in memory. */
export interface Archive {
  /** The version of this hash, or null. */
  version(hash: string): Version | null
  /** The changes of a note, oldest first. */
  changes(id: string): Change[]
  /** The versions that hold text from outside. */
  fromOutside(): Version[]
}

/** All versions by hash, and the changes of every note. */
export class History {
  readonly #versions = new Map<string, Version>()
  readonly #changes = new Map<string, Change[]>()
  #archive: Archive | null = null

  /** Looks up here what is not in memory. */
  attach(archive: Archive): void {
    this.#archive = archive
  }

  /** Keeps a version; an equal one is kept once. */
  keep(version: Version): void {
    if (!this.#versions.has(version.hash)) this.#versions.set(version.hash, version)
  }

  /** Adds a change to those of a note. */
  record(id: string, change: Change): void {
    const changes = this.#changes.get(id)
    if (changes === undefined) this.#changes.set(id, [change])
    else changes.push(change)
  }

  /** The version of this hash, or null. */
  version(hash: string): Version | null {
    return this.#versions.get(hash) ?? this.#archive?.version(hash) ?? null
  }

  /** The changes of a note, oldest first. */
  changes(id: string): Change[] {
    return [...(this.#archive?.changes(id) ?? []), ...(this.#changes.get(id) ?? [])]
  }

  /** The versions that hold text from outside, as far as they are in the archive. */
  fromOutside(): Version[] {
    return this.#archive?.fromOutside() ?? []
  }

  /** What is in memory: all there is, or what the archive does not have yet. */
  pending(): { versions: Iterable<Version>; changes: Iterable<[id: string, changes: Change[]]> } {
    return { versions: this.#versions.values(), changes: this.#changes.entries() }
  }

  /** Whether nothing is pending. */
  isSettled(): boolean {
    return this.#versions.size === 0 && this.#changes.size === 0
  }

  /** Forgets what is pending, since the archive has it. Throws an Error without an archive. */
  settle(): void {
    if (this.#archive === null) throw new Error('Expected an archive to settle into')
    this.#versions.clear()
    this.#changes.clear()
  }
}

/** The text of a version with everything inside it; null when a part of it is not kept, or is not what its name says. */
export function textOfVersion(history: History, hash: string): string | null {
  const parts: string[] = []
  const ahead = [hash]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const version = history.version(next)
    if (version === null || versionHash(version) !== next) return null
    parts.push(version.head, version.content)
    ahead.push(...version.children.toReversed())
  }
  return parts.join('')
}

/** A version that is not there, or is not what its name says. */
export interface Flaw {
  kind: 'missing' | 'changed'
  /** The hash by which it was looked for. */
  hash: string
  /** What its hash is in fact; null when it is missing. */
  found: string | null
}

/** The first flaw in these versions and all below them, leaves first; null when there is none. */
export function firstFlaw(history: History, roots: Iterable<string>): Flaw | null {
  const seen = new Set<string>()
  for (const root of roots) {
    const ahead: { hash: string; version: Version | null }[] = [{ hash: root, version: null }]
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      const { hash } = next
      if (next.version !== null) {
        const found = versionHash(next.version)
        if (found !== hash) return { kind: 'changed', hash, found }
        continue
      }
      if (seen.has(hash)) continue
      seen.add(hash)
      const version = history.version(hash)
      if (version === null) return { kind: 'missing', hash, found: null }
      ahead.push({ hash, version })
      for (const child of version.children.toReversed()) ahead.push({ hash: child, version: null })
    }
  }
  return null
}

/** What differs between two versions. */
interface Differences {
  /** For each field that differs, and each property, its value in both; null where there is none. */
  fields: { name: string; before: string | null; after: string | null }[]
  /** The way from one text to the other; empty when they are the same. */
  lines: LineStep[]
}

/** What differs between two versions; one that is null has no field and no text. */
export function differences(before: Version | null, after: Version | null): Differences {
  const one = fieldsOf(before)
  const other = fieldsOf(after)
  const names = [...new Set([...one.keys(), ...other.keys()])]
  const fields = names
    .map((name) => ({ name, before: one.get(name) ?? null, after: other.get(name) ?? null }))
    .filter((field) => field.before !== field.after)
  const texts = [before?.content ?? '', after?.content ?? ''] as const
  return { fields, lines: texts[0] === texts[1] ? [] : lineDiff(...texts) }
}

function fieldsOf(version: Version | null): Map<string, string> {
  if (version === null) return new Map()
  const { title, level, todo, priority, scheduled, deadline, closed } = version
  const named = { title, level: String(level), todo, priority, scheduled, deadline, closed }
  const tags = version.tags.length === 0 ? null : `:${version.tags.join(':')}:`
  const properties = Object.entries(version.attributes).map(([key, value]) => [`:${key}:`, value])
  return new Map(
    [...Object.entries({ ...named, tags }), ...properties].filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  )
}
