import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  applyEdits,
  type Changes,
  documentChanges,
  type Edit,
  type Edits,
  type Obstacle,
  tangledAgain,
} from '../detangle/edits.ts'
import { findFiles } from '../project/documents.ts'
import { parsedDocument } from '../project/parsed-document.ts'
import { firstHunk } from '../run/check.ts'
import { unifiedDiff } from '../run/diff.ts'
import type { Plan, PlannedFile } from '../run/write-plan.ts'
import type { BookProgram } from '../symbols/program.ts'
import { codeMoves, exportMoves, type SourceText } from './move-code.ts'
import { expandMoves, type Move, targetAfter } from './move-paths.ts'
import { linkMoves, markdownMoves, mentionMoves, patternsLost } from './move-text.ts'

/** One file before and after; paths are absolute. */
interface MovedFile {
  from: string
  to: string
  before: Buffer
  after: Buffer
}

/** What a move does, and what it leaves to a person. */
export interface Relocation {
  files: MovedFile[]
  left: Obstacle[]
}

/** Works out a move, or why it cannot be done. Throws a RangeError for a request that is none. */
export function planMove(program: BookProgram, moves: readonly Move[]): Relocation | Obstacle {
  const left: Obstacle[] = []
  const after = pathsAfter(program, moves, left)
  if (!(after instanceof Map)) return after
  const titles = titlesOf(program, moves)
  const sources = otherFiles(program)
  const code = codeMoves(program, [...program.book.targets, ...sources], after)
  for (const source of [...program.book.targets, ...sources]) {
    if (!/(?:^|\/)(?:package|tsconfig[\w.-]*)\.json$/.test(source.path)) continue
    const { edits, left: lost } = exportMoves(source, after)
    for (const [path, own] of edits) code.edits.set(path, own)
    left.push(...lost, ...patternsLost(program.root, source.path, source.text, after))
  }
  left.push(...code.left)
  const tangled = new Set(program.book.targets.map(({ path }) => path))
  const inBook: Edits = new Map([...code.edits].filter(([path]) => tangled.has(path)))
  const changes = documentChanges(program, inBook)
  if (!(changes instanceof Map)) return changes
  const documents = documentsAfter(program, after, titles, changes)
  const wrong = disagreement(program, documents, inBook, after)
  if (wrong !== null) return wrong
  const files = [
    ...documents,
    ...targetsAfter(program, inBook, after),
    ...sources.map((source) => otherAfter(program, source, code.edits, after, titles)),
    ...dataAfter(program, after, new Set(sources.map(({ path }) => path))),
  ]
  return {
    files: files.filter(({ from, to, before, after: now }) => from !== to || !before.equals(now)),
    left,
  }
}

function pathsAfter(
  program: BookProgram,
  moves: readonly Move[],
  left: Obstacle[],
): Map<string, string> | Obstacle {
  const after = expandMoves(moves)
  const local = (path: string) => relative(program.root, path)
  const taken = new Map([...after].map(([from, to]) => [to, from]))
  for (const { path, document, line } of program.book.targets) {
    const to = after.get(document)
    if (to === undefined) continue
    const place = targetAfter(local(path), local(document), local(to))
    if (place === null) {
      const message = `nothing says where ${local(path)} goes; it stays`
      left.push({ message, places: [{ file: document, line, column: null }] })
      continue
    }
    const absolute = join(program.root, place)
    if (absolute === path) continue
    const other = taken.get(absolute)
    if (other !== undefined) {
      return { message: `${local(path)} and ${local(other)} both go to ${place}`, places: [] }
    }
    taken.set(absolute, path)
    after.set(path, absolute)
  }
  for (const [to, from] of taken) {
    if (existsSync(to) && !after.has(to)) {
      return { message: `${local(from)} goes to ${local(to)}, which is there already`, places: [] }
    }
  }
  for (const { from, to } of moves) if (statSync(from).isDirectory()) after.set(from, to)
  return after
}

function titlesOf(program: BookProgram, moves: readonly Move[]): Map<string, [string, string]> {
  const titles = new Map<string, [string, string]>()
  for (const { from, title } of moves) {
    if (title === null) continue
    const text = program.document(from)?.text ?? ''
    const old = /^#\+title:[ \t]*(.*?)[ \t]*$/im.exec(text)?.[1] ?? ''
    titles.set(from, [old, title])
  }
  return titles
}

function documentsAfter(
  program: BookProgram,
  after: ReadonlyMap<string, string>,
  titles: ReadonlyMap<string, [string, string]>,
  changes: Changes,
): MovedFile[] {
  return program.book.documents.flatMap((file) => {
    const document = program.document(file)
    if (document === null) return []
    const edits = [...(changes.get(file)?.values() ?? []), ...linkMoves(document, after, titles)]
    edits.push(...mentionMoves(program.root, document.text, after, edits))
    return [changed(file, document.text, edits, after)]
  })
}

function changed(
  from: string,
  text: string,
  edits: readonly Edit[],
  after: ReadonlyMap<string, string>,
): MovedFile {
  const now = Buffer.from(applyEdits(text, edits))
  return { from, to: after.get(from) ?? from, before: Buffer.from(text), after: now }
}

