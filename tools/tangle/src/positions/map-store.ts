import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { SourceMapV3 } from './source-map.ts'

/** Where the map of a tangled file is kept; paths are absolute, and `sum` is of its text. */
export function mapPath(root: string, path: string, sum: string): string {
  return join(root, '.cache/org-tangle/maps', `${relative(root, path)}.${sum.slice(0, 12)}.map`)
}

/** The sum of a text, SHA-256, by which it is known. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A map as it is kept. */
export interface KeptMap extends SourceMapV3 {
  x_org_document: { path: string; sha256: string }
}

/** Keeps a map of the text with this sum; `document` and `text` are what it leads to. */
export function keepMap(
  root: string,
  file: { path: string; sum: string },
  from: { document: string; text: string },
  map: SourceMapV3,
): KeptMap {
  const noted = { path: from.document, sha256: hash(from.text) }
  const kept = { ...map, x_org_document: noted }
  const path = mapPath(root, file.path, file.sum)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(join(root, '.cache/org-tangle/.gitignore'), '*\n')
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(kept))
  renameSync(`${path}.${process.pid}`, path)
  return kept
}

/** The kept map of a tangled file by the sum of its text; null when none is for the document. */
export function keptMap(root: string, path: string, sum: string): KeptMap | null {
  try {
    const map: KeptMap = JSON.parse(readFileSync(mapPath(root, path, sum), 'utf8'))
    const { path: document, sha256 } = map.x_org_document
    return hash(readFileSync(document, 'utf8')) === sha256 ? map : null
  } catch {
    return null
  }
}
