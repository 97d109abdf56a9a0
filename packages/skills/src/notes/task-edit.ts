import {
  type MemoryObject,
  originalOf,
  type Runtime,
  sightOf,
  type ToolResult,
} from '@passepartout/core'
import { type Headline, headlines, type OrgData } from 'org-ast'
import {
  type Asker,
  findNotes,
  openTasks,
  placeOf,
  seenBy,
  titleWords,
  visible,
} from '../common/note-text.ts'
import { placeHere } from './context-manager.ts'

/** Which notes may be meant. */
export type Which = 'open' | 'done' | 'any'

/** A note by words of its title, or by its title and place. */
export interface NoteName {
  query: string
  place?: string | undefined
}

/** The notes that are meant; one is an answer, several are a question. */
export function meantBy(
  objects: Iterable<MemoryObject>,
  { query, place }: NoteName,
  which: Which,
): MemoryObject[] {
  const all = visible(objects).filter(({ type }) => type === 'headline')
  const open = openTasks(all)
  const done = all.filter((object) => object.done)
  const of = { open: [open], done: [done], any: [open, all] }[which]
  if (place !== undefined) {
    return all.filter((object) => placeOf(object) === place && titleWords(object) === query)
  }
  for (const candidates of of) {
    const found = findNotes(candidates, query)
    if (found.length > 0) return found
  }
  return []
}

/** The one note that is meant, or the error that says why it is not one. */
export function noteMeant(asker: Asker, name: NoteName, which: Which): MemoryObject | ToolResult {
  const found = foundHere(asker, name, which)
  const [only] = found
  if (only === undefined) {
    const message = inOtherScope(asker, name, which) ?? noSuchNote(name.query, which)
    return { status: 'error', message }
  }
  if (found.length === 1) return only
  const lines = found.slice(0, 9).map((task) => `  ${titleWords(task)}  ${placeOf(task)}`)
  return { status: 'error', message: `Which one?\n${lines.join('\n')}` }
}

/** The notes at this very place, or else at the place that it means where the session is. */
function foundHere(asker: Asker, name: NoteName, which: Which): MemoryObject[] {
  const found = meantBy(seenBy(asker), name, which)
  if (found.length > 0 || name.place === undefined) return found
  return meantBy(seenBy(asker), { ...name, place: placeHere(asker, name.place) }, which)
}

/** What is said of a note that is meant and is in another project; null when there is none. */
export function inOtherScope({ runtime }: Asker, name: NoteName, which: Which): string | null {
  const [other] = meantBy(sightOf(runtime.store).objects(), name, which)
  if (other === undefined) return null
  const { scope } = other
  return `“${titleWords(other)}” belongs to ${scope}, where you are not. “push-context ${scope}” goes there.`
}

/** What is said when the words mean no note. */
export function noSuchNote(query: string, which: Which): string {
  const kind = { open: 'open task', done: 'done task', any: 'note' }[which]
  return `No ${kind} is called “${query}”. Try “find ${query}”.`
}

/** The headline of a note in a tree. Throws a RangeError when it is not where it was. */
export function headlineOf(tree: OrgData, note: MemoryObject): Headline {
  for (const headline of headlines(tree)) {
    const { line } = headline.position.start
    if (line === note.line && headline.rawValue === originalOf(note).title) return headline
  }
  throw new RangeError(`Expected “${note.title}” at ${placeOf(note)}; the file has changed`)
}

/** The note as it is seen now, which may be on another line than it was. */
export function current({ store }: Runtime, note: MemoryObject): MemoryObject {
  return sightOf(store).get(note.id) ?? note
}
