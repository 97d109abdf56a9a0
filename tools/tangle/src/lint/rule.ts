import { existsSync, readFileSync } from 'node:fs'
import type { Book } from '../blocks/book.ts'
import { type ParsedDocument, parsedDocument } from '../project/parsed-document.ts'
import type { Project } from '../project/settings.ts'

/** Everything that a rule may ask about besides its document. */
export interface LintBook {
  project: Project
  /** The documents of the project and those that were named. */
  documents: ParsedDocument[]
  /** The same, tangled. */
  book: Book
  /** Files in owned folders that no document describes. */
  stale: string[]
  document: (file: string) => ParsedDocument | null
}

/** A place in a document, and what is wrong with it. */
export interface Mark {
  line: number
  column: number
  message: string
}

/** A mark in a file that the rule chose itself. */
export interface FileMark extends Mark {
  /** Absolute. */
  file: string
}

/** Numbers that a rule can be given in the settings, and their defaults. */
export type RuleNumbers = Readonly<Record<string, number>>

/** One thing that can be wrong. */
export interface Rule {
  /** Such as `dead-link`. */
  id: string
  /** One sentence, for lists of rules. */
  description: string
  /** What it is unless the settings say otherwise. */
  severity: 'off' | 'warning' | 'error'
  numbers?: RuleNumbers
  /** Looks at one document. */
  each?: (document: ParsedDocument, book: LintBook, numbers: RuleNumbers) => Iterable<Mark>
  /** Looks at all of them together. */
  all?: (book: LintBook, numbers: RuleNumbers) => Iterable<FileMark>
}

/** Reads the files of a project for the rules. `book` and `stale` are those of the same files. */
export function lintBook(project: Project, book: Book, stale: string[]): LintBook {
  const known = new Map<string, ParsedDocument | null>()
  const document = (file: string) => {
    const found = known.get(file)
    if (found !== undefined) return found
    const read = existsSync(file) ? parsedDocument(file, readFileSync(file, 'utf8')) : null
    known.set(file, read)
    return read
  }
  const documents = book.documents.flatMap((file) => document(file) ?? [])
  return { project, documents, book, stale, document }
}

/** The mark at an offset of a document. */
export function markAt(document: ParsedDocument, offset: number, message: string): Mark {
  const { line, column } = document.lines.point(offset)
  return { line, column, message }
}
