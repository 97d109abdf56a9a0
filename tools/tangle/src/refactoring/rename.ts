import { existsSync, readFileSync } from 'node:fs'
import { parse, walk } from 'org-ast'
import type { Target } from '../blocks/targets.ts'
import {
  addChange,
  applyEdits,
  type Changes,
  documentChanges,
  type Edit,
  type Edits,
  type Obstacle,
  tangledAgain,
} from '../detangle/edits.ts'
import { firstHunk } from '../run/check.ts'
import { unifiedDiff } from '../run/diff.ts'
import { type Plan, textChange } from '../run/write-plan.ts'
import { type BookProgram, nodeAt, placeInOrg, ts } from '../symbols/program.ts'
import { findDefinitions } from '../symbols/symbols.ts'

/** What a renaming would do. */
interface Renaming {
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
    const after = applyEdits(before, [...own.values()])
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
