import { type Database, damage, type Statement } from '../base/sqlite-access.ts'
import { type Version, versionHash } from './history.ts'

const recentMax = 8
const packMax = 64 * 1_024

const usual: Partial<Version> = {
  written: null,
  type: 'headline',
  attributes: {},
  todo: null,
  done: false,
  priority: null,
  tags: [],
  scheduled: null,
  deadline: null,
  closed: null,
  children: [],
}

/** The usual values, with lists of their own. */
function usualValues(): Partial<Version> {
  return { ...usual, attributes: {}, tags: [], children: [] }
}

function isUsual(name: string, value: unknown): boolean {
  if (!(name in usual)) return false
  if (value === null || typeof value !== 'object') return value === usual[name as keyof Version]
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

function packed(version: Version): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(version).filter(([name, value]) => !isUsual(name, value)),
  )
}

function unpacked(body: string): Map<string, Version> {
  const found: Version[] = JSON.parse(body)
  return new Map(found.map((version) => [version.hash, { ...usualValues(), ...version }]))
}

const allPacks = 'SELECT versions FROM packs ORDER BY id'

function nextPack(db: Database): number {
  return 1 + Number(db.prepare('SELECT max(id) AS last FROM packs').get()?.last ?? 0)
}

/** The versions in a database. */
export class Packs {
  readonly #find: Statement
  readonly #read: Statement
  readonly #place: Statement
  readonly #write: Statement
  readonly #recent = new Map<number, ReadonlyMap<string, Version>>()
  readonly #db: Database
  #next = 0

  constructor(db: Database) {
    this.#db = db
    this.#find = db.prepare('SELECT pack FROM version_packs WHERE hash = ?')
    this.#read = db.prepare('SELECT versions FROM packs WHERE id = ?')
    this.#place = db.prepare('INSERT INTO version_packs VALUES (?, ?)')
    this.#write = db.prepare('INSERT INTO packs VALUES (?, ?)')
  }

  /** The version of this hash, or null. */
  version(hash: string): Version | null {
    for (const pack of this.#recent.values()) {
      const version = pack.get(hash)
      if (version !== undefined) return version
    }
    const found = this.#find.get(bytesOf(hash))?.pack
    return found === undefined ? null : (this.#pack(Number(found)).get(hash) ?? null)
  }

  #pack(id: number): ReadonlyMap<string, Version> {
    const row = this.#read.get(id)
    const pack = row === undefined ? new Map() : unpacked(String(row.versions))
    if (this.#recent.size >= recentMax) this.#recent.delete([...this.#recent.keys()][0]!)
    this.#recent.set(id, pack)
    return pack
  }

  /** Every version, in the order in which they were put. */
  *all(): Generator<Version> {
    for (const row of this.#db.prepare(allPacks).iterate())
      yield* unpacked(String(row.versions)).values()
  }

  /** Writes those that are not there; returns how many these were. For within a transaction. */
  put(versions: Iterable<Version>): number {
    this.#next = Math.max(this.#next, nextPack(this.#db))
    const placed = new Map<string, number>()
    let length = 0
    let pack: Version[] = []
    const flush = () => {
      if (pack.length > 0) this.#write.run(this.#next++, packBody(pack))
      pack = []
      length = 0
    }
    for (const version of versions) {
      if (version.type === 'file' || length > packMax) flush()
      if (placed.has(version.hash) || this.#find.get(bytesOf(version.hash))) continue
      placed.set(version.hash, this.#next)
      pack.push(version)
      length += version.content.length
    }
    flush()
    for (const hash of [...placed.keys()].sort()) this.#place.run(bytesOf(hash), placed.get(hash)!)
    return placed.size
  }

  /** Forgets what was remembered, because packs were rewritten. */
  forget(): void {
    this.#recent.clear()
  }
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex')
}

/** The text of a pack. */
export function packBody(versions: readonly Version[]): string {
  return JSON.stringify(versions.map(packed))
}

/** The versions in the text of a pack. Throws when it is none. */
export function versionsIn(body: string): Version[] {
  return [...unpacked(body).values()]
}

/** Computes every hash again. Throws the error of damage when a version is not what its name says. */
export function mustFitNames(db: Pick<Database, 'prepare'>): void {
  const rotten = new Set<string>()
  for (const { id, versions } of db.prepare('SELECT id, versions FROM packs').iterate()) {
    try {
      for (const version of versionsIn(String(versions)))
        if (versionHash(version) !== version.hash) rotten.add(version.hash)
    } catch {
      rotten.add(`pack ${Number(id)}`)
    }
  }
  if (rotten.size === 0) return
  const count = rotten.size === 1 ? 'one version is' : `${rotten.size} versions are`
  throw damage(`${count} not what the name says: ${[...rotten].slice(0, 3).join(', ')}`)
}
