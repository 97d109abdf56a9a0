import { type AnyOrgNode, parse, walk } from 'org-ast'
import { textHash } from './history.ts'
import type { MemoryObject } from './memory-object.ts'
import type { ObjectStore } from './store.ts'

/** A part of a note that has a name. */
export interface NamedElement {
  /** Made of the note's id, the kind and the name. */
  id: string
  /** The type of org-element, such as `table`, `src-block` or `radio-target`. */
  kind: string
  name: string
  /** The id of the note that it stands in. */
  note: string
  file: string
  /** 1-based line in the file, affiliated keywords included. */
  line: number
  /** UTF-16 offsets in the file. */
  begin: number
  end: number
  content: string
  /** Over kind, name and content. */
  hash: string
  /** Never shown to a model, like its note. */
  private: boolean
}

const known = new WeakMap<MemoryObject, readonly NamedElement[]>()

/** The named elements directly in a note, in the order of the text. */
export function elementsOf(note: MemoryObject): readonly NamedElement[] {
  const found = known.get(note) ?? readElements(note)
  known.set(note, found)
  return found
}

const sign = /#\+(?:name|tblname|srcname|resname|label|source|data):|<<</i

function readElements(note: MemoryObject): NamedElement[] {
  const text = note.head + note.content
  if (!sign.test(text)) return []
  const found: NamedElement[] = []
  const twins = new Map<string, number>()
  walk(parse(text), (node) => {
    const name = nameOf(node)
    if (name === null) return
    const key = `${node.type}:${name}`
    const twin = twins.get(key) ?? 0
    twins.set(key, twin + 1)
    const content = text.slice(node.startOffset, node.endOffset).trimEnd()
    found.push({
      id: `${note.id}#${key}${twin === 0 ? '' : `~${twin}`}`,
      kind: node.type,
      name,
      note: note.id,
      file: note.file,
      content,
      line: note.line + node.position.start.line - 1,
      begin: note.begin + node.startOffset,
      end: note.begin + node.startOffset + content.length,
      hash: textHash(JSON.stringify([node.type, name, content])),
      private: note.private,
    })
  })
  return found
}

function nameOf(node: AnyOrgNode): string | null {
  if (node.type === 'radio-target') return node.value
  if (!('affiliated' in node)) return null
  const name = node.affiliated.findLast(({ key }) => key === 'NAME')?.value.trim() ?? ''
  return name === '' ? null : name
}

/** The element of this id, or null. */
export function elementById(store: ObjectStore, id: string): NamedElement | null {
  for (let at = id.lastIndexOf('#'); at > 0; at = id.lastIndexOf('#', at - 1)) {
    const note = store.get(id.slice(0, at))
    const found = note === null ? null : elementsOf(note).find((element) => element.id === id)
    if (found) return found
  }
  return null
}

/** All named elements, note by note; only of this name when one is given, without regard to case. */
export function* elementsOfStore(store: ObjectStore, name?: string): Generator<NamedElement> {
  const wanted = name?.toLowerCase()
  for (const note of store.objects()) {
    for (const element of elementsOf(note)) {
      if (wanted === undefined || element.name.toLowerCase() === wanted) yield element
    }
  }
}
