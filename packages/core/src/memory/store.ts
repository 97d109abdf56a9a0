import {
  type Headline,
  headlines,
  type NodeProperty,
  type OrgData,
  parse,
  planning,
  properties,
} from 'org-ast'
import type { Clock } from '../base/clock.ts'
import { PersistentMap } from '../base/persistent-map.ts'
import type { Provenance } from '../contract/signal.ts'
import { isConflictCopy } from './conflict-copy.ts'
import {
  type Authorship,
  authorshipAfter,
  byOwner,
  type Flaw,
  firstFlaw,
  History,
  textHash,
  type Version,
  versionHash,
} from './history.ts'
import { matchSections, type Section } from './identity.ts'
import { Closings, hasPrivateTag, privateTagsDefault, privateTagsIn } from './private-view.ts'
import { ownScope, type Scope } from './scope.ts'
import { type ReadFile, setupTexts, tagsWithSetup } from './setup-files.ts'
import { Quotations } from './taint.ts'

/** One file or headline of the memex. Never changed; an edit makes another one. */
export interface MemoryObject extends Omit<Version, 'children'> {
  /** The `ID` property, or one derived from the file and the outline path. */
  id: string
  /** The object around it; null for a file. */
  parent: string | null
  /** The ids of what is directly inside, in order. */
  children: string[]
  /** Counts the hashes this id has had, from 1. */
  version: number
  /** Who wrote this version, and whether a part of it came from outside. */
  authorship: Authorship
  /** For embeddings; not computed yet for this object. */
  vector: null
  /** Where it belongs, itself or from above. */
  scope: Scope
  /** Relative path. */
  file: string
  /** 1-based line of the headline; 1 for a file. */
  line: number
  /** UTF-16 offsets of the whole subtree. */
  begin: number
  end: number
  /** Tagged `private`, itself or from above: never shown to a model. */
  private: boolean
}

/** What to look for; all conditions must hold. */
export interface ObjectQuery {
  type?: MemoryObject['type']
  file?: string
  todo?: string
  tag?: string
  /** Who wrote it last. */
  by?: Provenance
  /** Whether a part of it came from the web or a message. */
  outside?: boolean
  /** In title or content, without regard to case. */
  text?: string
}

/** What is known of one file. */
export interface FileEntry {
  /** In the order of the text, the file itself first. */
  readonly objects: ReadonlyMap<string, MemoryObject>
  readonly hash: string
}

/** A moment of the store; only for `restore` and `changes`. */
export interface Snapshot {
  readonly files: PersistentMap<FileEntry>
  readonly places: PersistentMap<string>
}

/** A note at two moments; null where it is not there. */
export interface NoteChange {
  id: string
  before: MemoryObject | null
  after: MemoryObject | null
}

const saysForeign = /^#\+PROVENANCE:[ \t]*(?:web|message)[ \t]*$/im

/** The current version of every object, and every version by hash. */
export class ObjectStore {
  #files = new PersistentMap<FileEntry>()
  #places = new PersistentMap<string>()
  readonly #clock: Clock
  readonly #setup: (path: string) => ReadFile
  /** For each id that is taken, the files in which a note gave way for it. */
  readonly #waiting = new Map<string, Set<string>>()
  readonly #gone = new GoneFiles()
  /** Every version there was. */
  readonly history: History = new History()
  /** The tags that make a note private, in small letters. */
  readonly privateTags: readonly string[]
  readonly #closings = new Closings()
  /** Null until the first version that may quote something. */
  #outside: Quotations | null = null

  constructor(
    clock: Clock = { now: () => new Date() },
    privateTags: readonly string[] = privateTagsDefault,
    setup: (path: string) => ReadFile = () => () => null,
  ) {
    this.#clock = clock
    this.#setup = setup
    this.privateTags = privateTags.map((tag) => tag.toLowerCase())
  }

