import { existsSync, readFileSync } from 'node:fs'
import { OrgSourceError, parse, walk } from 'org-ast'
import { tangleDocument } from './book.ts'
import { firstHunk } from './check.ts'
import { unifiedDiff } from './diff.ts'
import { type Plan, textChange } from './plan.ts'
import { type BookProgram, type DocumentPlace, linesOf, nodeAt, placeInOrg, ts } from './program.ts'
import { findDefinitions } from './symbols.ts'
import type { Target } from './targets.ts'

/** A place that keeps a name from being changed, and why. */
export interface Obstacle {
  message: string
  /** In a document, or in a tangled file that no document accounts for. */
  places: DocumentPlace[]
}

/** What a renaming would do. */
export interface Renaming {
  /** The documents that change, by absolute path. */
  documents: Map<string, { before: string; after: string }>
  /** The tangled files that change, by absolute path. */
  targets: Map<string, string>
  /** How many mentions in sentences change. */
  mentions: number
}

/**
 * What it takes to call `oldName` (or `place#oldName`) `newName` everywhere, or why it cannot be
 * done. With `prose`, mentions as `=name=` and `~name~` change too. Writes nothing.
 */
export function planRename(
  program: BookProgram,
  oldName: string,
  newName: string,
  prose = false,
): Renaming | Obstacle {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(newName)) {
    return { message: `${newName} is not a name`, places: [] }
  }
  const meant = findDefinitions(program, oldName)
  const [definition] = meant
  if (definition === undefined) return { message: `nothing is called ${oldName}`, places: [] }
  if (meant.length > 1) {
    const places = meant.flatMap(({ place }) => place ?? [])
    return { message: `${meant.length} things are called ${oldName}; say place#name`, places }
  }
  const edits = codeEdits(program, definition.path, definition.offset, newName)
  if (!(edits instanceof Map)) return edits
  const taken = collision(program, definition.name, edits, newName)
  if (taken !== null) return taken
  const changes = documentChanges(program, edits)
  if (!(changes instanceof Map)) return changes
  const simple = definition.name.slice(definition.name.lastIndexOf('.') + 1)
  const mentions = prose ? addMentions(program, simple, newName, changes) : 0
  return verified(program, edits, changes, mentions)
}

interface Edit {
  start: number
  length: number
  text: string
}

type Edits = Map<string, Edit[]>

function codeEdits(
  program: BookProgram,
  path: string,
  offset: number,
  newName: string,
): Edits | Obstacle {
  const compiled = program.service.getProgram()!
  const seen = new Map<string, { path: string; edit: Edit }>()
  const asked = new Set<string>()
  const waiting = [{ path, offset }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (asked.has(`${next.path}:${next.offset}`)) continue
    asked.add(`${next.path}:${next.offset}`)
    const how = { providePrefixAndSuffixTextForRename: true }
    const { service } = program
    for (const place of service.findRenameLocations(next.path, next.offset, false, false, how) ??
      []) {
      const { fileName, textSpan, prefixText = '', suffixText = '' } = place
      const isPassedOn = inSpecifier(compiled.getSourceFile(fileName)!, textSpan.start)
      if (isPassedOn) waiting.push({ path: fileName, offset: textSpan.start })
      const text = isPassedOn ? newName : prefixText + newName + suffixText
      const edit = { start: textSpan.start, length: textSpan.length, text }
      seen.set(`${fileName}:${textSpan.start}`, { path: fileName, edit })
    }
  }
  return seen.size > 0 ? inFiles(program, seen) : { message: 'this cannot be renamed', places: [] }
}

function inSpecifier(source: ts.SourceFile, offset: number): boolean {
  const { parent } = nodeAt(source, offset)
  if (!ts.isImportSpecifier(parent) && !ts.isExportSpecifier(parent)) return false
  return parent.propertyName === undefined
}

function inFiles(
  program: BookProgram,
  seen: ReadonlyMap<string, { path: string; edit: Edit }>,
): Edits | Obstacle {
  const edits: Edits = new Map()
  for (const { path, edit } of seen.values()) {
    if (!program.scripts.has(path)) {
      const source = program.service.getProgram()!.getSourceFile(path)!
      const { line, character } = source.getLineAndCharacterOfPosition(edit.start)
      const place = { file: path, line: line + 1, column: character + 1 }
      return { message: 'a file that no document describes uses the name', places: [place] }
    }
    edits.set(path, [...(edits.get(path) ?? []), edit])
  }
  for (const list of edits.values()) list.sort((a, b) => a.start - b.start)
  return edits
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const { start, length, text: inserted } of edits) {
    result += text.slice(at, start) + inserted
    at = start + length
  }
  return result + text.slice(at)
}

function collision(
  program: BookProgram,
  oldName: string,
  edits: Edits,
  newName: string,
): Obstacle | null {
  const compiled = program.service.getProgram()!
  const checker = compiled.getTypeChecker()
  for (const [path, list] of edits) {
    for (const { start } of list) {
      const node = nodeAt(compiled.getSourceFile(path)!, start)
      const symbol = oldName.includes('.')
        ? memberOfOwner(checker, node, newName)
        : checker.getSymbolsInScope(node, everything).find(({ name }) => name === newName)
      const other = symbol?.declarations?.find((declaration) => {
        return program.scripts.has(declaration.getSourceFile().fileName)
      })
      if (other === undefined) continue
      const places = [path, other.getSourceFile().fileName].flatMap((file, index) => {
        return placeInOrg(program, file, index === 0 ? start : other.getStart()) ?? []
      })
      return { message: `${newName} means something here already`, places }
    }
  }
  return null
}

