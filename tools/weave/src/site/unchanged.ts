import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { WeaveProblem } from './checks.ts'

/** What is to be woven, and how. */
interface Wish {
  documents: string
  site: string
  /** The folder in which runs are written down. */
  memory: string
  /** The options that make a difference, in any words. */
  asked: string
}

/** A run that has begun. */
export interface Run extends Wish {
  /** A digest of all that it depends on. */
  key: string
}

/** Looks at what a run will depend on; to be asked before the first document is read. */
export function begin(wish: Wish, now: Date): Run {
  const documents = resolve(wish.documents)
  const beside = ['package.json', 'package-lock.json', 'tsconfig.json']
  const files = [...filesIn(documents), ...beside.map((name) => join(dirname(documents), name))]
  const today = now.toDateString()
  const parts = [process.version, wish.asked, today, ...programStamps(), ...files.map(stampOf)]
  return { ...wish, key: hash('sha256', parts.join('\n'), 'base64url') }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(?:^|[/\\])(?:\.|node_modules[/\\])/.test(relative(folder, path)))
    .sort()
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? `${path} none` : `${path} ${found.size} ${found.mtimeMs}`
}

function programStamps(): string[] {
  const sources = ['org-ast', 'org-tangle'].map((name) => {
    try {
      return dirname(fileURLToPath(import.meta.resolve(name)))
    } catch {
      return null
    }
  })
  return [join(import.meta.dirname, '..'), ...sources].flatMap((folder) =>
    folder === null ? [] : filesIn(folder).map(stampOf),
  )
}

const memorySchema = z.strictObject({
  key: z.string(),
  outputs: z.string(),
  paths: z.array(z.string()),
  pages: z.int(),
  problems: z.array(
    z.strictObject({ file: z.string(), line: z.int(), message: z.string(), rule: z.string() }),
  ),
})

/** What a run has to say when it ends. */
export interface Result {
  pages: number
  problems: readonly WeaveProblem[]
}

/** Writes down that the site was as it should be, with these files in it. Never throws. */
export function remember(run: Run, result: Result, paths: readonly string[]): void {
  if (result.problems.some(({ rule }) => rule === 'include')) return
  const file = memoryFile(run)
  const content = { ...result, key: run.key, outputs: outputsOf(run, paths), paths }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {}
}

function outputsOf({ site }: Run, paths: readonly string[]): string {
  return hash('sha256', paths.map((path) => stampOf(join(site, path))).join('\n'), 'base64url')
}

function memoryFile({ documents, site, memory }: Run): string {
  const places = [resolve(documents), resolve(site)].join('\0')
  return join(memory, `${hash('sha256', places, 'base64url')}.json`)
}

/** What the last run said, when this one would find and leave everything as it is; else null. */
export function recall(run: Run): Result | null {
  try {
    const past = memorySchema.parse(JSON.parse(readFileSync(memoryFile(run), 'utf8')))
    if (past.key !== run.key || past.outputs !== outputsOf(run, past.paths)) return null
    return { pages: past.pages, problems: past.problems }
  } catch {
    return null
  }
}
