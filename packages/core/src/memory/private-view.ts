import { basename, dirname, join } from 'node:path/posix'
import type { PersistentMap } from '../base/persistent-map.ts'
import type { MemoryObject } from './memory-object.ts'
import type { FileEntry, ObjectStore } from './store.ts'

interface Secrets {
  isWhole: boolean
  ids: ReadonlySet<string>
  /** Titles as `*title`, custom ids as `#id`, targets and names as they are. */
  names: ReadonlySet<string>
  radios: readonly string[]
}

const nothingSecret: Secrets = { isWhole: false, ids: new Set(), names: new Set(), radios: [] }

const secretsKnown = new WeakMap<FileEntry, Secrets>()

/** By which names something private in a file can be reached. */
export function secretsOf(entry: FileEntry): Secrets {
  const known = secretsKnown.get(entry)
  if (known !== undefined) return known
  const hidden = [...entry.objects.values()].filter((object) => object.private)
  const found = hidden.length === 0 ? nothingSecret : readSecrets(hidden)
  secretsKnown.set(entry, found)
  return found
}

function readSecrets(hidden: readonly MemoryObject[]): Secrets {
  const ids = hidden.flatMap(({ id, written }) => [id, written ?? id])
  const texts = hidden.map(({ content }) => content)
  const radios = texts.flatMap((text) => [...text.matchAll(/<<<([^<>\n]+)>>>/g)].map(([, r]) => r!))
  return {
    isWhole: hidden.some(({ type }) => type === 'file'),
    ids: new Set(ids.map((id) => id.toLowerCase())),
    names: new Set(hidden.flatMap(namesOf)),
    radios: radios.filter((radio) => radio.trim() !== ''),
  }
}

/** The names by which links find an object or something in it. */
function namesOf({ attributes, content, title, type }: MemoryObject): string[] {
  const own = type === 'file' ? [] : [`*${plainName(title)}`, plainName(title)]
  const custom = attributes.CUSTOM_ID === undefined ? [] : [`#${plainName(attributes.CUSTOM_ID)}`]
  const pattern = /<<<?([^<>\n]+)>>>?|^[ \t]*#\+(?:tbl|src)?name:[ \t]*(.+)$/gim
  const inside = [`${title}\n${content}`.matchAll(pattern)].flatMap((found) => [...found])
  return [...own, ...custom, ...inside.map(([, target, name]) => plainName(target ?? name!))]
}

function plainName(name: string): string {
  const words = name.replace(/\[\d*(?:%|\/\d*)\]/g, ' ').replace(/^\s*COMMENT\s/, '')
  return words.trim().replace(/\s+/g, ' ').toLowerCase()
}

interface Known {
  files: PersistentMap<FileEntry>
  sight: Sight
}

const sights = new WeakMap<ObjectStore, Known>()

/** What of this store may be shown now. */
export function sightOf(store: ObjectStore): Sight {
  const { files } = store.snapshot()
  const known = sights.get(store)
  if (known?.files === files) return known.sight
  const secrets = new Map(known?.sight.secrets)
  let isChanged = known === undefined
  for (const path of known?.files.changes(files) ?? [...files].map(([path]) => path)) {
    const entry = files.get(path)
    const found = entry === undefined ? nothingSecret : secretsOf(entry)
    if (found === (secrets.get(path) ?? nothingSecret)) continue
    isChanged = true
    if (found === nothingSecret) secrets.delete(path)
    else secrets.set(path, found)
  }
  const sight = isChanged ? new Sight(store, secrets) : known!.sight
  sights.set(store, { files, sight })
  return sight
}

/** A store as it may be shown. */
export class Sight {
  /** By path; only of files that have any. */
  readonly secrets: ReadonlyMap<string, Secrets>
  readonly #store: ObjectStore
  readonly #leads: Leads
  #known: readonly string[] | null = null
  readonly #shown = new WeakMap<MemoryObject, MemoryObject>()

  constructor(store: ObjectStore, secrets: ReadonlyMap<string, Secrets>) {
    this.secrets = secrets
    this.#store = store
    this.#leads = new Leads(store, secrets)
  }

  /** All notes that are not private, cleaned, in the order of the store. */
  *objects(): Generator<MemoryObject> {
    for (const object of this.#store.objects()) if (!object.private) yield this.shown(object)
  }

  /** The note of this id, cleaned; null when there is none or it is private. */
  get(id: string): MemoryObject | null {
    const object = this.#store.get(id)
    return object === null || object.private ? null : this.shown(object)
  }

  /** The note without what leads to private ones. Throws a RangeError for a private note. */
  shown(object: MemoryObject): MemoryObject {
    if (object.private) throw new RangeError('Expected a note that may be shown')
    if (this.secrets.size === 0) return object
    const known = this.#shown.get(object)
    if (known !== undefined) return known
    const clean = this.#clean(object)
    this.#shown.set(object, clean)
    return clean
  }

  #clean(object: MemoryObject): MemoryObject {
    const { attributes, content, file, head, title } = object
    const values = Object.entries(attributes).map(([key, value]) => [key, this.text(value, file)])
    const clean = {
      title: this.text(title, file),
      head: this.text(head, file),
      content: this.text(content, file),
      attributes: Object.fromEntries(values),
    }
    const isSame = clean.title === title && clean.content === content && clean.head === head
    const isAll = isSame && values.every(([key, value]) => attributes[key!] === value)
    if (isAll) return object
    const made = Object.freeze({ ...object, ...clean })
    originals.set(made, object)
    return made
  }

