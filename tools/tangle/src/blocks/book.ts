import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { type Diagnostic, OrgSourceError } from 'org-ast'
import { isOutside } from '../project/documents.ts'
import type { Project } from '../project/settings.ts'
import { type Tangled, type TangleOptions, type Target, tangleText } from './targets.ts'

/** Something wrong at a line of a document; `file` is absolute, `line` 1-based. */
export interface Problem {
  code: 'document' | 'outside' | 'itself' | 'twice' | 'conflict' | 'reference' | Diagnostic['code']
  file: string
  line: number
  message: string
}

/** A target with the document that describes it. */
export interface BookTarget extends Target {
  document: string
}

/** All documents tangled, in memory. */
export interface Book {
  documents: string[]
  /** What was said from outside of the documents when they were read. */
  options?: TangleOptions
  targets: BookTarget[]
  problems: Problem[]
  /** References that no block answers, and code that is lost: they tangle to nothing, as in Emacs. */
  warnings: Problem[]
}

/** Told about the documents while they are read. */
export interface BookListener {
  /** How many have been read. */
  onDocument?(done: number): void
  /** What was read from the absolute path of a document. */
  onRead?(file: string, bytes: Buffer): void
}

/** Tangles the documents without writing. Targets outside `root` are problems. */
export function readBook(
  root: string,
  documents: readonly string[],
  options: TangleOptions = {},
  listener: BookListener = {},
): Book {
  const book: Book = { documents: [...documents], options, targets: [], problems: [], warnings: [] }
  const owners = new Map<string, BookTarget>()
  for (const [index, file] of documents.entries()) {
    listener.onDocument?.(index)
    try {
      const { targets, missing, lost } = tangleDocument(file, readDocument(file, listener), options)
      for (const target of targets) addTarget(book, owners, root, { ...target, document: file })
      for (const { name, line } of missing) {
        const message = `<<${name}>> names no block`
        book.warnings.push({ code: 'reference', file, line, message })
      }
      for (const loss of lost) book.warnings.push({ ...loss, file })
    } catch (error) {
      if (!(error instanceof OrgSourceError)) throw error
      const { line, message } = error
      book.problems.push({ code: 'document', file, line, message })
    }
  }
  return book
}

/** Tangles a text as `readBook` would tangle the file; throws as `tangleText` does. */
export function tangleDocument(file: string, text: string, options: TangleOptions = {}): Tangled {
  return tangleText(file, text, { readFile, ...options })
}

/** What the settings of a project say to every document. */
export function projectOptions({ headerArgs, languageHeaderArgs }: Project): TangleOptions {
  return {
    ...(headerArgs !== undefined && { defaults: headerArgs }),
    ...(languageHeaderArgs !== undefined && { languageDefaults: languageHeaderArgs }),
  }
}

/** The text of a file, or null when there is none; for `#+setupfile:`. */
export function readFile(path: string): string | null {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : null
}

/** The text of a file to the byte. Throws when it cannot be read, or has bytes that are no UTF-8. */
export function readExactly(path: string): string {
  return exactText(path, readFileSync(path))
}

/** The text of these bytes of a file; throws when they are no UTF-8. */
export function exactText(path: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error(`${path} is not UTF-8; save it as UTF-8`)
  return bytes.toString()
}

function readDocument(file: string, listener: BookListener): string {
  const bytes = readFileSync(file)
  listener.onRead?.(file, bytes)
  if (isUtf8(bytes)) return bytes.toString()
  let line = 1
  for (let from = 0; ; line++) {
    const end = bytes.indexOf(0x0a, from) + 1 || bytes.length
    if (!isUtf8(bytes.subarray(from, end)) || end === bytes.length) break
    from = end
  }
  throw new OrgSourceError(line, 'this line is not UTF-8; save the document as UTF-8')
}

function addTarget(
  book: Book,
  owners: Map<string, BookTarget>,
  root: string,
  target: BookTarget,
): void {
  const { document: file, line, path } = target
  const objected = objection(book, owners.get(path), root, path)
  if (objected !== null) {
    book.problems.push({ ...objected, file, line })
  } else {
    owners.set(path, target)
    book.targets.push(target)
  }
}

function objection(
  book: Book,
  owner: BookTarget | undefined,
  root: string,
  path: string,
): Pick<Problem, 'code' | 'message'> | null {
  if (isOutside(root, path)) {
    return { code: 'outside', message: `${path} is outside the project ${root}` }
  }
  if (book.documents.includes(path)) {
    return { code: 'itself', message: `${relative(root, path)} is itself a document` }
  }
  if (owner === undefined) return null
  const place = `${relative(root, owner.document)}:${owner.line}`
  return { code: 'twice', message: `${relative(root, path)} is already described by ${place}` }
}
