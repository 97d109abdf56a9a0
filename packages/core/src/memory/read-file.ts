import {
  type Headline,
  headlines,
  type NodeProperty,
  type OrgData,
  parse,
  planning,
  properties,
} from 'org-ast'
import { isConflictCopy } from './conflict-copy.ts'
import { textHash, type Version, versionHash } from './history.ts'
import { matchSections, type Section } from './identity.ts'
import type { MemoryObject } from './memory-object.ts'
import { hasPrivateTag, privateTagsDefault } from './private-tags.ts'
import { ownScope, type Scope } from './scope.ts'

/** The id of a file itself. */
export const fileId = (path: string) => `file:${path}`

/** What was read, before it is known whether it is new. */
interface ReadVersion {
  version: Version
  /** Where its subtree is. */
  begin: number
  end: number
}

/** An object before it has a version and an author. */
export interface ReadObject extends ReadVersion {
  id: string
  object: Omit<MemoryObject, 'version' | 'authorship'>
}

interface FileText {
  path: string
  text: string
  /** The tags of the file with those of its setup files; null when it names none. */
  tags: readonly string[] | null
  privateTags: readonly string[]
  /** Whether all of it is private, whatever it says itself. */
  isClosed: boolean
}

/** The objects of a file, the file first; ids last over edits, by what was there before. */
export function fileObjects(
  { path, text, tags, privateTags, isClosed }: FileText,
  taken: (id: string) => boolean,
  before: readonly MemoryObject[],
): ReadObject[] {
  const tree = parse(text)
  const nodes = outline(path, tree, { fileTags: tags ?? tree.filetags, privateTags, isClosed })
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

interface OutlineMarks extends Pick<FileText, 'isClosed' | 'privateTags'> {
  fileTags: readonly string[]
}

function outline(
  file: string,
  tree: OrgData,
  { fileTags, isClosed, privateTags }: OutlineMarks,
): OutlineNode[] {
  const closed = (tags: string[], attributes: Record<string, string>, above = false) => {
    const isPrivate = above || hasPrivateTag({ tags, attributes }, privateTags)
    const isSaid = !isPrivate || tags.some((tag) => privateTagsDefault.includes(tag.toLowerCase()))
    return { private: isPrivate, tags: isSaid ? tags : [...tags, privateTagsDefault[0]!] }
  }
  const place = { index: 0, headline: null, parent: null, children: [], path: textHash(file) }
  const own = attributesOf([...privateKeywords(tree), ...fileProperties(tree)])
  const root: OutlineNode = {
    ...place,
    ...closed([...fileTags], own, isClosed),
    written: fileId(file),
  }
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

/** Whether an object stands where it stood. */
export function isInPlace(
  old: MemoryObject,
  read: Omit<MemoryObject, 'version' | 'authorship'>,
): boolean {
  const places = ['begin', 'end', 'line', 'parent', 'file', 'private', 'scope'] as const
  const isThere = places.every((name) => old[name] === read[name])
  return isThere && old.children.every((id, at) => id === read.children[at])
}

/** What an object keeps when only its place changes. */
export function keptOf({
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