  /** Reads a file's text into objects; an id that another file has already is derived anew. */
  ingestFile(path: string, text: string, by: Authorship = byOwner): void {
    const entry = this.#files.get(path)
    const present = entry?.objects
    if (text === '' && present !== undefined && present.size > 1) this.#gone.add(path, entry!)
    const isBlank = present === undefined || present.size === 1
    const before = isBlank ? this.#gone.comingBack(path, text, present) : present
    const taken = (id: string) => {
      const isTaken = (this.#places.get(id) ?? path) !== path
      if (isTaken) this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(path))
      return isTaken
    }
    const author = saysForeign.test(text) ? { ...by, outside: true } : by
    const objects = new Map<string, MemoryObject>()
    const setup = this.#setup(path)
    const tags = tagsWithSetup(text, setup)
    const privateTags = privateTagsIn([text, ...setupTexts(text, setup)], this.privateTags)
    const file = { path, text, tags, privateTags }
    for (const read of fileObjects(file, taken, [...before.values()])) {
      const object = this.#settled(read, present?.get(read.id), author)
      this.#closings.see(present?.get(read.id) ?? null, object)
      objects.set(object.id, object)
      this.#places = this.#places.with(object.id, path)
    }
    const gone = [...(present?.keys() ?? [])].filter((id) => !objects.has(id))
    for (const id of gone) this.#closings.see(present?.get(id) ?? null, null)
    for (const id of gone) this.#forget(id, path)
    this.#files = this.#files.with(path, { objects, hash: objects.get(fileId(path))!.hash })
    this.#handOn(gone)
  }

