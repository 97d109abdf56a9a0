import { createHash } from 'node:crypto'
import {
  type Headline,
  headlines,
  type NodeProperty,
  type OrgData,
  parse,
  planning,
  properties,
} from 'org-ast'

/** One file or headline of the memex. Never changed; an edit makes another one. */
export interface MemoryObject {
  /** The `ID` property, or one derived from the file and the outline path. */
  id: string
  type: 'file' | 'headline'
  /** The raw title of a headline; `#+title` of a file, or its path. */
  title: string
  /** The property drawer, names in upper case. */
  attributes: Record<string, string>
  /** The text under the headline's line up to the first headline inside; a file's before the first. */
  content: string
  /** The object around it; null for a file. */
  parent: string | null
  children: string[]
  /** Counts the hashes this id has had, from 1. */
  version: number
  /** SHA-256 in hex over what it says and the hashes of its children. */
  hash: string
  /** For embeddings; not computed yet for this object. */
  vector: null
  scope: 'memex'
  /** Relative path. */
  file: string
  /** 1-based line of the headline; 1 for a file. */
  line: number
  /** UTF-16 offsets of the whole subtree. */
  begin: number
  end: number
  /** Stars; 0 for a file. */
  level: number
  todo: string | null
  done: boolean
  priority: string | null
  /** Own and inherited, file tags included. */
  tags: string[]
  /** Timestamps as written. */
  scheduled: string | null
  deadline: string | null
  closed: string | null
  /** Tagged `private`, itself or from above: never shown to a model. */
  private: boolean
  /** Its title begins with COMMENT; what is below it does not say so itself. */
  commented?: boolean
}

/** What to look for; all conditions must hold. */
export interface ObjectQuery {
  type?: MemoryObject['type']
  file?: string
  todo?: string
  tag?: string
  /** In title or content, without regard to case. */
  text?: string
}

interface FileEntry {
  objects: ReadonlyMap<string, MemoryObject>
  hash: string
}

/** A moment of the store; only for `restore`. */
export interface Snapshot {
  readonly files: ReadonlyMap<string, FileEntry>
}

/** The current version of every object, and every version by hash. */
export class ObjectStore {
  #files = new Map<string, FileEntry>()
  #fileOf = new Map<string, string>()
  readonly #history = new Map<string, MemoryObject>()

  /** Reads a file's text into objects; an id that another file has already is derived anew. */
  ingestFile(path: string, text: string): void {
    const before = this.#files.get(path)
    for (const id of before?.objects.keys() ?? []) this.#fileOf.delete(id)
    const taken = (id: string) => this.#fileOf.has(id)
    const objects = fileObjects(path, text, taken, (id) => before?.objects.get(id))
    for (const [id, object] of objects) {
      this.#fileOf.set(id, path)
      this.#history.set(object.hash, object)
    }
    this.#files.set(path, { objects, hash: objects.get(fileId(path))!.hash })
  }