function targetsAfter(
  { root, book }: BookProgram,
  edits: Edits,
  after: ReadonlyMap<string, string>,
): MovedFile[] {
  return book.targets.map(({ path, text }) => {
    const own = edits.get(path) ?? []
    return changed(path, text, [...own, ...mentionMoves(root, text, after, own)], after)
  })
}

function disagreement(
  program: BookProgram,
  documents: readonly MovedFile[],
  edits: Edits,
  after: ReadonlyMap<string, string>,
): Obstacle | null {
  const wanted = new Map(targetsAfter(program, edits, after).map((file) => [file.from, file]))
  for (const { from, to, before, after: now } of documents) {
    if (from === to && before.equals(now)) continue
    const tangled = tangledAgain(program, to, now.toString())
    if (!Array.isArray(tangled)) return tangled
    const found = new Map(tangled.map((target) => [target.path, target]))
    for (const { path, line } of program.book.targets.filter(({ document }) => document === from)) {
      const target = wanted.get(path)!
      const made = found.get(target.to)
      if (made !== undefined && plain(made.text) === plain(target.after.toString())) continue
      const hunk = firstHunk(target.after.toString(), made?.text ?? '', made?.lines ?? [])
      const what =
        made === undefined ? 'is not tangled there' : `would differ in line ${hunk?.codeLine}`
      const message = `${relative(program.root, target.to)} ${what} after the move`
      return { message, places: [{ file: from, line: hunk?.orgLine ?? line, column: null }] }
    }
  }
  return null
}

const plain = (text: string) => text.replace(/\[\[file:[^\]\n]*/g, '')

function otherFiles({ root, book }: BookProgram): SourceText[] {
  const known = new Set([...book.documents, ...book.targets.map(({ path }) => path)])
  const files = findFiles([root], (name) => !/^(?:\.git|package-lock\.json)$/.test(name))
  return files.flatMap((path) => {
    if (known.has(path) || statSync(path).size > 1_000_000) return []
    const bytes = readFileSync(path)
    return isUtf8(bytes) && !bytes.includes(0) ? [{ path, text: bytes.toString() }] : []
  })
}

function otherAfter(
  { root }: BookProgram,
  { path, text }: SourceText,
  code: Edits,
  after: ReadonlyMap<string, string>,
  titles: ReadonlyMap<string, [string, string]>,
): MovedFile {
  const edits = [...(code.get(path) ?? [])]
  if (path.endsWith('.org')) edits.push(...linkMoves(parsedDocument(path, text), after, titles))
  if (path.endsWith('.md')) edits.push(...markdownMoves(path, text, after))
  edits.push(...mentionMoves(root, text, after, edits))
  return changed(path, text, edits, after)
}

function dataAfter(
  { book }: BookProgram,
  after: ReadonlyMap<string, string>,
  read: ReadonlySet<string>,
): MovedFile[] {
  const known = new Set([...book.documents, ...book.targets.map(({ path }) => path), ...read])
  return [...after].flatMap(([from, to]) => {
    if (known.has(from) || !statSync(from).isFile()) return []
    const bytes = readFileSync(from)
    return [{ from, to, before: bytes, after: bytes }]
  })
}

/** A move as a unified diff, with paths relative to `root`. */
export function moveDiff({ files }: Relocation, root: string): string {
  return files
    .map(({ from, to, before, after }) => {
      const [old, now] = [relative(root, from), relative(root, to)]
      const head =
        from === to ? '' : `diff --git a/${old} b/${now}\nrename from ${old}\nrename to ${now}\n`
      const changes = { file: from, before: before.toString(), after: after.toString() }
      return before.equals(after) ? head : head + unifiedDiff(root, [{ ...changes, to }])
    })
    .join('')
}

/** The plan that carries a move out. */
export function movePlan(program: BookProgram, { files }: Relocation): Plan {
  const plan: Plan = { root: program.root, files: [], conflicts: [] }
  const documents = new Map(program.book.targets.map((target) => [target.path, target]))
  const filled = new Set(files.map(({ to }) => to))
  const gone: PlannedFile[] = []
  for (const { from, to, before, after } of files) {
    const { document = from, line = 1, mode = null } = documents.get(from) ?? {}
    if (!existsSync(from) || !readFileSync(from).equals(before)) {
      const message = `${relative(program.root, from)} differs from its document; tangle it, or take its edits back`
      plan.conflicts.push({ code: 'conflict', file: document, line, message })
      continue
    }
    const found = existsSync(to) ? readFileSync(to) : null
    const kept = mode ?? statSync(from).mode & 0o777
    const about = { document, lines: [], line, makeDirectories: true }
    const target = { ...about, path: to, text: after, mode: kept }
    const real = found === null ? to : realpathSync(to)
    plan.files.push({ action: found === null ? 'create' : 'change', path: to, real, target, found })
    if (filled.has(from)) continue
    gone.push({ action: 'delete', path: from, real: from, target: null, found: before })
  }
  plan.files.push(...gone)
  return plan
}