  /** A text of this file without what leads to private notes; its lines stay where they are. */
  text(text: string, file: string): string {
    if (this.secrets.size === 0) return text
    return withoutTitles(withoutLinks(text, this.#leads, file), this.#titles())
  }

  #titles(): readonly string[] {
    this.#known ??= [...this.secrets.values()].flatMap(({ names }) =>
      [...names].flatMap((name) => (name.startsWith('*') && name !== '*' ? name.slice(1) : [])),
    )
    return this.#known
  }
}

const originals = new WeakMap<MemoryObject, MemoryObject>()

/** What a cleaned note was made from; any other note is its own original. Not for showing. */
export function originalOf(object: MemoryObject): MemoryObject {
  return originals.get(object) ?? object
}

class Names {
  readonly #ids = new Set<string>()
  readonly #idLengths = new Set<number>()
  readonly #files = new Set<string>()

  constructor(secrets: ReadonlyMap<string, Secrets>) {
    for (const [path, { ids, isWhole }] of secrets) {
      for (const id of ids) this.#ids.add(id)
      if (isWhole) this.#files.add(basename(path).toLowerCase())
    }
    for (const { length } of this.#ids) if (length >= idLengthMin) this.#idLengths.add(length)
  }

  isId(word: string): boolean {
    return this.#ids.has(word.toLowerCase())
  }

  /** By the last part of its path, since a file is named from anywhere; encrypted files count. */
  isFile(path: string): boolean {
    if (!path.includes('.')) return false
    const name = basename(path.toLowerCase()).replace(/(?:_archive|~)$/, '')
    return /\.(?:gpg|age|asc)$/.test(name) || this.#files.has(name)
  }

  /** Whether a word is the name of one; asked of every word, and most have the wrong length. */
  isNamed(word: string): boolean {
    return (this.#idLengths.has(word.length) && this.isId(word)) || this.isFile(word)
  }
}

class Leads {
  readonly names: Names
  readonly #store: ObjectStore
  readonly #secrets: ReadonlyMap<string, Secrets>

  constructor(store: ObjectStore, secrets: ReadonlyMap<string, Secrets>) {
    this.#store = store
    this.#secrets = secrets
    this.names = new Names(secrets)
  }

  /** What is private in a file. */
  inside(file: string): Secrets {
    return this.#secrets.get(file) ?? nothingSecret
  }

  /** Whether a link with this target, in this file, leads to a private note or may do so. */
  isPrivate(target: string, file: string): boolean {
    return [target, unescaped(target)].some((one) => this.#leads(one.trim(), file))
  }

  #leads(target: string, file: string): boolean {
    if (/^(?:https?|mailto|news|doi):/i.test(target)) return false
    const [, kind = '', rest = ''] = /^([a-z][\w+.-]*):(?!:)(.*)$/is.exec(target) ?? []
    const [path, option] = split(kind === '' ? target : rest)
    if (kind.toLowerCase() === 'id') {
      return this.names.isId(path) || this.#hides(option, this.#store.get(path)?.file)
    }
    const isPath = /^file(?:\+\w+)?$/i.test(kind) || /^(?:~|\.{1,2})?\//.test(target)
    if (isPath) return this.names.isFile(path) || this.#hides(option, this.#fileNamed(path, file))
    return (kind === '' && this.#hides(target, file)) || this.#mentions(target)
  }

  #fileNamed(path: string, from: string): string | undefined {
    const near = join(dirname(from), path)
    if (this.#secrets.has(near)) return near
    const ends = (known: string) => `/${path}`.endsWith(`/${known}`) || basename(known) === path
    return [...this.#secrets.keys()].find(ends)
  }

  /** Whether a place in this file is private, or nobody can say that it is not. */
  #hides(option: string | undefined, file: string | undefined): boolean {
    const secrets = this.inside(file ?? '')
    if (option === undefined || file === undefined || secrets === nothingSecret) return false
    if (secrets.isWhole || /^(?:\d+|\/.*\/)$/.test(option)) return true
    const name = option.startsWith('*') ? `*${plainName(option.slice(1))}` : plainName(option)
    if (secrets.names.has(name)) return true
    const all = this.#store.snapshot().files.get(file)?.objects.values() ?? []
    return ![...all].some((object) => !object.private && namesOf(object).includes(name))
  }

  #mentions(target: string): boolean {
    const words = target.split(/[^\p{L}\p{N}_.@+-]+/u)
    return words.some((word) => this.names.isId(word) || this.names.isFile(word))
  }
}

function split(target: string): [path: string, option?: string] {
  const at = target.indexOf('::')
  return at === -1 ? [target] : [target.slice(0, at), target.slice(at + 2)]
}

function unescaped(target: string): string {
  try {
    return decodeURIComponent(target.replace(/\\([[\]\\])/g, '$1'))
  } catch {
    return target.replace(/\\([[\]\\])/g, '$1')
  }
}

const mark = '[private]'
const idLengthMin = 6
const bracketLink = /\[\[((?:\\[[\]\\]|[^[\]])+)\](?:\[((?:(?!\]\])[\s\S])+?)\])?\]/g
const angleLink = /<([a-z][\w+.-]*:[^<>\n]+)>/gi
const plainLink = /(?<![\w-])(?:id|file(?:\+\w+)?):[^\s<>()[\]]*[^\s<>()[\].,;:!?'"]/gi
const quotedFile = /"([^"\n]+\.(?:org|gpg|age)(?:::[^"\n]*)?)"/gi
const calledBlock = /#\+call:[ \t]*([^\s([]+)|call_([^\s([]+)|<<([^\s<>(]+)(?:\([^<>]*\))?>>/gi
const word = /[\p{L}\p{N}_~/](?:[\p{L}\p{N}_.@+/~-]*[\p{L}\p{N}_~])?/gu

function withoutLinks(text: string, leads: Leads, file: string): string {
  const isPrivate = (target: string) => leads.isPrivate(target, file)
  const { names, radios } = leads.inside(file)
  const held = (words: string) => [...words.matchAll(plainLink)].some(([link]) => isPrivate(link))
  const bracketed = text.includes('[[')
    ? text.replace(bracketLink, (link, target: string, words = '') =>
        isPrivate(target) || held(words) ? mark + '\n'.repeat(link.split('\n').length - 1) : link,
      )
    : text
  const clean = bracketed
    .replace(angleLink, (link, target: string) => (isPrivate(target) ? mark : link))
    .replace(plainLink, (link) => (isPrivate(link) ? mark : link))
    .replace(quotedFile, (path, inside: string) => (isPrivate(`file:${inside}`) ? mark : path))
    .replace(calledBlock, (call, ...found: (string | undefined)[]) => {
      const name = found.slice(0, 3).find((one) => one !== undefined)!
      return names.has(plainName(name)) ? call.replace(name, mark) : call
    })
    .replace(word, (one) => (leads.names.isNamed(one) ? mark : one))
  return radios.length === 0 ? clean : clean.replace(radioPattern(radios), mark)
}

function radioPattern(radios: readonly string[]): RegExp {
  const escaped = radios.map((radio) => RegExp.escape(radio.trim()).replace(/\\x20|\s+/g, '\\s+'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}

const generatedBlock =
  /^[ \t]*#\+(?:begin:[^\n]*\n(?:(?![ \t]*#\+end:)[^\n]*\n)*|results(?:\[[^\n]*\])?:[^\n]*\n(?:[ \t]*[^\s][^\n]*(?:\n|$))*)/gim

const cellMax = 500

function withoutTitles(text: string, titles: readonly string[]): string {
  if (titles.length === 0 || !/#\+(?:begin|results)/i.test(text)) return text
  const known = new Set(titles)
  const isTitle = (cell: string) => {
    if (cell.length > cellMax) return false
    const [words, isCut] = titleIn(cell)
    return known.has(words) || (isCut && titles.some((title) => title.startsWith(words)))
  }
  return text.replace(generatedBlock, (block) =>
    block
      .split('\n')
      .map((line) => (line.split('|').some(isTitle) ? line.replace(/\S.*$/, madeFrom) : line))
      .join('\n'),
  )
}

function madeFrom(line: string): string {
  return line.startsWith('|') ? `| ${mark} |` : mark
}

/** The words that a cell has of a title, and whether it was cut there. */
function titleIn(cell: string): [words: string, isCut: boolean] {
  const bare = cell
    .replace(/\[\[[^\]]*\]\[([^\]]*)\]\]/g, '$1')
    .replace(/^[\s:*-]*(?:\\_\s*)?(?:\p{Lu}{2,}\s+(?=\S))?(?:\[#.\]\s+)?/u, '')
    .replace(/\s+:[\p{L}\p{N}_@#%:]+:\s*$/u, '')
  const words = plainName(bare.replace(/[*/_=~]+\s*$/, ''))
  const cut = words.replace(/\s*(?:\.\.\.|…)$/, '')
  return [cut, cut !== words && cut.length > 1]
}
