import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { LineIndex, parse, type SourceBlock, sourceBlocks } from 'org-ast'
import { type BookTarget, projectOptions, readBook } from '../blocks/book.ts'
import { sourceName } from '../blocks/comments.ts'
import { findDocuments } from '../project/documents.ts'
import { findProject, type Project } from '../project/settings.ts'
import { hash, type KeptMap, keepMap, keptMap } from './map-store.ts'
import { codeOffsets, offsetOf, orgPlace } from './position-lookup.ts'
import { sourceMap } from './source-map.ts'

interface FileState {
  stamp: string
  text: string
  lines: LineIndex
  blocks: SourceBlock[] | null
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`
}

class Files {
  readonly #known = new Map<string, FileState>()

  /** A file as it is now; null for none. */
  read(path: string): FileState | null {
    const stamp = stampOf(path)
    const known = this.#known.get(path)
    if (known?.stamp === stamp) return known
    if (stamp === '') return null
    const text = readFileSync(path, 'utf8')
    const state = { stamp, text, lines: new LineIndex(text), blocks: null }
    this.#known.set(path, state)
    return state
  }
}

/** A place in a file, absolute; line and column count from 1, UTF-16. */
export interface FilePlace {
  file: string
  line: number
  column: number
}

/** The place in a document that something came from. */
export interface DocumentOrigin extends FilePlace {
  /** Offset in the document. */
  offset: number
  /** The block's name, or its headline and number; null outside of blocks. */
  block: string | null
  /** False for what the tool has made; the place is that of its cause. */
  copied: boolean
}

/** Answers questions about places in the project of a folder. */
export class Positions {
  readonly project: Project
  readonly #real: string
  readonly #files: Files = new Files()
  #targets: Map<string, BookTarget> | null = null
  readonly #stamps = new Map<string, string>()

  /** Throws when the settings of the project cannot be read. */
  constructor(cwd: string) {
    this.project = findProject(cwd)
    this.#real = realpathSync(this.project.root)
  }

  /** The target that describes a file, as its document is now; null for a file by hand. */
  target(path: string): BookTarget | null {
    const targets = this.#all()
    const spelled = this.#spelled(path)
    const target = targets.get(spelled)
    if (target === undefined) return null
    this.#refresh(target.document)
    return targets.get(spelled) ?? null
  }

  /** Whether a file may be one of the project's, without reading any. */
  isInside(path: string): boolean {
    return this.#spelled(path).startsWith(this.project.root + sep)
  }

  /** The absolute paths of the documents. */
  documents(): string[] {
    this.#all()
    return [...this.#stamps.keys()]
  }

  /** All targets of a document, as it is now; the document need not be one of the project. */
  targetsOf(document: string): BookTarget[] {
    const path = this.#spelled(document)
    const targets = this.#all()
    this.#refresh(path)
    return [...targets.values()].filter((target) => target.document === path)
  }

  #spelled(path: string): string {
    const { root } = this.project
    const absolute = resolve(path)
    if (root === this.#real || !absolute.startsWith(this.#real + sep)) return absolute
    return root + absolute.slice(this.#real.length)
  }

  #all(): Map<string, BookTarget> {
    if (this.#targets !== null) return this.#targets
    const { root, sources } = this.project
    const documents = findDocuments(sources.map((place) => resolve(root, place)))
    for (const document of documents) this.#stamps.set(document, stampOf(document))
    const { targets } = readBook(root, documents, projectOptions(this.project))
    this.#targets = new Map(targets.map((target) => [target.path, target]))
    return this.#targets
  }

  #refresh(document: string): void {
    const stamp = stampOf(document)
    if (stamp === this.#stamps.get(document) || stamp === '') return
    this.#stamps.set(document, stamp)
    const targets = this.#all()
    for (const [path, target] of targets) if (target.document === document) targets.delete(path)
    const options = projectOptions(this.project)
    for (const target of readBook(this.project.root, [document], options).targets) {
      if (!targets.has(target.path)) targets.set(target.path, target)
    }
  }

  /** The source map of the text of a tangled file with this sum, kept for the next time, or null. */
  map(path: string, sum: string): KeptMap | null {
    const { root } = this.project
    const kept = keptMap(root, this.#spelled(path), sum)
    if (kept !== null) return kept
    const target = this.target(path)
    const document = target === null ? null : this.#files.read(target.document)
    if (target === null || document === null || hash(target.text) !== sum) return null
    const from = { document: target.document, text: document.text }
    return keepMap(root, { path: target.path, sum }, from, sourceMap(target, document.lines))
  }

  /** Where a place in a tangled file came from; null when that cannot be known. */
  toDocument(file: string, line: number, column: number | null = null): DocumentOrigin | null {
    const target = this.target(file)
    if (target === null) return null
    const document = this.#files.read(target.document)
    const lines = new LineIndex(target.text)
    const known = lineInTarget(this.#files.read(target.path), lines, line)
    if (document === null || known === null) return null
    const first = (lines.first[known - 1] ?? 0) - (lines.starts[known - 1] ?? 0) + 1
    const offset = offsetOf(lines, known, column ?? first)
    if (offset === null) return null
    const place = orgPlace(target.code, document.lines, offset)
    return { file: target.document, ...place, block: blockAt(document, place.offset) }
  }

  /** What a place in a document became; without a column, what its line became. */
  toCode(document: string, line: number, column: number | null = null): FilePlace[] {
    const targets = this.targetsOf(document)
    const state = this.#files.read(this.#spelled(document))
    if (state === null) return []
    const begin = offsetOf(state.lines, line, column ?? 1)
    if (begin === null || line > state.lines.count) return []
    const end = state.lines.ends[line - 1]!
    if (column === null) return placesIn(targets, begin, end + 1, true)
    for (let at = begin; at <= end; at++) {
      const found = placesIn(targets, at, at + 1, false)
      if (found.length > 0) return found
    }
    const before = placesIn(targets, begin - 1, begin, false)
    return before.map((place) => ({ ...place, column: place.column + 1 }))
  }
}

function lineInTarget(found: FileState | null, lines: LineIndex, line: number): number | null {
  if (found === null || found.text === lines.text) return line
  const disk = found.text.split('\n')
  const wanted = lines.text.split('\n')
  let same = 0
  while (same < line && disk[same] === wanted[same] && same < disk.length) same++
  if (same === line) return line
  const fromEnd = disk.length - line
  for (let back = 0; back <= fromEnd; back++) {
    if (disk[disk.length - 1 - back] !== wanted[wanted.length - 1 - back]) return null
  }
  return line > disk.length ? null : wanted.length - fromEnd
}

function placesIn(
  targets: readonly BookTarget[],
  begin: number,
  end: number,
  oncePerLine: boolean,
): FilePlace[] {
  const places = new Map<string, FilePlace>()
  for (const { path, text, code } of targets) {
    const offsets = codeOffsets(code, begin, end)
    const lines = offsets.length > 0 ? new LineIndex(text) : null
    for (const offset of offsets) {
      const { line, column } = lines!.point(offset)
      const key = oncePerLine ? `${line}:${path}` : `${line}:${column}:${path}`
      if (!places.has(key)) places.set(key, { file: path, line, column })
    }
  }
  return [...places.values()]
}

function blockAt(document: FileState, offset: number): string | null {
  document.blocks ??= sourceBlocks(parse(document.text), document.text)
  const found = document.blocks.find(({ node }) => {
    return node.startOffset <= offset && offset < node.endOffset
  })
  return found === undefined ? null : sourceName(found, document.text)
}
