import { posix } from 'node:path'

/** Where relative paths start, how links are followed, and which places are special. */
export interface PathPlaces {
  /** The owner's home directory, absolute. */
  home: string
  /** What a relative path is relative to, absolute. */
  cwd: string
  /** The daemon's own directory, which holds its token. */
  stateDir: string
  /** Follows symbolic links as far as the path exists; returns its argument when nothing does. */
  realPath: (path: string) => string
  /** Where this program's own code and configuration lie, absolute; none when absent. */
  ownFolders?: readonly string[] | undefined
  /** Files with something private in them, absolute; none when absent. */
  privateFiles?: readonly string[] | undefined
}

/** Brings a path as written by a person, a model or a shell into absolute form. */
export function expandPath(path: string, places: PathPlaces): string {
  let expanded = path
  if (/^file:/i.test(expanded)) {
    expanded = decoded(expanded.replace(/^file:(\/\/[^/]*(?=\/))?/i, ''))
  }
  if (expanded.includes('$')) {
    expanded = expanded.replace(/\$(HOME\b|\{HOME\})/g, places.home)
    expanded = expanded.replace(/\$(PWD\b|\{PWD\})/g, places.cwd)
  }
  if (expanded.startsWith('~')) expanded = expandTilde(expanded, places)
  return posix.resolve(places.cwd, expanded)
}

function expandTilde(path: string, places: PathPlaces): string {
  const slash = path.indexOf('/')
  const user = slash === -1 ? path.slice(1) : path.slice(1, slash)
  const rest = slash === -1 ? '' : path.slice(slash)
  if (user === '' || user === posix.basename(places.home)) return places.home + rest
  if (user === '+' || user === '-') return places.cwd + rest
  if (!/^[\w.-]+$/.test(user)) return path
  return (user === 'root' ? '/root' : `/home/${user}`) + rest
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** What it says about a path depends on the path and the places, and on the disk. */
export type PathReader<T> = (path: string, places: PathPlaces) => T

/** The function with a memory for each frozen places. What it returns must not be written to. */
export function perPlaces<T>(read: PathReader<T>): PathReader<T> {
  let latest = memoryFor<T>(null)
  let earlier = memoryFor<T>(null)
  return (path, places) => {
    if (latest.places !== places) {
      if (!Object.isFrozen(places)) return read(path, places)
      const found = earlier.places === places ? earlier : memoryFor<T>(places)
      earlier = latest
      latest = found
    }
    const { answers } = latest
    const known = answers.get(path)
    if (known !== undefined) return known
    const answer = read(path, places)
    answers.set(path, answer)
    return answer
  }
}

interface PathMemory<T> {
  places: PathPlaces | null
  answers: Map<string, T>
}

function memoryFor<T>(places: PathPlaces | null): PathMemory<T> {
  return { places, answers: new Map() }
}

/** Every absolute path that this one may turn out to be; the first is the plain reading. */
export const pathForms: PathReader<readonly string[]> = perPlaces((path, places) => {
  const forms = [expandPath(path, places)]
  if (path.includes('\0')) forms.push(expandPath(path.slice(0, path.indexOf('\0')), places))
  if (path !== path.trim()) forms.push(expandPath(path.trim(), places))
  if (path.includes('\\')) forms.push(expandPath(path.replaceAll('\\', '/'), places))
  if (path.includes('%')) {
    const once = decoded(path)
    forms.push(expandPath(once, places))
    if (once.includes('%')) forms.push(expandPath(decoded(once), places))
  }
  const inside = !path.includes('proc/')
    ? null
    : /^.*proc\/+[^/]+(?:\/+task\/+[^/]+)?\/+(root|cwd)(?=\/|$)/.exec(path)
  if (inside !== null) {
    const base = inside[1] === 'cwd' ? places.cwd : '/'
    forms.push(posix.resolve(base, `./${path.slice(inside[0].length)}`))
  }
  const real = forms.map((form) => (form.includes('\0') ? form : places.realPath(form)))
  return forms.length === 1 && real[0] === forms[0] ? forms : [...new Set([...forms, ...real])]
})

const ignorable = /\p{Default_Ignorable_Code_Point}/gu

/** The components of an absolute path, in the form that rules are written in. */
export function componentsOf(path: string): string[] {
  const isPlain = /^[\x21-\x7e]*$/.test(path)
  const plain = isPlain ? path : path.normalize('NFKC').replace(ignorable, '')
  const parts = plain.toLowerCase().split('/')
  const trimmed = /[.\s](\/|$)|:\$/.test(plain)
    ? parts.map((part) => part.replace(/::?\$[\w:$]*$|(?<=[^.\s])[.\s]+$/, ''))
    : parts
  return trimmed.filter((part) => part !== '')
}

/**
 * Whether the pattern could match a name: read once, for many names. A hole (U+0000) stands for any text.
 * Like a shell's, it leaves hidden files out unless told otherwise.
 */
export function matcherOf(
  pattern: string,
  hidden: 'left out' | 'included' = 'left out',
): (name: string) => boolean {
  const tokens = tokensOf(pattern)
  const hidesDot = hidden === 'left out' && (tokens[0] === any || tokens[0] === one)
  return (name) => !(hidesDot && name.startsWith('.')) && matches(tokens, name)
}

function matches(tokens: readonly Token[], name: string): boolean {
  let at = 0
  let starAt = -1
  let starName = 0
  for (let index = 0; index < name.length; ) {
    const token = tokens[at]
    if (token === any) {
      starAt = at++
      starName = index
    } else if (token !== undefined && fitsToken(token, name[index] ?? '')) {
      at++
      index++
    } else if (starAt !== -1) {
      at = starAt + 1
      index = ++starName
    } else return false
  }
  while (tokens[at] === any) at++
  return at === tokens.length
}

type Token = string | RegExp

const any = 'any'
const one = 'one'

function fitsToken(token: Token, character: string): boolean {
  if (typeof token !== 'string') return token.test(character)
  return token === one || token === character
}

function tokensOf(pattern: string): Token[] {
  const read = /\\(.)|[?*+@!]\([^)]*\)|\{[^}]*\}|\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]|[*\0]|\?|./gsu
  return [...pattern.matchAll(read)].map(([text, escaped]) => {
    if (escaped !== undefined) return escaped
    if (text === '?') return one
    if (text === '*' || text === '\0') return any
    if (text.length === 1) return text
    if (/^\[[a-zA-Z0-9_.]+\]$/.test(text)) return new RegExp(text, 'i')
    return text.startsWith('[') ? one : any
  })
}

/** Whether a text has anything in it that a shell or a tool would expand into names. */
export function hasPattern(text: string): boolean {
  return /[*?[\]{}\0]/.test(text)
}
