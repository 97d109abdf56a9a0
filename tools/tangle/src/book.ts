import { existsSync, globSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { OrgSourceError } from 'org-ast'
import { z } from 'zod'
import { type TangleOptions, type Target, tangleText } from './targets.ts'

const settingsSchema = z.object({
  sources: z.array(z.string()).default(['.']),
  owns: z.array(z.string()).default([]),
})

/** A folder with its settings. */
export interface Project {
  /** Absolute. */
  root: string
  /** Documents, or folders of them, relative to the root. */
  sources: string[]
  /** Globs of folders and files in which everything is tangled, relative to the root. */
  owns: string[]
}

/** The nearest project from `folder` upwards. Throws when its settings are out of shape. */
export function findProject(folder: string): Project {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const path = join(root, 'package.json')
    const settings = existsSync(path) ? readSettings(path) : undefined
    if (settings !== undefined) return { root, ...settings }
    if (dirname(root) === root) return { root: resolve(folder), sources: ['.'], owns: [] }
  }
}

function readSettings(path: string): Omit<Project, 'root'> | undefined {
  try {
    const packageJson = z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8')))
    const own = packageJson['org-tangle']
    return own === undefined ? undefined : settingsSchema.parse(own)
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new Error(`${path}: the "org-tangle" settings cannot be read: ${message}`)
  }
}

/** The absolute paths of all Org documents at these places, each once, folders in name order. */
export function findDocuments(places: readonly string[]): string[] {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (!statSync(path).isDirectory()) {
      found.add(path)
      return
    }
    const entries = readdirSync(path, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const inside = join(path, entry.name)
      if (entry.isDirectory() || (entry.isFile() && entry.name.endsWith('.org'))) visit(inside)
    }
  }
  for (const place of places) visit(resolve(place))
  return [...found]
}

/** Something wrong at a line of a document; `file` is absolute, `line` 1-based. */
export interface Problem {
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
  targets: BookTarget[]
  problems: Problem[]
  /** References that no block answers: they tangle to nothing, as in Emacs. */
  warnings: Problem[]
}

/** Tangles the documents without writing. Targets outside `root` are problems. */
export function readBook(
  root: string,
  documents: readonly string[],
  options: TangleOptions = {},
): Book {
  const book: Book = { documents: [...documents], targets: [], problems: [], warnings: [] }
  const owners = new Map<string, BookTarget>()
  for (const file of documents) {
    try {
      const { targets, missing } = tangleText(file, readFileSync(file, 'utf8'), {
        readFile,
        ...options,
      })
      for (const target of targets) addTarget(book, owners, root, { ...target, document: file })
      for (const { name, line } of missing) {
        book.warnings.push({ file, line, message: `<<${name}>> names no block` })
      }
    } catch (error) {
      if (!(error instanceof OrgSourceError)) throw error
      book.problems.push({ file, line: error.line, message: error.message })
    }
  }
  return book
}

function readFile(path: string): string | null {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : null
}

function addTarget(
  book: Book,
  owners: Map<string, BookTarget>,
  root: string,
  target: BookTarget,
): void {
  const { document: file, line, path } = target
  const local = relative(root, path)
  const owner = owners.get(path)
  if (local.startsWith('..') || resolve(local) === local || local.split(sep).includes('.git')) {
    const message = `${path} is outside the project ${root}, so it was not written`
    book.problems.push({ file, line, message })
  } else if (book.documents.includes(path)) {
    book.problems.push({ file, line, message: `${local} is itself a document` })
  } else if (owner !== undefined) {
    const other = `${relative(root, owner.document)}:${owner.line}`
    book.problems.push({ file, line, message: `${local} is already described by ${other}` })
  } else {
    owners.set(path, target)
    book.targets.push(target)
  }
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
    for (const match of globSync(pattern, { cwd: project.root })) visit(join(project.root, match))
  }
  return [...stale].sort()
}