  /** Reads those files again in which a note gave way for one of these ids. */
  #handOn(ids: Iterable<string>): void {
    for (const id of ids) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      for (const path of waiting ?? []) {
        const entry = this.#files.get(path)
        if (entry !== undefined) this.ingestFile(path, textOfFile(entry))
      }
    }
  }

  #settled(read: ReadObject, old: MemoryObject | undefined, by: Authorship): MemoryObject {
    const { id, object, version } = read
    if (old?.hash === version.hash) {
      return isInPlace(old, object) ? old : { ...object, ...keptOf(old) }
    }
    this.history.keep(version)
    const changes = this.history.changes(id)
    const { hash } = version
    const last = changes.findLast((change) => change.hash !== null)
    const isOwn = old === undefined || old.head !== version.head || old.content !== version.content
    const now = isOwn ? this.#marked(by, version) : old.authorship
    const authorship = last?.hash === hash ? authorOf(last) : authorshipAfter(now, last ?? null)
    if (authorship.outside && isOwn) this.#outside?.add(version.head + version.content)
    this.history.record(id, { hash, ...authorship, at: this.#now(), file: object.file })
    const hashes = new Set([...changes.map((change) => change.hash), hash])
    hashes.delete(null)
    return Object.freeze({ ...object, version: hashes.size, authorship })
  }

  /** The authorship with the mark of what came from outside, when the version quotes it. */
  #marked(by: Authorship, { content, head }: Pick<Version, 'content' | 'head'>): Authorship {
    if (this.#outside === null) {
      this.#outside = new Quotations()
      for (const known of this.history.fromOutside()) this.#outside.add(known.head + known.content)
    }
    return !by.outside && this.#outside.isIn(head + content) ? { ...by, outside: true } : by
  }

  /** Remembers a text from the web or a message, by which notes that quote it are marked. */
  heard(text: string): void {
    this.#marked(byOwner, { head: '', content: '' })
    this.#outside?.add(text)
  }

  /** Whether a text quotes one that came from the web or a message. */
  quotesOutside(text: string): boolean {
    return this.#marked(byOwner, { head: '', content: text }).outside
  }

  #forget(id: string, file: string): void {
    this.#places = this.#places.without(id)
    this.history.record(id, { ...byOwner, hash: null, at: this.#now(), file })
  }

  #now(): number {
    return this.#clock.now().getTime()
  }

  /** How often a note that could be seen has become private since the store was made. */
  get closings(): number {
    return this.#closings.count
  }

  /** Forgets a file that is gone. Its objects stay in the history. */
  removeFile(path: string): void {
    const entry = this.#files.get(path)
    if (entry === undefined) return
    for (const object of entry.objects.values()) this.#closings.see(object, null)
    const ids = [...entry.objects.keys()]
    this.#gone.add(path, entry)
    for (const id of ids) this.#forget(id, path)
    this.#files = this.#files.without(path)
    this.#handOn(ids)
  }

  /** The current object of this id, or null. */
  get(id: string): MemoryObject | null {
    const file = this.#places.get(id)
    return (file === undefined ? undefined : this.#files.get(file)?.objects.get(id)) ?? null
  }

  /** All current objects: files in the order of their paths, headlines in the order of the text. */
  *objects(): Generator<MemoryObject> {
    for (const path of this.paths()) yield* this.#files.get(path)!.objects.values()
  }

  /** The paths of all files, sorted. */
  paths(): string[] {
    return [...this.#files].map(([path]) => path).sort()
  }

  /** The text of a file as it was read last; null for one that is not known. */
  textOf(path: string): string | null {
    const entry = this.#files.get(path)
    return entry === undefined ? null : textOfFile(entry)
  }

  /** The objects directly inside this one, in order; empty for an unknown id. */
  children(id: string): MemoryObject[] {
    return (this.get(id)?.children ?? []).flatMap((child) => this.get(child) ?? [])
  }

  /** The objects that meet all conditions. */
  query(query: ObjectQuery): MemoryObject[] {
    const text = query.text?.toLowerCase()
    return [...this.objects()].filter(
      (object) =>
        (query.type === undefined || object.type === query.type) &&
        (query.file === undefined || object.file === query.file) &&
        (query.todo === undefined || object.todo === query.todo) &&
        (query.tag === undefined || object.tags.includes(query.tag)) &&
        (query.by === undefined || object.authorship.by === query.by) &&
        (query.outside === undefined || object.authorship.outside === query.outside) &&
        (text === undefined || `${object.title}\n${object.content}`.toLowerCase().includes(text)),
    )
  }

  /** The hash over all files; equal for equal notes. */
  root(): string {
    const files = this.paths().map((path) => [path, this.#files.get(path)!.hash])
    return textHash(JSON.stringify(files))
  }

  /** This moment, to come back to. Costs nothing. */
  snapshot(): Snapshot {
    return { files: this.#files, places: this.#places }
  }

  /** Goes back to a moment. The history keeps what came after it. */
  restore({ files, places }: Snapshot): void {
    this.#files = files
    this.#places = places
  }
}

function textOfFile({ objects }: FileEntry): string {
  return [...objects.values()].map(({ head, content }) => head + content).join('')
}

const goneMax = 256

class GoneFiles {
  readonly #byPath = new Map<string, FileEntry>()
  readonly #paths = new Map<string, string>()

  add(path: string, entry: FileEntry): void {
    this.#byPath.delete(path)
    this.#byPath.set(path, entry)
    this.#paths.set(textHash(textOfFile(entry)), path)
    const [oldest] = this.#byPath.keys()
    if (this.#byPath.size > goneMax) this.#drop(oldest!)
  }

  #drop(path: string): ReadonlyMap<string, MemoryObject> {
    const entry = this.#byPath.get(path)!
    this.#byPath.delete(path)
    this.#paths.delete(textHash(textOfFile(entry)))
    return entry.objects
  }

  /** The objects that the file of this path and text had; else what is there now. */
  comingBack(
    path: string,
    text: string,
    now: ReadonlyMap<string, MemoryObject> = new Map(),
  ): ReadonlyMap<string, MemoryObject> {
    if (this.#byPath.size === 0 || text === '' || isConflictCopy(path)) return now
    if (this.#byPath.has(path)) return this.#drop(path)
    const old = this.#paths.get(textHash(text))
    return old !== undefined && this.#byPath.has(old) ? this.#drop(old) : now
  }
}

function authorOf({ by, signal, outside }: Authorship): Authorship {
  return { by, signal, outside }
}

/** The notes that say something else in one moment than in another, by file and place. */
export function changesBetween(before: Snapshot, after: Snapshot): NoteChange[] {
  const ids = new Set<string>()
  for (const path of before.files.changes(after.files).sort()) {
    for (const { files } of [before, after]) {
      for (const id of files.get(path)?.objects.keys() ?? []) ids.add(id)
    }
  }
  const at = ({ files, places }: Snapshot, id: string) =>
    files.get(places.get(id) ?? '')?.objects.get(id) ?? null
  return [...ids]
    .map((id) => ({ id, before: at(before, id), after: at(after, id) }))
    .filter(({ before: old, after: now }) => old?.hash !== now?.hash)
}

/** The first object or version that is not what its hash says; null when all are. */
export function checkStore(store: ObjectStore): Flaw | null {
  for (const object of [...store.objects()].reverse()) {
    const children = store.children(object.id).map(({ hash }) => hash)
    const found = versionHash({ ...object, children })
    if (found !== object.hash) return { kind: 'changed', hash: object.hash, found }
  }
  const { files } = store.snapshot()
  return firstFlaw(
    store.history,
    store.paths().map((path) => files.get(path)!.hash),
  )
}

/** An id that is written in several notes, with all of them: each has an id of its own in the store. */
export interface DuplicateId {
  written: string
  notes: MemoryObject[]
}

/** The ids that are written more than once, in the order of the files; conflict copies aside. */
export function duplicateIds(store: ObjectStore): DuplicateId[] {
  const notes = Map.groupBy(
    store
      .query({ type: 'headline' })
      .filter(({ file, written }) => written && !isConflictCopy(file)),
    ({ written }) => written!,
  )
  return [...notes]
    .filter(([, same]) => same.length > 1)
    .map(([written, same]) => ({ written, notes: same }))
}

const fileId = (path: string) => `file:${path}`

/** What was read, before it is known whether it is new. */
interface ReadVersion {
  version: Version
  /** Where its subtree is. */
  begin: number
  end: number
}

interface ReadObject extends ReadVersion {
  id: string
  object: Omit<MemoryObject, 'version' | 'authorship'>
}

interface FileText {
  path: string
  text: string
  /** The tags of the file with those of its setup files; null when it names none. */
  tags: readonly string[] | null
  privateTags: readonly string[]
}

function fileObjects(
  { path, text, tags, privateTags }: FileText,
  taken: (id: string) => boolean,
  before: readonly MemoryObject[],
): ReadObject[] {
  const tree = parse(text)
  const nodes = outline(path, tree, tags ?? tree.filetags, privateTags)
  const made: ReadVersion[] = []
  for (const node of nodes.toReversed()) {
    const children = node.children.map((child) => made[child.index]!)
    made[node.index] = readVersion(path, text, tree, node, children)
  }
  const ids = giveIds(path, nodes, made, taken, before)
  const scopes: Scope[] = []
  return nodes.map((node, at) => {
    const scope = ownScope(made[at]!.version) ?? scopes[node.parent?.index ?? -1] ?? 'memex'
    scopes.push(scope)
    return { ...made[at]!, id: ids[at]!, object: placed(path, node, made[at]!, { ids, scope }) }
  })
}

interface OutlineNode {
  /** Its number in the order of the text; 0 for the file. */
  index: number
  /** Null for the file itself. */
  headline: Headline | null
  parent: OutlineNode | null
  children: OutlineNode[]
  /** Digest of the file's path and all titles down to here. */
  path: string
  tags: string[]
  /** By its tags or by those of a headline above it, archived ones included. */
  private: boolean
  /** The id as it is written in the note; a file's own. */
  written: string | null
}

function outline(
  file: string,
  tree: OrgData,
  fileTags: readonly string[],
  privateTags: readonly string[],
): OutlineNode[] {
  const closed = (tags: string[], attributes: Record<string, string>, above = false) => {
    const isPrivate = above || hasPrivateTag({ tags, attributes }, privateTags)
    const isSaid = !isPrivate || tags.some((tag) => privateTagsDefault.includes(tag.toLowerCase()))
    return { private: isPrivate, tags: isSaid ? tags : [...tags, privateTagsDefault[0]!] }
  }
  const place = { index: 0, headline: null, parent: null, children: [], path: textHash(file) }
  const own = attributesOf([...privateKeywords(tree), ...fileProperties(tree)])
  const root: OutlineNode = { ...place, ...closed([...fileTags], own), written: fileId(file) }
  const nodes = [root]
  let above = root
  for (const headline of headlines(tree)) {
    while (above.headline !== null && above.headline.level >= headline.level) above = above.parent!
    const path = textHash(`${above.path} ${headline.rawValue}`)
    const tags = [...new Set([...above.tags, ...headline.tags])]
    const attributes = attributesOf(properties(headline))
    const node = {
      index: nodes.length,
      headline,
      parent: above,
      children: [],
      path,
      ...closed(tags, attributes, above.private),
      written: attributes.ID ?? null,
    }
    above.children.push(node)
    nodes.push(node)
    above = node
  }
  return nodes
}

/** What `#+PROPERTY: PRIVATE` says of the whole file. */
function privateKeywords(tree: OrgData): Pick<NodeProperty, 'key' | 'value'>[] {
  const [section] = tree.children
  if (section?.type !== 'section') return []
  return section.children.flatMap((node) => {
    if (node.type !== 'keyword' || node.key !== 'PROPERTY') return []
    const value = /^private(?:\s+(.*))?$/i.exec(node.value.trim())
    return value === null ? [] : [{ key: 'PRIVATE', value: value[1] ?? '' }]
  })
}

function giveIds(
  file: string,
  nodes: readonly OutlineNode[],
  versions: readonly ReadVersion[],
  taken: (id: string) => boolean,
  before: readonly MemoryObject[],
): string[] {
  const isCopy = isConflictCopy(file)
  const givesWay = (id: string, at: number) => (isCopy && nodes[at]!.headline !== null) || taken(id)
  const written = writtenIds(nodes).map((id, at) =>
    id !== null && givesWay(id, at) ? givenWay(file, id) : id,
  )
  const ids: (string | null)[] = [...written]
  const used = new Set(ids)
  samePlaces(nodes, versions, ids, before).forEach((from, at) => {
    const known = from === null ? undefined : before[from]?.id
    if (ids[at] !== null || !known?.startsWith(derivedMark)) return
    if (used.has(known) || taken(known)) return
    ids[at] = known
    used.add(known)
  })
  const fresh = new FreshIds((id) => used.has(id) || taken(id))
  return nodes.map(({ path }, at) => ids[at] ?? fresh.next(path))
}

/** For each node its place among the objects before, or null. */
function samePlaces(
  nodes: readonly OutlineNode[],
  versions: readonly ReadVersion[],
  ids: readonly (string | null)[],
  before: readonly MemoryObject[],
): (number | null)[] {
  if (before.length === 0) return []
  const now = nodes.map((node, at) =>
    sectionOf(versions[at]!.version, node.parent?.index, lasting(ids[at]!)),
  )
  return matchSections(sectionsBefore(before), now)
}

function givenWay(file: string, id: string): string {
  return `${derivedMark}${shortened(textHash(`${file} ${id}`))}`
}

/** The id when it is one that is written. */
function lasting(id: string | null): string | null {
  return id?.startsWith(derivedMark) ? null : id
}

function writtenIds(nodes: readonly OutlineNode[]): (string | null)[] {
  const given = new Set<string>()
  return nodes.map(({ written, headline }) => {
    const isForged = headline !== null && /^(?:file|path):/.test(written ?? '')
    if (written === null || written === '' || isForged || given.has(written)) return null
    given.add(written)
    return written
  })
}

const derivedMark = 'path:'

function shortened(hash: string): string {
  return hash.slice(0, 20)
}

function sectionsBefore(before: readonly MemoryObject[]): Section[] {
  const places = new Map(before.map(({ id }, at) => [id, at]))
  return before.map((object) => {
    return sectionOf(object, places.get(object.parent ?? ''), lasting(object.id))
  })
}

function sectionOf(
  { title, head, content, hash }: Pick<Version, 'title' | 'head' | 'content' | 'hash'>,
  parent: number | undefined,
  written: string | null,
): Section {
  return { written, title, head, content, hash, parent: parent ?? -1 }
}

class FreshIds {
  readonly #isUsed: (id: string) => boolean
  readonly #twins = new Map<string, number>()

  constructor(isUsed: (id: string) => boolean) {
    this.#isUsed = isUsed
  }

  next(path: string): string {
    for (;;) {
      const twin = this.#twins.get(path) ?? 0
      this.#twins.set(path, twin + 1)
      const id = `${derivedMark}${shortened(path)}${twin === 0 ? '' : `-${twin}`}`
      if (!this.#isUsed(id)) return id
    }
  }
}

function placed(
  file: string,
  node: OutlineNode,
  { version, begin, end }: ReadVersion,
  { ids, scope }: { ids: readonly string[]; scope: Scope },
): ReadObject['object'] {
  return {
    ...version,
    id: ids[node.index]!,
    parent: node.parent === null ? null : ids[node.parent.index]!,
    children: node.children.map(({ index }) => ids[index]!),
    vector: null,
    scope,
    file,
    line: node.headline?.position.start.line ?? 1,
    begin,
    end,
    private: node.private,
  }
}

function readVersion(
  file: string,
  text: string,
  tree: OrgData,
  { headline, tags, written }: OutlineNode,
  children: readonly ReadVersion[],
): ReadVersion {
  const begin = headline?.startOffset ?? 0
  const end = headline?.endOffset ?? text.length
  const lineEnd = text.indexOf('\n', begin)
  const first = headline === null ? 0 : lineEnd === -1 ? end : Math.min(end, lineEnd + 1)
  const last = children[0]?.begin ?? end
  const head = detached(text.slice(begin, first))
  const content = detached(text.slice(first, Math.max(first, last)))
  const plan = headline === null ? null : planning(headline)
  const inside = (piece: string | null | undefined) => (piece == null ? null : cut(content, piece))
  const title = headline === null ? fileTitle(tree) : headline.rawValue
  const version = {
    written: written === null ? null : (inside(written) ?? written),
    type: headline === null ? ('file' as const) : ('headline' as const),
    head,
    title: title === null ? file : cut(headline === null ? content : head, title),
    attributes: attributesOf(
      headline === null ? fileProperties(tree) : properties(headline),
      (value) => cut(content, value),
    ),
    content,
    level: headline?.level ?? 0,
    todo: headline?.todoKeyword ?? null,
    done: headline?.todoType === 'done',
    priority: headline?.priority ?? null,
    tags,
    scheduled: inside(plan?.scheduled?.rawValue),
    deadline: inside(plan?.deadline?.rawValue),
    closed: inside(plan?.closed?.rawValue),
    ...(headline?.commentedp ? { commented: true } : {}),
    children: children.map((child) => child.version.hash),
  }
  return { version: { hash: versionHash(version), ...version }, begin, end }
}

function detached(text: string): string {
  return text.length > 12 && text.isWellFormed() ? Buffer.from(text).toString() : text
}

/** The same piece, cut out of a copied text that has it. */
function cut(copied: string, piece: string): string {
  if (piece.length <= 12) return piece
  const at = copied.indexOf(piece)
  return at === -1 ? detached(piece) : copied.slice(at, at + piece.length)
}

function isInPlace(old: MemoryObject, read: Omit<MemoryObject, 'version' | 'authorship'>): boolean {
  const places = ['begin', 'end', 'line', 'parent', 'file', 'private', 'scope'] as const
  const isThere = places.every((name) => old[name] === read[name])
  return isThere && old.children.every((id, at) => id === read.children[at])
}

function keptOf({
  version,
  authorship,
}: MemoryObject): Pick<MemoryObject, 'version' | 'authorship'> {
  return { version, authorship }
}

function attributesOf(
  written: readonly Pick<NodeProperty, 'key' | 'value'>[],
  kept: (value: string) => string = (value) => value,
): Record<string, string> {
  return Object.fromEntries(written.map(({ key, value }) => [key.toUpperCase(), kept(value)]))
}

function fileProperties(tree: OrgData): NodeProperty[] {
  const section = tree.children[0]
  if (section?.type !== 'section') return []
  const drawer = section.children.find(({ type }) => type === 'property-drawer')
  return drawer?.type === 'property-drawer' ? drawer.children : []
}

function fileTitle(tree: OrgData): string | null {
  const section = tree.children[0]
  if (section?.type !== 'section') return null
  for (const element of section.children) {
    if (element.type === 'keyword' && element.key === 'TITLE') return element.value
  }
  return null
}
