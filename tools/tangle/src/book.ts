import { isUtf8 } from 'node:buffer'
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { OrgSourceError } from 'org-ast'
import { gitIgnored } from './gitignore.ts'
import type { Project } from './settings.ts'
import { type Tangled, type TangleOptions, type Target, tangleText } from './targets.ts'

/** The absolute paths of all Org documents at these places, each once, folders in name order. */
export function findDocuments(places: readonly string[]): string[] {
  const found = new Set<string>()
  const isIgnored = gitIgnored()
  const visit = (path: string) => {
    if (!statSync(path).isDirectory()) {
      found.add(path)
      return
    }
    const entries = readdirSync(path, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const inside = join(path, entry.name)
      const isFolder = entry.isDirectory()
      if (!isFolder && !(entry.isFile() && entry.name.endsWith('.org'))) continue
      if (!isIgnored(inside, isFolder)) visit(inside)
    }
  }
  for (const place of places) visit(resolve(place))
  return [...found]
}

/** Something wrong at a line of a document; `file` is absolute, `line` 1-based. */
export interface Problem {
  code: 'document' | 'outside' | 'itself' | 'twice' | 'conflict' | 'reference'
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
  /** References that no block answers: they tangle to nothing, as in Emacs. */
  warnings: Problem[]
}

/**
 * Tangles the documents without writing. Targets outside `root` are problems. `onDocument` is told
 * how many have been read.
 */
export function readBook(
  root: string,
  documents: readonly string[],
  options: TangleOptions = {},
  onDocument?: (done: number) => void,
): Book {
  const book: Book = { documents: [...documents], options, targets: [], problems: [], warnings: [] }
  const owners = new Map<string, BookTarget>()
  for (const [index, file] of documents.entries()) {
    onDocument?.(index)
    try {
      const { targets, missing } = tangleDocument(file, readDocument(file), options)
      for (const target of targets) addTarget(book, owners, root, { ...target, document: file })
      for (const { name, line } of missing) {
        const message = `<<${name}>> names no block`
        book.warnings.push({ code: 'reference', file, line, message })
      }
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

function readDocument(file: string): string {
  const bytes = readFileSync(file)
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

/** Whether an absolute path leads out of the folder, or into what git keeps there. */
export function isOutside(root: string, path: string): boolean {
  if (path.startsWith(`${root}${sep}`) && !path.includes(`${sep}.`)) return false
  const local = relative(root, path)
  return local.startsWith('..') || resolve(local) === local || local.split(sep).includes('.git')
}

/** Files in folders that the documents own, and that no target describes; absolute, sorted. */
export function staleFiles(project: Project, book: Book): string[] {
  const described = new Set(book.targets.map(({ path }) => path))
  const stale = new Set<string>()
  const visit = (path: string) => {
    if (!lstatSync(path).isDirectory()) {
      if (!described.has(path)) stale.add(path)
    } else {
      for (const name of readdirSync(path)) if (name !== 'node_modules') visit(join(path, name))
    }
  }
  for (const pattern of project.owns) {
    for (const path of expand(project.root, pattern)) visit(path)
  }
  return [...stale].sort()
}

function expand(root: string, pattern: string): string[] {
  if (/\*\*|[?[\]{}()!\\]/.test(pattern)) {
    return globSync(pattern, { cwd: root }).map((match) => join(root, match))
  }
  let found = [root]
  for (const part of pattern.split('/').filter((part) => part !== '' && part !== '.')) {
    const names = new RegExp(
      `^(?!\\.)${part
        .split('*')
        .map((text) => RegExp.escape(text))
        .join('.*')}$`,
    )
    found = part.includes('*')
      ? found.flatMap((folder) => {
          const inside = isFolder(folder) ? readdirSync(folder) : []
          return inside.filter((name) => names.test(name)).map((name) => join(folder, name))
        })
      : found.map((folder) => join(folder, part)).filter((path) => existsSync(path))
  }
  return found
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