const everything =
  ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace | ts.SymbolFlags.Alias

function memberOfOwner(checker: ts.TypeChecker, node: ts.Node, name: string) {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) {
    return checker.getTypeAtLocation(parent.expression).getProperty(name)
  }
  const owner = parent.parent
  return owner === undefined ? undefined : checker.getTypeAtLocation(owner).getProperty(name)
}

type Changes = Map<string, Map<number, Edit>>

function documentChanges(program: BookProgram, edits: Edits): Changes | Obstacle {
  const changes: Changes = new Map()
  for (const [path, list] of edits) {
    const target = program.scripts.get(path)!
    for (const edit of list) {
      const place = placeInOrg(program, path, edit.start)
      const old = target.text.slice(edit.start, edit.start + edit.length)
      const offset = place === null ? null : offsetOf(program, place)
      const text = program.document(target.document)?.text ?? ''
      if (offset === null || !text.startsWith(old, offset)) {
        const before = target.text.slice(0, edit.start).split('\n')
        const code = { file: path, line: before.length, column: before.at(-1)!.length + 1 }
        const message = `${old} cannot be found in the document at this place`
        return { message, places: place === null ? [code] : [code, place] }
      }
      addChange(changes, target.document, { ...edit, start: offset })
    }
  }
  return changes
}

function addChange(changes: Changes, file: string, edit: Edit): void {
  const own = changes.get(file) ?? new Map<number, Edit>()
  changes.set(file, own)
  own.set(edit.start, edit)
}

function offsetOf(program: BookProgram, { file, line, column }: DocumentPlace): number | null {
  if (column === null) return null
  const above = linesOf(program, file).slice(0, line - 1)
  return above.reduce((sum, { length }) => sum + length + 1, 0) + column - 1
}

function addMentions(
  program: BookProgram,
  oldName: string,
  newName: string,
  changes: Changes,
): number {
  let count = 0
  for (const file of program.book.documents) {
    const text = program.document(file)?.text
    if (text === undefined || !text.includes(oldName)) continue
    walk(parse(text), (node) => {
      if (node.type !== 'code' && node.type !== 'verbatim') return
      for (const at of mentionsIn(node.value, oldName)) {
        const start = text.indexOf(node.value, node.startOffset) + at
        addChange(changes, file, { start, length: oldName.length, text: newName })
        count++
      }
    })
  }
  return count
}

function mentionsIn(value: string, name: string): number[] {
  if (!/^[\p{ID_Continue}$.]+(?:\([^()]*\))?$/u.test(value)) return []
  const path = value.replace(/\(.*/s, '').split('.')
  let at = 0
  return path.flatMap((part) => {
    const start = at
    at += part.length + 1
    return part === name ? [start] : []
  })
}

function verified(
  program: BookProgram,
  edits: Edits,
  changes: Changes,
  mentions: number,
): Renaming | Obstacle {
  const renaming: Renaming = { documents: new Map(), targets: new Map(), mentions }
  for (const [file, own] of changes) {
    const before = program.document(file)!.text
    const after = applyEdits(
      before,
      [...own.values()].sort((a, b) => a.start - b.start),
    )
    renaming.documents.set(file, { before, after })
    const tangled = tangledAgain(program, file, after)
    if (!Array.isArray(tangled)) return tangled
    const texts = new Map(tangled.map((target) => [target.path, target]))
    for (const old of program.book.targets.filter(({ document }) => document === file)) {
      const wanted = applyEdits(old.text, edits.get(old.path) ?? [])
      const found = texts.get(old.path)
      if (found?.text !== wanted) return disagreement(old.path, file, found, wanted)
      if (wanted !== old.text) renaming.targets.set(old.path, wanted)
    }
  }
  return renaming
}

function tangledAgain(program: BookProgram, file: string, text: string): Target[] | Obstacle {
  try {
    return tangleDocument(file, text, program.book.options).targets
  } catch (error) {
    if (!(error instanceof OrgSourceError)) throw error
    return { message: error.message, places: [{ file, line: error.line, column: null }] }
  }
}

function disagreement(
  path: string,
  file: string,
  found: Target | undefined,
  wanted: string,
): Obstacle {
  const hunk = firstHunk(wanted, found?.text ?? '', found?.lines ?? [])
  const message = 'the renamed documents do not tangle to the renamed program'
  const code = { file: path, line: hunk?.codeLine ?? 1, column: null }
  return { message, places: [code, { file, line: hunk?.orgLine ?? 1, column: null }] }
}

/** A renaming as a unified diff, with paths relative to `root`. */
export function diffOf({ documents }: Renaming, root: string): string {
  return unifiedDiff(
    root,
    [...documents].map(([file, texts]) => ({ file, ...texts })),
  )
}

/** The plan that writes a renaming: the documents, and what they tangle to. */
export function renamePlan(program: BookProgram, renaming: Renaming): Plan {
  const plan: Plan = { root: program.root, files: [], conflicts: [] }
  for (const [file, { before, after }] of renaming.documents) {
    plan.files.push(textChange(file, file, before, after))
  }
  for (const [path, text] of renaming.targets) {
    const { document, line, text: before } = program.scripts.get(path)!
    if (!existsSync(path) || readFileSync(path, 'utf8') !== before) {
      const message = `${path} differs from its document; tangle it, or take its edits back`
      plan.conflicts.push({ code: 'conflict', file: document, line, message })
      continue
    }
    plan.files.push(textChange(path, document, before, text))
  }
  return plan
}
