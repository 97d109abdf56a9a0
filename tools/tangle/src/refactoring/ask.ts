import { readFileSync, rmdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { projectOptions, readBook } from '../blocks/book.ts'
import type { Obstacle } from '../detangle/edits.ts'
import { lintBook } from '../lint/rule.ts'
import { findDocuments } from '../project/documents.ts'
import { findProject } from '../project/settings.ts'
import { carryOut } from '../run/write.ts'
import { type BookProgram, type DocumentPlace, openProgram } from '../symbols/program.ts'
import {
  type Definition,
  definitions,
  findDefinitions,
  references,
  unusedExports,
} from '../symbols/symbols.ts'
import { moveDiff, movePlan, planMove, type Relocation } from './move.ts'
import { readMoves } from './move-paths.ts'
import { diffOf, planRename, renamePlan } from './rename.ts'

/** What the command prints and how it ends. */
export interface Answer {
  lines: string[]
  /** For `JSON.stringify`. */
  json: unknown
  errors: string[]
  code: number
}

function answer(lines: string[], json: unknown): Answer {
  return { lines, json, errors: [], code: 0 }
}

function open(cwd: string): BookProgram {
  const project = findProject(cwd)
  const sources = project.sources.map((place) => resolve(project.root, place))
  const book = readBook(project.root, findDocuments(sources), projectOptions(project))
  return openProgram(project.root, book, lintBook(project, book, []).document)
}

function show({ file, line, column }: DocumentPlace, cwd: string): string {
  return `${relative(cwd, file)}:${line}:${column ?? 1}:`
}

/** Everything that the project of a folder defines. */
export function askSymbols(cwd: string): Answer {
  const program = open(cwd)
  const found = definitions(program)
  const lines = found.map((entry) => {
    const words = entry.documentation?.split(/(?<=\.)\s/)[0]?.replace(/\s+/g, ' ') ?? ''
    const kind = `${entry.exported ? 'export ' : ''}${entry.kind}`
    return `${placeOf(entry, cwd)} ${kind} ${entry.name}${words && ` - ${words}`}`
  })
  return answer(lines, { root: program.root, symbols: found.map((entry) => json(program, entry)) })
}

function placeOf({ path, place }: Definition, cwd: string): string {
  return place === null ? `${relative(cwd, path)}:` : show(place, cwd)
}

function json(
  program: BookProgram,
  { path, place, offset: _offset, ...entry }: Definition,
): object {
  return { ...entry, target: relative(program.root, path), ...inJson(program, place) }
}

function inJson({ root }: BookProgram, place: DocumentPlace | null): object {
  if (place === null) return { file: null, line: null, column: null }
  return { ...place, file: relative(root, place.file) }
}

/** Where the things are used that `name` (or `place#name`) means. */
export function askReferences(cwd: string, name: string): Answer {
  const program = open(cwd)
  const meant = findDefinitions(program, name)
  if (meant.length === 0) return refusal({ message: `nothing is called ${name}`, places: [] }, cwd)
  const found = meant.map((entry) => ({ entry, uses: references(program, entry) }))
  const lines = found.flatMap(({ uses }) => {
    return uses.map(({ place, isDefinition, text }) => {
      return `${show(place, cwd)} ${isDefinition ? 'definition' : 'use'}: ${text}`
    })
  })
  return answer(lines, {
    root: program.root,
    symbols: found.map(({ entry, uses }) => ({
      ...json(program, entry),
      references: uses.map(({ place, ...use }) => ({ ...inJson(program, place), ...use })),
    })),
  })
}

function refusal({ message, places }: Obstacle, cwd: string): Answer {
  const [first, ...others] = places
  const errors = [`${first === undefined ? 'org-tangle:' : show(first, cwd)} ${message}`]
  errors.push(...others.map((place) => `${show(place, cwd)} is the other place`))
  return { lines: [], json: { message, places }, errors, code: 1 }
}

/** Exports that no other file uses, or only tests. */
export function askUnused(cwd: string): Answer {
  const program = open(cwd)
  const found = unusedExports(program)
  const lines = found.map(({ definition, tested }) => {
    const who = tested ? 'used by tests alone' : 'used by no other file'
    return `${placeOf(definition, cwd)} ${definition.kind} ${definition.name} is ${who}`
  })
  const symbols = found.map(({ definition, tested }) => ({ ...json(program, definition), tested }))
  return answer(lines, { root: program.root, symbols })
}

/** Renames a symbol in the documents and in what they tangle to; or only shows what would change. */
export async function askRename(
  cwd: string,
  oldName: string,
  newName: string,
  options: { prose?: boolean; dryRun?: boolean; signal?: AbortSignal },
): Promise<Answer> {
  const program = open(cwd)
  const [problem] = program.book.problems
  if (problem !== undefined) {
    const place = { file: problem.file, line: problem.line, column: null }
    return refusal({ message: problem.message, places: [place] }, cwd)
  }
  const renaming = planRename(program, oldName, newName, options.prose)
  if (!('documents' in renaming)) return refusal(renaming, cwd)
  const diff = diffOf(renaming, program.root)
  const plan = renamePlan(program, renaming)
  const [conflict] = plan.conflicts
  if (conflict !== undefined) {
    const place = { file: conflict.file, line: conflict.line, column: null }
    return refusal({ message: conflict.message, places: [place] }, cwd)
  }
  if (!options.dryRun) await carryOut(plan, options.signal, { journal: true })
  const documents = [...renaming.documents.keys()].map((file) => relative(program.root, file))
  const { mentions } = renaming
  const counts = `${documents.length} documents and ${renaming.targets.size} files`
  const done = `${counts} ${options.dryRun ? 'would change' : 'changed'}, ${mentions} mentions`
  const lines = options.dryRun ? [diff.trimEnd(), done] : [done]
  return answer(lines, { root: program.root, documents, mentions, diff, written: !options.dryRun })
}

/** Moves documents with all that belongs to them; `list` is a file of moves instead of one. */
export async function askMove(
  cwd: string,
  paths: readonly string[],
  options: { list?: string; title?: string; dryRun?: boolean; signal?: AbortSignal },
): Promise<Answer> {
  const program = open(cwd)
  const [problem] = program.book.problems
  if (problem !== undefined) {
    const place = { file: problem.file, line: problem.line, column: null }
    return refusal({ message: problem.message, places: [place] }, cwd)
  }
  try {
    const moves =
      options.list === undefined
        ? [
            {
              from: resolve(cwd, paths[0]!),
              to: resolve(cwd, paths[1]!),
              title: options.title ?? null,
            },
          ]
        : readMoves(readFileSync(resolve(cwd, options.list), 'utf8'), cwd)
    const planned = planMove(program, moves)
    if ('places' in planned) return refusal(planned, cwd)
    const list = resolve(cwd, options.list ?? '')
    const files = planned.files.filter(({ from }) => from !== list)
    return await carryMoveOut(cwd, program, { ...planned, files }, options)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return refusal({ message: error.message, places: [] }, cwd)
  }
}

async function carryMoveOut(
  cwd: string,
  program: BookProgram,
  planned: Relocation,
  options: { dryRun?: boolean; signal?: AbortSignal },
): Promise<Answer> {
  const plan = movePlan(program, planned)
  const [conflict] = plan.conflicts
  if (conflict !== undefined) {
    const place = { file: conflict.file, line: conflict.line, column: null }
    return refusal({ message: conflict.message, places: [place] }, cwd)
  }
  if (!options.dryRun) await carryOut(plan, options.signal, { journal: true })
  const moved = planned.files.filter(({ from, to }) => from !== to)
  if (!options.dryRun) for (const { from } of moved) removeEmpty(dirname(from), program.root)
  const diff = moveDiff(planned, program.root)
  const changed = planned.files.length - moved.length
  const verbs = options.dryRun ? ['would move', 'would change'] : ['moved', 'changed']
  const done = `${moved.length} files ${verbs[0]}, ${changed} others ${verbs[1]}`
  const left = planned.left.map(({ message, places: [first] }) => {
    return `${first === undefined ? '' : `${show(first, cwd)} `}${message}`
  })
  const local = (path: string) => relative(program.root, path)
  const files = planned.files.map(({ from, to }) => ({ from: local(from), to: local(to) }))
  const json = { root: program.root, files, left: planned.left, diff, written: !options.dryRun }
  return { ...answer(options.dryRun ? [diff.trimEnd(), done] : [done], json), errors: left }
}

function removeEmpty(folder: string, root: string): void {
  if (folder === root || !folder.startsWith(root)) return
  try {
    rmdirSync(folder)
  } catch {
    return
  }
  removeEmpty(dirname(folder), root)
}
