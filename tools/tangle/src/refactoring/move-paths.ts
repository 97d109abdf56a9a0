import { existsSync, globSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'

/** One request: a document or a folder, and where it is to stand. Paths are absolute. */
export interface Move {
  from: string
  to: string
  /** The document's new `#+title:`, or null to keep it. */
  title: string | null
}

/** Reads a list of moves; paths are relative to `folder`. Throws a RangeError with the line. */
export function readMoves(text: string, folder: string): Move[] {
  return text.split('\n').flatMap((line, index) => {
    const [, from, to, title] = /^\s*(\S+)\s+(\S+)(?:\s+(\S.*?))?\s*$/.exec(line) ?? []
    if (/^\s*(?:#|$)/.test(line)) return []
    if (from === undefined || to === undefined) {
      throw new RangeError(`line ${index + 1} is not “FROM TO” or “FROM TO TITLE”: ${line.trim()}`)
    }
    return [{ from: resolve(folder, from), to: resolve(folder, to), title: title ?? null }]
  })
}

/** Every file that goes somewhere, from old to new path. Throws a RangeError. */
export function expandMoves(moves: readonly Move[]): Map<string, string> {
  const after = new Map<string, string>()
  for (const { from, to } of moves) {
    if (!existsSync(from)) throw new RangeError(`there is no ${from}`)
    const isFolder = statSync(from).isDirectory()
    const into = !isFolder && extname(to) === '' ? join(to, basename(from)) : to
    for (const file of isFolder ? filesIn(from) : [from]) {
      if (after.has(file)) throw new RangeError(`${file} is moved twice`)
      after.set(file, isFolder ? join(into, relative(from, file)) : into)
    }
  }
  for (const [file, place] of after) if (file === place) after.delete(file)
  const places = new Map<string, string>()
  for (const [file, place] of after) {
    const other = places.get(place)
    if (other !== undefined) throw new RangeError(`${file} and ${other} both go to ${place}`)
    if (existsSync(place) && !after.has(place)) throw new RangeError(`${place} is there already`)
    places.set(place, file)
  }
  return after
}

function filesIn(folder: string): string[] {
  const found = globSync('**', { cwd: folder, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/**
 * The path of a tangled file after its document has moved; null when its folder says nothing about
 * that. All paths are relative to the project's root.
 */
export function targetAfter(target: string, from: string, to: string): string | null {
  const folder = folderAfter(parts(dirname(target)), parts(dirname(from)), parts(dirname(to)))
  if (folder === null) return null
  const [oldStem, newStem] = [basename(from, extname(from)), basename(to, extname(to))]
  const name = basename(target)
  const isCalledAlike = name === oldStem || name.startsWith(`${oldStem}.`)
  return join(...folder, isCalledAlike ? newStem + name.slice(oldStem.length) : name)
}

const parts = (folder: string) => folder.split('/').filter((part) => part !== '.' && part !== '')

function folderAfter(target: string[], from: string[], to: string[]): string[] | null {
  const shared = to.findIndex((part, index) => part !== from[index])
  const common = shared === -1 ? Math.min(from.length, to.length) : shared
  const [first, ...rest] = from.slice(common)
  const [head, ...tail] = to.slice(common)
  if (first === undefined) return [...target, ...to.slice(common)]
  const at = target.lastIndexOf(first)
  const behind = target.slice(at + 1)
  const kept = behind.slice(0, behind.length - rest.length)
  if (at === -1 || behind.slice(kept.length).join('/') !== rest.join('/')) return null
  return [...target.slice(0, at), ...(head === undefined ? [] : [head]), ...kept, ...tail]
}
