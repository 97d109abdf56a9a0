import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { type BookTarget, projectOptions, readBook } from '../blocks/book.ts'
import { findDocuments } from '../project/documents.ts'
import { findProject } from '../project/settings.ts'
import type { AtlasSymbol, Meaning } from './name-resolution.ts'

/** What a book becomes and what it means. Paths are relative to `root`, with slashes. */
export interface Atlas {
  /** Absolute. */
  root: string
  targets: AtlasTarget[]
  symbols: AtlasSymbol[]
  /** Files that no document describes and that the answers depend on, with their digests. */
  others: [path: string, digest: string][]
}

/** A tangled file. */
export interface AtlasTarget {
  path: string
  document: string
  text: string
  /** Triples of where a run begins, where it is from in the document, and 1 if it was copied. */
  runs: number[]
  /** Triples of how far a name is behind the one before, its length, and the number of its symbol. */
  uses: number[]
}

const remembered: z.ZodType<Meaning> = z.object({
  key: z.string(),
  symbols: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      exported: z.boolean(),
      target: z.number(),
      offset: z.number(),
      signature: z.string(),
      summary: z.string().nullable(),
    }),
  ),
  uses: z.record(z.string(), z.array(z.number())),
  others: z.array(z.tuple([z.string(), z.string()])),
})

/** The atlas of these documents, or of the project. `memory` is a file that remembers, or null. */
export async function atlasOf(
  cwd: string,
  paths: readonly string[] = [],
  memory: string | null = null,
): Promise<Atlas> {
  const project = findProject(cwd)
  const { root } = project
  const places = paths.length > 0 ? paths : project.sources.map((place) => join(root, place))
  const documents = findDocuments(places.map((place) => resolve(cwd, place)))
  const book = readBook(root, documents, projectOptions(project))
  const meaning = await meaningOf(root, book.targets, memory)
  const shown = (path: string) => relative(root, path).split(sep).join('/')
  const targets = book.targets.map(({ path, document, text, code }) => {
    const runs = code.runs.flatMap(({ at, source, copied }) => [at, source, copied ? 1 : 0])
    const uses = meaning.uses[shown(path)] ?? []
    return { path: shown(path), document: shown(document), text, runs, uses }
  })
  return { root, targets, symbols: meaning.symbols, others: meaning.others }
}

async function meaningOf(
  root: string,
  targets: readonly BookTarget[],
  memory: string | null,
): Promise<Meaning> {
  const isScript = ({ path }: BookTarget) => /\.[cm]?tsx?$/.test(path)
  if (!targets.some(isScript)) return { key: '', symbols: [], uses: {}, others: [] }
  const settings = ['tsconfig.json', 'package-lock.json'].map((name) => textOf(join(root, name)))
  const texts = targets.flatMap((target) => [target.path, isScript(target) ? target.text : ''])
  const key = hash('sha256', JSON.stringify([1, settings, texts]), 'base64url')
  const known = memory === null ? null : recall(memory)
  const isSame = ([path, digest]: [string, string]) => digestOf(join(root, path)) === digest
  if (known?.key === key && known.others.every(isSame)) return known
  const { meaningIn } = await import('./name-resolution.ts')
  const found = { key, ...meaningIn(root, targets, digestOf) }
  if (memory !== null) remember(memory, found)
  return found
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function digestOf(path: string): string {
  return hash('sha256', textOf(path), 'base64url')
}

function recall(memory: string): Meaning | null {
  try {
    return remembered.parse(JSON.parse(readFileSync(memory, 'utf8')))
  } catch {
    return null
  }
}

function remember(memory: string, meaning: Meaning): void {
  const beside = `${memory}.${process.pid}`
  try {
    mkdirSync(dirname(memory), { recursive: true, mode: 0o700 })
    writeFileSync(beside, JSON.stringify(meaning), { mode: 0o600 })
    renameSync(beside, memory)
  } catch {
    rmSync(beside, { force: true })
  }
}
