import { OrgSourceError } from 'org-ast'
import { type BookTarget, tangleDocument } from '../blocks/book.ts'
import type { Target } from '../blocks/targets.ts'
import { orgPlace } from '../positions/position-lookup.ts'
import type { BookProgram, DocumentPlace } from '../symbols/program.ts'

/** A reason why a refactoring cannot be done, and where it stands. */
export interface Obstacle {
  message: string
  /** In a document, or in a tangled file that no document accounts for. */
  places: DocumentPlace[]
}

/** A stretch of a text, and what is to stand there instead. */
export interface Edit {
  start: number
  length: number
  text: string
}

/** Edits by the absolute path of the file that they change. */
export type Edits = Map<string, Edit[]>

/** The text with the edits made; they may come in any order and must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.start + edit.length
  }
  return result + text.slice(at)
}

/** Edits by document, and then by their offset in it. */
export type Changes = Map<string, Map<number, Edit>>

/** Adds an edit of a document, instead of one that stands at the same offset. */
export function addChange(changes: Changes, file: string, edit: Edit): void {
  const own = changes.get(file) ?? new Map<number, Edit>()
  changes.set(file, own)
  own.set(edit.start, edit)
}

/** The edits of tangled files as edits of their documents, or the first that has no place there. */
export function documentChanges(program: BookProgram, edits: Edits): Changes | Obstacle {
  const changes: Changes = new Map()
  const targets = new Map(program.book.targets.map((target) => [target.path, target]))
  for (const [path, list] of edits) {
    const target = targets.get(path)!
    for (const edit of list) {
      const start = offsetInDocument(program, target, edit)
      if (typeof start !== 'number') return start
      addChange(changes, target.document, { ...edit, start })
    }
  }
  return changes
}

function offsetInDocument(program: BookProgram, target: BookTarget, edit: Edit): number | Obstacle {
  const document = program.document(target.document)!
  const old = target.text.slice(edit.start, edit.start + edit.length)
  const { offset, line, column, copied } = orgPlace(target.code, document.lines, edit.start)
  if (copied && document.text.startsWith(old, offset)) return offset
  const before = target.text.slice(0, edit.start).split('\n')
  const code = { file: target.path, line: before.length, column: before.at(-1)!.length + 1 }
  const place = { file: target.document, line, column: copied ? column : null }
  return { message: `${old} cannot be found in the document at this place`, places: [code, place] }
}

/** What a text of a document would be tangled to, or what is wrong with the text. */
export function tangledAgain(
  program: BookProgram,
  file: string,
  text: string,
): Target[] | Obstacle {
  try {
    return tangleDocument(file, text, program.book.options).targets
  } catch (error) {
    if (!(error instanceof OrgSourceError)) throw error
    return { message: error.message, places: [{ file, line: error.line, column: null }] }
  }
}
