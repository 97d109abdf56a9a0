import type { Patch } from 'org-ast/edit'
import { textOfVersion, type Version } from '../memory/history.ts'
import type { MemoryObject } from '../memory/memory-object.ts'
import type { ObjectStore } from '../memory/store.ts'

/** A note that is in its file no more. */
export interface GoneNote {
  file: string
  version: Version
  /** What was above it, the file first. */
  above: readonly Version[]
}

const versionsMax = 50

/** The notes that were in a file and are gone, which are meant; the newest first. */
export function goneNotes(
  store: ObjectStore,
  file: string,
  isMeant: (version: Version) => boolean,
): GoneNote[] {
  const { history } = store
  const alive = aliveIn(store, file)
  const found = new Map<string, GoneNote>()
  const seen = new Set<string>()
  const enter = (hash: string, above: readonly Version[]) => {
    const version = seen.has(hash) ? null : history.version(hash)
    seen.add(hash)
    if (version === null) return
    const way = [...above, version]
    const name = version.written ?? JSON.stringify(way.map(({ title }) => title))
    const isGone =
      !alive.has(hash) && (version.written === null || store.get(version.written) === null)
    if (isGone && isMeant(version) && !found.has(name)) found.set(name, { file, version, above })
    for (const child of version.children) enter(child, way)
  }
  const changes = history.changes(`file:${file}`).toReversed()
  for (const { hash } of changes.slice(0, versionsMax)) if (hash !== null) enter(hash, [])
  return [...found.values()]
}

/** The notes of a file by every hash that they have had. */
function aliveIn(store: ObjectStore, file: string): Map<string, MemoryObject> {
  const alive = new Map<string, MemoryObject>()
  for (const object of store.snapshot().files.get(file)?.objects.values() ?? []) {
    for (const { hash } of store.history.changes(object.id))
      if (hash !== null) alive.set(hash, object)
  }
  return alive
}

interface Spot {
  at: number
  /** The level that the note must have; null for the one it had. */
  level: number | null
}

function spotOf(store: ObjectStore, { file, version, above }: GoneNote): Spot {
  const alive = aliveIn(store, file)
  const parent = above.at(-1)
  const home = parent === undefined ? undefined : alive.get(parent.hash)
  if (parent === undefined || home === undefined) {
    const near = above.findLast(({ hash }) => alive.has(hash))
    const last = near === undefined ? null : alive.get(near.hash)!
    return { at: last?.end ?? 0, level: (last?.level ?? 0) + 1 }
  }
  const before = parent.children.slice(0, parent.children.indexOf(version.hash))
  const neighbour = before.map((hash) => alive.get(hash)).findLast((one) => one?.parent === home.id)
  if (neighbour !== undefined) return { at: neighbour.end, level: null }
  return { at: store.children(home.id)[0]?.begin ?? home.end, level: null }
}

/** What is to be written to bring a note back. */
export interface Return {
  path: string
  /** The text for which the patch was made; null when the file is gone, too. */
  base: string | null
  patch: Patch
}

/** How a note comes back into its file; null when a part of it is not kept any more. */
export function bringBack(store: ObjectStore, gone: GoneNote): Return | null {
  const { file: path, version } = gone
  const text = textOfVersion(store.history, version.hash)
  if (text === null) return null
  const base = store.textOf(path)
  const { at, level } = spotOf(store, gone)
  const isHeadline = version.type === 'headline'
  const own = isHeadline && level !== null ? withLevel(text, level - version.level) : text
  const whole = base ?? ''
  const line = /\r\n/.test(whole) ? '\r\n' : '\n'
  const first = at > 0 && whole[at - 1] !== '\n' ? line : ''
  const last = at < whole.length && !own.endsWith('\n') ? line : ''
  return { path, base, patch: { begin: at, end: at, text: first + own + last } }
}

function withLevel(text: string, more: number): string {
  return text.replace(/^\*+(?=[ \t])/gm, (stars) => '*'.repeat(Math.max(1, stars.length + more)))
}
