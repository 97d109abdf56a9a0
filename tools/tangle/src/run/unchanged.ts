import { hash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Book, BookListener } from '../blocks/book.ts'
import type { TangleOptions } from '../blocks/targets.ts'
import { staleFiles } from '../project/documents.ts'
import type { Project } from '../project/settings.ts'
import type { Plan, PlannedFile } from './write-plan.ts'

type Digests = Record<string, string | null>

interface RememberedFile {
  path: string
  digest: string
  mode: number | null
  document: string
  line: number
}

interface Memory {
  tool: string
  documents: string[]
  read: Digests
  env: Digests
  files: RememberedFile[]
}

const digestOf = (bytes: Buffer | string) => hash('sha256', bytes, 'base64url')

/** The folder in which the command keeps memories. */
export function memoryFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'org-tangle', 'unchanged')
}

function memoryFile(folder: string, { root }: Project): string {
  return join(folder, `${digestOf([root, homedir(), process.platform].join('\0'))}.json`)
}

function toolDigest(): string {
  const folders = [
    join(import.meta.dirname, '..'),
    dirname(fileURLToPath(import.meta.resolve('org-ast'))),
  ]
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  )
  const stamps = files.map((path) => {
    const { mtimeMs, size } = statSync(path)
    return `${path} ${mtimeMs} ${size}`
  })
  return digestOf([process.version, ...stamps].join('\n'))
}

/** What a run has looked at so far. */
export interface Witness {
  /** To be given to the reading of the book. */
  listener: BookListener
  /** The same options, with what they read being noted. */
  options: TangleOptions
  read: Digests
  env: Digests
}

/** Begins to note what a run with these options looks at; `readFile` reads setup files. */
export function witness(
  options: TangleOptions,
  readFile: (path: string) => string | null,
): Witness {
  const read: Digests = {}
  const env: Digests = {}
  const note = (path: string, text: Buffer | string | null) => {
    read[path] = text === null ? null : digestOf(text)
  }
  const seen = new Proxy(process.env, {
    get(target, name) {
      const value = typeof name === 'string' ? target[name] : undefined
      if (typeof name === 'string') env[name] = value === undefined ? null : digestOf(value)
      return value
    },
  })
  const noted = (path: string) => {
    const text = readFile(path)
    note(path, text)
    return text
  }
  return {
    listener: { onRead: note },
    options: { ...options, env: seen, readFile: noted },
    read,
    env,
  }
}

/** Writes down that a run had nothing left to do. Never throws. */
export function remember(
  folder: string,
  project: Project,
  book: Book,
  plan: Plan,
  { read, env }: Pick<Witness, 'read' | 'env'>,
): void {
  try {
    const files = plan.files.map(({ path, real, target }): RememberedFile => {
      if (target === null || path !== real) throw new Error('not to be remembered')
      const { mode, document, line, text } = target
      return { path, digest: digestOf(text), mode, document, line }
    })
    const settings = join(project.root, 'package.json')
    const memory: Memory = {
      tool: toolDigest(),
      documents: book.documents,
      read: { ...read, [settings]: digestNow(settings) },
      env,
      files,
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = memoryFile(folder, project)
    const beside = `${path}.${process.pid}`
    writeFileSync(beside, JSON.stringify(memory), { mode: 0o600 })
    renameSync(beside, path)
  } catch {
    rmSync(memoryFile(folder, project), { force: true })
  }
}

function digestNow(path: string): string | null {
  try {
    return digestOf(readFileSync(path))
  } catch {
    return null
  }
}

/** A project in which nothing has changed. */
export interface Unchanged {
  documents: string[]
  files: PlannedFile[]
}

/** What a run would find if it is what an earlier one has remembered; else null. */
export function recall(
  folder: string,
  project: Project,
  documents: readonly string[],
): Unchanged | null {
  try {
    const memory: Memory = JSON.parse(readFileSync(memoryFile(folder, project), 'utf8'))
    if (memory.tool !== toolDigest()) return null
    if (memory.documents.join('\n') !== documents.join('\n')) return null
    const isSame = Object.entries(memory.env).every(([name, digest]) => {
      const value = process.env[name]
      return digest === (value === undefined ? null : digestOf(value))
    })
    if (!isSame || staleFiles(project, { targets: memory.files }).length > 0) return null
    for (const [path, digest] of Object.entries(memory.read)) {
      if (digestNow(path) !== digest) return null
    }
    const files = memory.files.map(asPlanned)
    return files.includes(null)
      ? null
      : { documents: memory.documents, files: files.filter(isFile) }
  } catch {
    return null
  }
}

const isFile = (file: PlannedFile | null) => file !== null

function asPlanned({ path, digest, mode, document, line }: RememberedFile): PlannedFile | null {
  const stats = lstatSync(path)
  const isMode = mode === null || process.platform === 'win32' || !((stats.mode ^ mode) & 0o7755)
  if (!stats.isFile() || !isMode) return null
  const found = readFileSync(path)
  if (digestOf(found) !== digest) return null
  const target = { path, document, line, mode, text: '', lines: [], makeDirectories: false }
  return { action: 'same', path, real: path, found, target }
}
