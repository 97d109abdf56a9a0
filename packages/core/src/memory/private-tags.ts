import { type History, textHash } from './history.ts'
import type { MemoryObject } from './memory-object.ts'

/** The tags that make a note private when the owner has not said otherwise. */
export const privateTagsDefault: readonly string[] = ['private', 'crypt']

const saysNo = /^(?:nil|no|none|false|off|0)$/i

/** Whether the tags or the properties of a note make it private, or did so before it was archived. */
export function hasPrivateTag(
  { tags, attributes }: Pick<MemoryObject, 'tags' | 'attributes'>,
  privateTags: readonly string[] = privateTagsDefault,
): boolean {
  const said = [attributes.PRIVATE, attributes['PRIVATE+']].filter((one) => one !== undefined)
  if (said.some((one) => !saysNo.test(one.trim()))) return true
  const archived = attributes.ARCHIVE_ITAGS?.split(/[\s:]+/) ?? []
  return [...tags, ...archived].some((tag) => isAmong(tag.toLowerCase(), privateTags))
}

function isAmong(tag: string, privateTags: readonly string[]): boolean {
  return privateTags.some((one) =>
    one.startsWith('{') ? matches(one.slice(1, -1), tag) : one === tag,
  )
}

function matches(pattern: string, tag: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'iu').test(tag)
  } catch {
    return true
  }
}

const tagLine = /^[ \t]*#\+tags:[ \t]*(.+)$/gim
const tagGroup =
  /[[{]\s*([^\s:[\]{}()]+)(?:\([^)]*\))?\s*:\s((?:\{[^\s{}]*\}(?:\(.\))?|[^[\]{}])*)[\]}]/g

/** The private tags with those that these texts of one file put into a group below them. */
export function privateTagsIn(
  texts: readonly string[],
  privateTags: readonly string[],
): readonly string[] {
  const lines = texts.flatMap((text) => [...text.matchAll(tagLine)].map(([, line]) => line!))
  if (lines.length === 0) return privateTags
  const groups = [...lines.join(' ').matchAll(tagGroup)].map(([, name, members]) => ({
    name: name!.toLowerCase(),
    members: members!.split(/\s+/).map((word) => word.replace(/\(.\)$/, '').toLowerCase()),
  }))
  const all = new Set(privateTags)
  for (let size = 0; size !== all.size; ) {
    size = all.size
    for (const { members, name } of groups) {
      if (all.has(name)) for (const member of members) if (member !== '') all.add(member)
    }
  }
  return [...all]
}

const twinsMax = 10_000

/** Counts how often a note that could be seen becomes private. */
export class Closings {
  count = 0
  readonly #vanished = new Set<string>()
  readonly #closed = new Set<string>()

  /** Takes note of a version that comes after another; null for none. */
  see(before: MemoryObject | null, after: MemoryObject | null): void {
    const wasSeen = before?.private === false
    if (wasSeen && after?.private === true) this.count++
    if (wasSeen && after === null) this.#meet(before, this.#vanished, this.#closed)
    if (before === null && after?.private === true) {
      this.#meet(after, this.#closed, this.#vanished)
    }
  }

  #meet({ content, title }: MemoryObject, own: Set<string>, other: Set<string>): void {
    const digest = textHash(`${title}\n${content.trim()}`)
    if (other.delete(digest)) this.count++
    else if (own.size < twinsMax) own.add(digest)
  }
}

/** Where it is looked up when a note was closed. */
interface ClosingStore {
  objects(): Iterable<{ id: string; private: boolean }>
  history: History
  privateTags: readonly string[]
}

/** When a note that is private now was closed last, in milliseconds; 0 when none ever was. */
export function lastClosing(store: ClosingStore): number {
  let last = 0
  for (const object of store.objects()) {
    if (object.private) last = Math.max(last, closingOf(store, object.id))
  }
  return last
}

function closingOf({ history, privateTags }: ClosingStore, id: string): number {
  let last = 0
  let wasSeen = false
  for (const { at, hash } of history.changes(id)) {
    const version = hash === null ? null : history.version(hash)
    if (version === null) continue
    const isClosed = hasPrivateTag(version, privateTags)
    if (isClosed && wasSeen) last = at
    wasSeen = !isClosed
  }
  return last
}
