import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** What a book becomes and what it means. Paths are relative to `root`, with slashes. */
export interface Atlas {
  /** Absolute. */
  root: string
  targets: AtlasTarget[]
  symbols: AtlasSymbol[]
  /** Files that no document describes and that the answers depend on, with their digests. */
  others: [path: string, digest: string][]
}

/** A tangled file. */
export interface AtlasTarget {
  path: string
  document: string
  text: string
  /** Triples of where a run begins, where it is from in the document, and 1 if it was copied. */
  runs: number[]
  /** Triples of how far a name is behind the one before, its length, and the number of its symbol. */
  uses: number[]
}

/** Something that a target defines. */
export interface AtlasSymbol {
  /** Such as `Gate`, or `Gate.allows` for a member. */
  name: string
  kind: string
  exported: boolean
  /** The number of its target, and where its name stands in it. */
  target: number
  offset: number
  signature: string
  summary: string | null
}

const row: z.ZodType<number[]> = z.custom<number[]>(
  (value) =>
    Array.isArray(value) &&
    value.length % 3 === 0 &&
    [value[0] ?? 0, value.at(-1) ?? 0].every((one) => Number.isInteger(one)),
)

const symbolSchema: z.ZodType<AtlasSymbol> = z.object({
  name: z.string(),
  kind: z.string(),
  exported: z.boolean(),
  target: z.int(),
  offset: z.int(),
  signature: z.string(),
  summary: z.string().nullable(),
})

const atlasSchema: z.ZodType<Atlas> = z.object({
  root: z.string(),
  targets: z.array(
    z.object({
      path: z.string(),
      document: z.string(),
      text: z.string(),
      runs: row,
      uses: row,
    }),
  ),
  symbols: z.array(symbolSchema),
  others: z.array(z.tuple([z.string(), z.string()])),
})

/**
 * The atlas of the documents in a folder, or null. `texts` are the documents as they lie there, by
 * absolute path; `memory` is a folder that remembers. Throws when the tangler fails.
 */
export async function readAtlas(
  folder: string,
  texts: ReadonlyMap<string, string>,
  memory: string | null,
): Promise<Atlas | null> {
  const tangler = findTangler()
  const isTangled = [...texts.values()].some((text) => /:tangle[ \t]+(?!no\b)\S/i.test(text))
  if (tangler === null || !isTangled) return null
  if (memory === null) return answered(await runTangler(tangler, [folder], folder))
  const place = hash('sha256', folder, 'base64url')
  const file = join(memory, `${place}-atlas.json`)
  const key = hash('sha256', JSON.stringify([...texts, versionOf(tangler)]), 'base64url')
  const known = recall(file, key)
  if (known !== null) return known
  mkdirSync(memory, { recursive: true, mode: 0o700 })
  const meaning = join(memory, `${place}-meaning.json`)
  const text = await runTangler(tangler, [folder, '--memory', meaning], folder)
  const atlas = answered(text)
  writeFileSync(`${file}.${process.pid}`, `${key}\n${text}`, { mode: 0o600 })
  renameSync(`${file}.${process.pid}`, file)
  return atlas
}

function recall(file: string, key: string): Atlas | null {
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  if (!text.startsWith(`${key}\n`)) return null
  const atlas = parseAtlas(text.slice(key.length + 1))
  const isSame = atlas?.others.every(([path, digest]) => {
    const other = join(atlas.root, path)
    return existsSync(other) && hash('sha256', readFileSync(other), 'base64url') === digest
  })
  return isSame ? atlas : null
}

function parseAtlas(text: string): Atlas | null {
  try {
    return atlasSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The answer of the tangler. Throws when it is in another form than the one that is read here. */
function answered(text: string): Atlas {
  const atlas = parseAtlas(text)
  if (atlas === null)
    throw new Error('org-tangle answers in a form that this org-weave does not read; update both')
  return atlas
}

function findTangler(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('org-tangle/package.json'))
  } catch {
    return null
  }
}

function versionOf(tangler: string): string[] {
  const parser = dirname(
    createRequire(join(tangler, 'package.json')).resolve('org-ast/package.json'),
  )
  const folders = [tangler, parser].flatMap((place) => [join(place, 'src'), join(place, 'dist')])
  const files = folders.filter(existsSync).flatMap((folder) => {
    return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
  })
  const scripts = files.filter((file) => /(?<!\.d)\.[jt]s$/.test(file)).sort()
  return scripts.map((file) => hash('sha256', readFileSync(file), 'base64url'))
}

function runTangler(tangler: string, args: readonly string[], cwd: string): Promise<string> {
  const program = join(tangler, 'bin/org-tangle.js')
  const options = { cwd, encoding: 'utf8', maxBuffer: 2 ** 30 } as const
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, 'atlas', ...args], options, (error, out, complaint) => {
      if (error === null) resolve(out)
      else reject(new Error(complaint.trim() || error.message))
    })
  })
}
