import type { Clock } from '../base/clock.ts'
import type { MemoryObject } from '../memory/memory-object.ts'
import { type Sight, sightOf } from '../memory/private-view.ts'
import type { ObjectStore, Snapshot } from '../memory/store.ts'
import { type EmbeddingBackend, passagesOf } from './embedding.ts'
import type { KeptVectors } from './vector-store.ts'

interface Entry {
  wanted: readonly string[]
  serving: readonly string[]
}

/** Which notes a passage stands for, and which passages a note has. */
export class Register {
  readonly #entries = new Map<string, Entry>()
  readonly #owners = new Map<string, Set<string>>()

  ownersOf(hash: string): Iterable<string> {
    return this.#owners.get(hash) ?? []
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  /** How many notes are answered for by an older text, or by none. */
  staleCount(): number {
    let count = 0
    for (const { wanted, serving } of this.#entries.values()) if (wanted !== serving) count++
    return count
  }

  hashes(): Iterable<string> {
    return this.#owners.keys()
  }

  want(id: string, wanted: readonly string[]): void {
    const old = this.#entries.get(id)
    if (old !== undefined && isSameList(old.wanted, wanted)) return
    this.#set(id, { wanted, serving: old?.serving ?? [] })
  }

  /** The note's new passages stand for it from now on. */
  serve(id: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) this.#set(id, { wanted: entry.wanted, serving: entry.wanted })
  }

  forget(id: string): void {
    this.#set(id, { wanted: [], serving: [] })
    this.#entries.delete(id)
  }

  #set(id: string, now: Entry): void {
    const old = this.#entries.get(id) ?? { wanted: [], serving: [] }
    const hashes = new Set([...now.wanted, ...now.serving])
    for (const hash of [...old.wanted, ...old.serving]) {
      if (hashes.has(hash)) continue
      this.#owners.get(hash)?.delete(id)
      if (this.#owners.get(hash)?.size === 0) this.#owners.delete(hash)
    }
    for (const hash of hashes) {
      const owners = this.#owners.get(hash) ?? new Set()
      this.#owners.set(hash, owners.add(id))
    }
    this.#entries.set(id, now)
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at])
}

/** What the embeddings are made of. */
export interface EmbeddingsOptions {
  store: ObjectStore
  backend: EmbeddingBackend
  clock: Clock
  kept?: KeptVectors | null
  log?: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void
  /** What of a text may be sent to a backend that is elsewhere; all of it by default. */
  mask?: (text: string) => string
  /** Which notes may be embedded at all; a private one is never sent away, whatever this says. */
  mayEmbed?: (object: MemoryObject) => boolean
}

/** How far the work has come. */
export interface EmbeddingStatus {
  backend: string
  model: string
  /** Null until the backend has answered once. */
  dimension: number | null
  /** The model whose vectors answer questions; null when there are none. */
  serving: string | null
  vectors: number
  /** Passages without a vector of the model. */
  pending: number
  /** Notes for which an older text or none stands. */
  stale: number
  /** Passages that the backend does not accept. */
  refused: number
  /** Why nothing is being done at the moment; null when all is well. */
  problem: string | null
}

/** What is asked for, and what may be seen of it. */
export interface SimilarOptions {
  limit?: number
  privacy?: 'open' | 'owner'
  within?: (object: MemoryObject) => boolean
  /** Ids of notes that stand for the question when it cannot be embedded itself. */
  instead?: readonly string[]
}

const filesMax = 20

/** The passages that have no vector yet. */
export class Backlog {
  readonly register: Register = new Register()
  readonly refused: Set<string> = new Set()
  readonly pending: Set<string> = new Set()
  readonly #given: EmbeddingsOptions
  readonly #has: (hash: string) => boolean
  readonly #files = new Map<string, readonly string[]>()
  readonly #unread = new Set<string>()
  #moment: Snapshot | null = null
  #sight: Sight | null = null

  constructor(given: EmbeddingsOptions, has: (hash: string) => boolean) {
    this.#given = given
    this.#has = has
  }

  /** Reads some of what has changed; false when nothing is left to read. */
  read(): boolean {
    const moment = this.#given.store.snapshot()
    const sight = sightOf(this.#given.store)
    const changed = this.#sight === sight ? this.#moment?.files.changes(moment.files) : undefined
    this.#sight = sight
    for (const path of changed ?? [...moment.files].map(([name]) => name)) this.#unread.add(path)
    this.#moment = moment
    for (const path of [...this.#unread].slice(0, filesMax)) {
      this.#unread.delete(path)
      this.#readFile(path, moment)
    }
    return this.#unread.size > 0
  }

  #readFile(path: string, { files, places }: Snapshot): void {
    const objects = files.get(path)?.objects ?? new Map<string, MemoryObject>()
    for (const id of this.#files.get(path) ?? []) {
      if (places.get(id) === undefined || !this.#given.store.get(id)) this.register.forget(id)
    }
    for (const object of objects.values()) {
      if (!mayEmbed(this.#given, object)) {
        this.register.forget(object.id)
        continue
      }
      const hashes = passagesOf(this.#given.store, object).map(({ hash }) => hash)
      this.register.want(object.id, hashes)
      for (const hash of hashes) {
        if (!this.#has(hash) && !this.refused.has(hash)) this.pending.add(hash)
      }
      this.#settle(object.id)
    }
    if (objects.size > 0) this.#files.set(path, [...objects.keys()])
    else this.#files.delete(path)
  }

  /** These have a vector now, or never will. */
  settle(hashes: readonly string[]): void {
    for (const hash of hashes) {
      this.pending.delete(hash)
      for (const id of [...this.register.ownersOf(hash)]) this.#settle(id)
    }
  }

  #settle(id: string): void {
    const { wanted = [] } = this.register.entry(id) ?? {}
    const isDone = (hash: string) => this.#has(hash) || this.refused.has(hash)
    if (wanted.every(isDone)) this.register.serve(id)
  }
}

/** The first passages that are still wanted, with their texts. */
export function nextBatch(
  given: EmbeddingsOptions,
  { pending, register }: Backlog,
): { hash: string; text: string }[] {
  const batch: { hash: string; text: string }[] = []
  for (const hash of pending) {
    if (batch.length === given.backend.batchMax) break
    const text = textOf(given, register, hash)
    if (text === null) pending.delete(hash)
    else batch.push({ hash, text })
  }
  return batch
}

function mayEmbed(given: EmbeddingsOptions, object: MemoryObject): boolean {
  if (object.private && given.backend.isRemote) return false
  return given.mayEmbed?.(object) ?? true
}

function textOf(given: EmbeddingsOptions, register: Register, hash: string): string | null {
  const { store } = given
  for (const id of register.ownersOf(hash)) {
    const object = store.get(id)
    if (object === null || !mayEmbed(given, object)) continue
    const passage = passagesOf(store, object).find((each) => each.hash === hash)
    if (passage !== undefined) return leaving(given, passage.text)
  }
  return null
}

/** The text as the backend may see it. */
export function leaving({ backend, mask }: EmbeddingsOptions, text: string): string {
  return backend.isRemote && mask !== undefined ? mask(text) : text
}