  /** Forgets a file that is gone. Its objects stay in the history. */
  removeFile(path: string): void {
    for (const id of this.#files.get(path)?.objects.keys() ?? []) this.#fileOf.delete(id)
    this.#files.delete(path)
  }

  /** The current object of this id, or null. */
  get(id: string): MemoryObject | null {
    const file = this.#fileOf.get(id)
    return (file === undefined ? undefined : this.#files.get(file)?.objects.get(id)) ?? null
  }

  /** The object that had this hash, current or not, or null. */
  version(hash: string): MemoryObject | null {
    return this.#history.get(hash) ?? null
  }

  /** All current objects: files in the order of their paths, headlines in the order of the text. */
  *objects(): Generator<MemoryObject> {
    for (const path of [...this.#files.keys()].sort())
      yield* this.#files.get(path)!.objects.values()
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
        (text === undefined || `${object.title}\n${object.content}`.toLowerCase().includes(text)),
    )
  }

  /** The hash over all files; equal for equal notes. */
  root(): string {
    const files = [...this.#files].map(([path, { hash }]) => [path, hash])
    return digest(files.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))
  }

  /** This moment, to come back to. */
  snapshot(): Snapshot {
    return { files: new Map(this.#files) }
  }

  /** Goes back to a moment. The history keeps what came after it. */
  restore(snapshot: Snapshot): void {
    this.#files = new Map(snapshot.files)
    this.#fileOf = new Map()
    for (const [path, { objects }] of this.#files) {
      for (const id of objects.keys()) this.#fileOf.set(id, path)
    }
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

const fileId = (path: string) => `file:${path}`

function fileObjects(
  path: string,
  text: string,
  taken: (id: string) => boolean,
  before: (id: string) => MemoryObject | undefined,
): Map<string, MemoryObject> {
  const tree = parse(text)
  const nodes = outline(path, tree, taken)
  const made = new Map<string, MemoryObject>()
  for (const node of [...nodes].reverse()) {
    const children = node.children.map(({ id }) => made.get(id)!)
    const object = makeObject(path, text, tree, node, children)
    const old = before(object.id)
    const version = old === undefined ? 1 : old.version + (old.hash === object.hash ? 0 : 1)
    made.set(object.id, Object.freeze({ ...object, version }))
  }
  return new Map(nodes.map(({ id }) => [id, made.get(id)!]))
}

interface OutlineNode {
  /** Unique in the store. */
  id: string
  /** Unique in the file, whatever other files there are. */
  localId: string
  /** Null for the file itself. */
  headline: Headline | null
  parent: OutlineNode | null
  children: OutlineNode[]
  /** Digest of the file's path and all titles down to here. */
  path: string
  tags: string[]
}

function outline(file: string, tree: OrgData, taken: (id: string) => boolean): OutlineNode[] {
  const id = fileId(file)
  const place = { headline: null, parent: null, children: [], path: digest([file]) }
  const root: OutlineNode = { id, localId: id, ...place, tags: tree.filetags }
  const nodes = [root]
  const localIds = new LocalIds()
  let above = root
  for (const headline of headlines(tree)) {
    while (above.headline !== null && above.headline.level >= headline.level) above = above.parent!
    const path = digest([above.path, headline.rawValue])
    const localId = localIds.next(headline, path)
    const free = taken(localId) ? `${derivedMark}${shortened(digest([file, localId]))}` : localId
    const tags = [...new Set([...above.tags, ...headline.tags])]
    const node = { id: free, localId, headline, parent: above, children: [], path, tags }
    above.children.push(node)
    nodes.push(node)
    above = node
  }
  return nodes
}

const derivedMark = 'path:'

function shortened(hash: string): string {
  return hash.slice(0, 20)
}

class LocalIds {
  readonly #given = new Set<string>()
  readonly #twins = new Map<string, number>()

  next(headline: Headline, path: string): string {
    const written = properties(headline).find(({ key }) => key.toUpperCase() === 'ID')?.value
    const id = this.#mayBe(written) ? written : this.#derived(path)
    this.#given.add(id)
    return id
  }

  #mayBe(id: string | undefined): id is string {
    return id !== undefined && id !== '' && !/^(?:file|path):/.test(id) && !this.#given.has(id)
  }

  #derived(path: string): string {
    const twin = this.#twins.get(path) ?? 0
    this.#twins.set(path, twin + 1)
    const id = `${derivedMark}${shortened(path)}`
    return twin === 0 ? id : `${id}-${twin}`
  }
}

function makeObject(
  file: string,
  text: string,
  tree: OrgData,
  node: OutlineNode,
  children: readonly MemoryObject[],
): Omit<MemoryObject, 'version'> {
  const { headline } = node
  const begin = headline?.position.start.offset ?? 0
  const end = headline?.position.end.offset ?? text.length
  const lineEnd = text.indexOf('\n', begin)
  const first = headline === null ? 0 : lineEnd === -1 ? end : lineEnd + 1
  const last = children[0]?.begin ?? end
  const plan = headline === null ? null : planning(headline)
  const object = {
    id: node.id,
    type: headline === null ? ('file' as const) : ('headline' as const),
    title: headline?.rawValue ?? fileTitle(tree) ?? file,
    attributes: attributesOf(headline === null ? fileProperties(tree) : properties(headline)),
    content: text.slice(first, Math.max(first, last)),
    parent: node.parent?.id ?? null,
    children: children.map(({ id }) => id),
    vector: null,
    scope: 'memex' as const,
    file,
    line: headline?.position.start.line ?? 1,
    begin,
    end,
    level: headline?.level ?? 0,
    todo: headline?.todoKeyword ?? null,
    done: headline?.todoType === 'done',
    priority: headline?.priority ?? null,
    tags: node.tags,
    scheduled: plan?.scheduled?.rawValue ?? null,
    deadline: plan?.deadline?.rawValue ?? null,
    closed: plan?.closed?.rawValue ?? null,
    private: node.tags.some((tag) => tag.toLowerCase() === 'private'),
    ...(headline?.commentedp ? { commented: true } : {}),
  }
  return { ...object, hash: hashOf(node.localId, object, children) }
}

function attributesOf(written: readonly NodeProperty[]): Record<string, string> {
  return Object.fromEntries(written.map(({ key, value }) => [key.toUpperCase(), value]))
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

function hashOf(
  localId: string,
  object: Omit<MemoryObject, 'version' | 'hash'>,
  children: readonly MemoryObject[],
): string {
  const attributes = Object.entries(object.attributes).sort(([a], [b]) => (a < b ? -1 : 1))
  const line = [object.level, object.todo, object.priority, object.title, object.tags]
  const hashes = children.map(({ hash }) => hash)
  return digest([localId, object.type, line, attributes, object.content, hashes])
}
