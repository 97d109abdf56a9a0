import { messageOf } from '../base/printing.ts'
import { DatabaseError } from '../base/sqlite-access.ts'
import type { Memex } from '../memex/memex.ts'
import type { MemoryDatabase } from '../memory/database.ts'
import type { Authorship } from '../memory/history.ts'
import { savedMoments } from '../memory/snapshot-store.ts'
import { Moments } from '../memory/snapshots.ts'
import type { ObjectStore } from '../memory/store.ts'
import type { Embeddings } from '../search/embeddings.ts'
import { type OwnerContact, tellOwner } from './outbox.ts'

/** What is remembered of the files, and where it is kept. */
export interface LiveMemory extends OwnerContact {
  /** Without the files that are the daemon's own. */
  memex: Memex
  store: ObjectStore
  /** For each ingested file the stamp it had then. */
  stamps: Map<string, string>
  /** Who is taken to have written what changes now. */
  author: Authorship
  /** Where the store is kept; null when it is forgotten with the process. */
  database: MemoryDatabase | null
  /** The store before each of the last actions that may have changed something. */
  moments: Moments
  /** Why the memory could not be written last; null when it was. */
  unwritten: string | null
  /** What is near in meaning; null when nobody makes vectors. */
  embeddings: Embeddings | null
}

/** After so many files what was read is written, so that it need not all be held at once. */
const batchMax = 2_500

/** Brings the store up to date with the files; returns how many were read. Throws when the folder is gone. */
export function ingestMemex(memory: LiveMemory): number {
  loadRenewed(memory)
  const files = memory.memex.files()
  const present = new Set(files)
  for (const [path] of memory.store.snapshot().files) {
    if (!present.has(path)) forgetFile(memory, path)
  }
  let count = 0
  for (const path of files) {
    if (!ingestChanged(memory, path)) continue
    count++
    if (count % batchMax === 0) remember(memory)
  }
  remember(memory)
  return count
}

/** Reads one file if it has changed; false when it has not, or could not be read, which is logged. */
export function ingestChanged(memory: LiveMemory, path: string): boolean {
  const { memex, stamps, store } = memory
  try {
    const stamp = memex.stamp(path)
    if (stamps.get(path) === stamp) return false
    store.ingestFile(path, memex.read(path), memory.author)
    stamps.set(path, stamp)
    return true
  } catch (error) {
    const why = messageOf(error)
    memory.log('warn', `${path} was not read: ${why}`)
    return false
  }
}

/** Takes a file that is gone out of the store. */
export function forgetFile({ stamps, store }: LiveMemory, path: string): void {
  store.removeFile(path)
  stamps.delete(path)
}

function loadRenewed(memory: LiveMemory): void {
  const { database, stamps, store } = memory
  try {
    database?.connection.look()
    if (database?.isRenewed !== true) return
    stamps.clear()
    database.load(store, stamps)
    memory.moments = new Moments(savedMoments(database))
  } catch (error) {
    tellUnwritten(memory, error)
  }
}

/** Writes what is new in the store to the database, if there is one, and has it embedded. Never throws. */
export function remember(memory: LiveMemory): void {
  const { database, stamps, store } = memory
  try {
    if (database?.isRenewed !== true) database?.commit(store, stamps)
    if (memory.unwritten !== null) tellOwner(memory, 'The memory is written again.')
    memory.unwritten = null
  } catch (error) {
    tellUnwritten(memory, error)
  }
  void memory.embeddings?.wake()
}

function tellUnwritten(memory: LiveMemory, error: unknown): void {
  const reason = messageOf(error)
  const isKnown = memory.unwritten === reason
  memory.unwritten = reason
  if (isKnown) return
  const isSentence = error instanceof DatabaseError
  tellOwner(memory, isSentence ? reason : `The memory was not written: ${reason}`)
}
