import {
  type MemoryObject,
  originalOf,
  type Runtime,
  sightOf,
  type ToolResult,
} from '@passepartout/core'
import { type Headline, headlines, type OrgData, parse } from 'org-ast'
import { applyPatches, type Patch } from 'org-ast/edit'
import { findNotes, openTasks, placeOf, titleWords, visible } from './note-text.ts'

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
export function noteMeant(
  runtime: Runtime,
  name: NoteName,
  which: Which,
): MemoryObject | ToolResult {
  const found = meantBy(sightOf(runtime.store).objects(), name, which)
  const [only] = found
  if (only === undefined) return { status: 'error', message: noSuchNote(name.query, which) }
  if (found.length === 1) return only
  const lines = found.slice(0, 9).map((task) => `  ${titleWords(task)}  ${placeOf(task)}`)
  return { status: 'error', message: `Which one?\n${lines.join('\n')}` }
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

/** The patches for one file, made for the text beside them. */
export interface FilePatches {
  path: string
  text: string
  patches: Patch[]
}

/** Writes patches to their files, all or none, and remembers them under a label. */
export function editFiles(runtime: Runtime, label: string, files: readonly FilePatches[]): void {
  const written: Written[] = []
  try {
    for (const { path, text, patches } of files) {
      const after = applyPatches(text, patches)
      if (after === text) continue
      runtime.memex.patch(path, text, patches)
      written.unshift({ path, after, back: inverse(text, patches) })
      runtime.store.ingestFile(path, after, runtime.author)
    }
  } catch (error) {
    for (const change of written) takeBack(runtime, change)
    throw error
  }
  if (written.length > 0) remember(runtime, { label, written })
}

/** Edits one file by a function of its text and its tree. */
export function editFile(
  runtime: Runtime,
  label: string,
  path: string,
  change: (text: string, tree: OrgData) => Patch[],
): void {
  const text = runtime.memex.read(path)
  editFiles(runtime, label, [{ path, text, patches: change(text, parse(text)) }])
}

/** Patches that undo these ones, for the text that they have made of this text. */
export function inverse(text: string, patches: readonly Patch[]): Patch[] {
  let shift = 0
  return [...patches]
    .sort((a, b) => a.begin - b.begin || a.end - b.end)
    .map(({ begin, end, text: put }) => {
      const at = begin + shift
      shift += put.length - (end - begin)
      return { begin: at, end: at + put.length, text: text.slice(begin, end) }
    })
}

interface Written {
  path: string
  after: string
  back: Patch[]
}

interface Change {
  label: string
  /** In the order in which it is taken back. */
  written: Written[]
}

const changesMax = 20
const changes = new WeakMap<Runtime, Change[]>()

function remember(runtime: Runtime, change: Change): void {
  changes.set(runtime, [...(changes.get(runtime) ?? []), change].slice(-changesMax))
}

function takeBack(runtime: Runtime, { path, after, back }: Written): void {
  runtime.memex.patch(path, after, back)
  runtime.store.ingestFile(path, applyPatches(after, back), runtime.author)
}

/** Takes back the last change that is remembered, or says why not. */
export function undoLast(runtime: Runtime): ToolResult {
  const all = changes.get(runtime) ?? []
  const last = all.at(-1)
  if (last === undefined) return { status: 'error', message: 'There is nothing to undo.' }
  const foreign = last.written.find(({ path, after }) => runtime.memex.read(path) !== after)
  if (foreign !== undefined) {
    const message = `${foreign.path} has changed since, so “${last.label}” was not undone.`
    return { status: 'error', message }
  }
  for (const change of last.written) takeBack(runtime, change)
  changes.set(runtime, all.slice(0, -1))
  const files = last.written.map(({ path }) => path)
  const state = files.length === 1 ? 'is as it was' : 'are as they were'
  return {
    status: 'success',
    content: `Undone: ${last.label}. ${files.join(' and ')} ${state} before.`,
  }
}
