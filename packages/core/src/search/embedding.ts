import { textHash } from '../memory/history.ts'
import type { MemoryObject } from '../memory/memory-object.ts'
import { sightOf } from '../memory/private-view.ts'
import type { ObjectStore } from '../memory/store.ts'
import { proseOf } from './note-fields.ts'
import { folded, wordsOf } from './terms.ts'

/** What a text is; some models want to know. */
type EmbeddingPurpose = 'note' | 'question'

/** Somebody who turns texts into vectors. */
export interface EmbeddingBackend {
  /** `local`, `openai` or `trigram`. */
  name: string
  /** The model whose vectors are wanted. */
  model: string
  /** True when texts leave this machine. */
  isRemote: boolean
  /** The most texts of one request. */
  batchMax: number
  /** How much its idea of what is near is worth beside the words, from 0 to 1. */
  trust: number
  /** Vectors in the order of the texts. Rejects with an EmbeddingFault. */
  embed(
    model: string,
    texts: readonly string[],
    signal: AbortSignal,
    purpose: EmbeddingPurpose,
  ): Promise<Float32Array[]>
}

/** Why there are no vectors. */
export class EmbeddingFault extends Error {
  /** `text` when it is the texts that are not accepted, such as one that is too long. */
  readonly code: 'text' | 'backend'
  /** How long the backend asked to be left alone. */
  readonly retryAfterMs: number | null

  constructor(code: EmbeddingFault['code'], message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'EmbeddingFault'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

const tokensMax = 350

/** A piece of a note, and the name under which its vector is kept. */
interface Passage {
  text: string
  hash: string
}

/** The passages of a note, each with the headlines above it. */
export function passagesOf(store: ObjectStore, given: MemoryObject): Passage[] {
  const sight = sightOf(store)
  const shown = (object: MemoryObject) => (object.private ? object : sight.shown(object))
  const object = shown(given)
  const titles = [object.title]
  for (let at = parentOf(store, object); at !== null; at = parentOf(store, at)) {
    titles.unshift(shown(at).title)
  }
  const tags = object.tags.length === 0 ? '' : ` (${object.tags.join(', ')})`
  const heading = `${titles.join(' > ').slice(0, 400).toWellFormed()}${tags}`
  const prose = proseOf(object).trim()
  if (prose === '' && object.type === 'file') return []
  const pieces = prose === '' ? [''] : piecesOf(prose)
  return pieces.map((piece) => {
    const text = `${heading}\n\n${piece}`.trim()
    return { text, hash: textHash(text).slice(0, 32) }
  })
}

function parentOf(store: ObjectStore, { parent }: MemoryObject): MemoryObject | null {
  return parent === null ? null : store.get(parent)
}

function piecesOf(prose: string): string[] {
  const pieces: string[] = []
  let piece = ''
  let cost = 0
  const end = () => {
    if (piece.trim() !== '') pieces.push(piece.trim())
    piece = ''
    cost = 0
  }
  for (const line of prose.split(/(?<=\n)/).flatMap(shortLines)) {
    const added = costOf(line)
    if (cost + added > tokensMax || (line.trim() === '' && cost > tokensMax / 2)) end()
    piece += line
    cost += added
  }
  end()
  return pieces
}

function costOf(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < 128 ? 1 : 4
  return quarters / 4
}

function shortLines(line: string): string[] {
  if (costOf(line) <= tokensMax) return [line]
  const parts: string[] = []
  for (let at = 0; at < line.length; at += tokensMax)
    parts.push(line.slice(at, at + tokensMax).toWellFormed())
  return parts
}

const trigramDimension = 256

/** The direction of a text by its groups of three characters. */
export function trigramVector(text: string): Float32Array {
  const counts = new Map<number, number>()
  for (const word of wordsOf(text)) {
    const padded = ` ${folded(word)} `
    for (let at = 0; at + 3 <= padded.length; at++) {
      const hash = hashOf(padded, at)
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
    }
  }
  const vector = new Float32Array(trigramDimension)
  for (const [hash, count] of counts) {
    vector[(hash >>> 1) % trigramDimension]! += (hash & 1 ? 1 : -1) * Math.sqrt(count)
  }
  return vector
}

function hashOf(text: string, begin: number): number {
  let hash = 0x811c9dc5
  for (let at = begin; at < begin + 3; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** The backend that is always there. */
export const trigramBackend: EmbeddingBackend = {
  name: 'trigram',
  model: `trigram-${trigramDimension}`,
  isRemote: false,
  batchMax: 256,
  trust: 0.2,
  embed: (_model, texts) => Promise.resolve(texts.map(trigramVector)),
}
