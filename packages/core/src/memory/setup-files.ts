import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { type ParseOptions, parse } from 'org-ast'

/** Gives the text of a file that a note names, or null. */
export type ReadFile = NonNullable<ParseOptions['readFile']>

const sizeMax = 1_000_000

/** The text of a plain file inside a folder; null for any other. */
function textInside(dir: string, file: string): { real: string; text: string } | null {
  try {
    const real = realpathSync.native(file)
    const within = relative(dir, real)
    if (within.startsWith('..') || isAbsolute(within)) return null
    const handle = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(handle)
      return stat.isFile() && stat.size <= sizeMax
        ? { real, text: readFileSync(handle, 'utf8') }
        : null
    } finally {
      closeSync(handle)
    }
  } catch {
    return null
  }
}

/** The absolute path that a name means in a folder; null for an address. */
function pathOf(named: string, folder: string): string | null {
  if (named.includes('\0') || /^[a-z][a-z0-9+.-]+:/i.test(named)) return null
  return named.startsWith('~/') ? join(homedir(), named.slice(2)) : resolve(folder, named)
}

/** The setup files of a folder of notes. */
export class SetupFiles {
  readonly #dir: string
  readonly #asked = new Map<string, Set<string>>()

  constructor(dir: string) {
    this.#dir = dir
  }

  /** What reads the files that the note at this path names; null where it may not or cannot. */
  readerFor(path: string): ReadFile {
    const folders = new Set([dirname(join(this.#dir, path))])
    const asked = new Set<string>()
    this.#asked.set(path, asked)
    return (named) => {
      const texts: string[] = []
      for (const folder of [...folders]) {
        const file = pathOf(named, folder)
        if (file === null) continue
        asked.add(file)
        const found = textInside(this.#dir, file)
        if (found === null) continue
        folders.add(dirname(found.real))
        texts.push(found.text)
      }
      return texts.length === 0 ? null : texts.join('\n')
    }
  }

  /** The files that the note at this path has asked for. */
  askedBy(path: string): Iterable<string> {
    return this.#asked.get(path) ?? []
  }
}

const setupPattern = /^[ \t]*#\+setupfile:[ \t]*(\S.*?)[ \t]*$/gim

/** The tags of a file with those of its setup files; null when it names none. */
export function tagsWithSetup(text: string, readFile: ReadFile): string[] | null {
  if (text.search(setupPattern) === -1) return null
  return parse(text, { granularity: 'headline', readFile }).filetags
}

/** The texts of the setup files that a text names, and of those that they name. */
export function setupTexts(text: string, readFile: ReadFile): string[] {
  const seen = new Set<string>()
  const found: string[] = []
  const ahead = setupNames(text)
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const inside = seen.has(name) ? null : readFile(name)
    seen.add(name)
    if (inside === null) continue
    found.push(inside)
    ahead.push(...setupNames(inside))
  }
  return found
}

/** The setup files that a text names. */
export function setupNames(text: string): string[] {
  return [...text.matchAll(setupPattern)].map(([, name]) => name!.replace(/^"(.*)"$/s, '$1'))
}
