import { type MemoryObject, sightOf, type ToolContext } from '@passepartout/core'
import { stringWidth } from 'org-ast/edit'
import { bestTitles } from './planner-words.ts'

/** All that is not private. */
export function visible(objects: Iterable<MemoryObject>): MemoryObject[] {
  return [...objects].filter((object) => !object.private)
}

/** Who asks, and of which notes. */
export type Asker = Pick<ToolContext, 'runtime' | 'signal'>

/** Whether the asker's session is where a note belongs. */
export function isSeenBy({ runtime, signal }: Asker): (note: MemoryObject) => boolean {
  return runtime.scopes.sight(signal.meta.sessionId ?? '') ?? (() => true)
}

/** What the asker sees of the notes: nothing private, and nothing of another project. */
export function seenBy(asker: Asker): MemoryObject[] {
  return [...sightOf(asker.runtime.store).objects()].filter(isSeenBy(asker))
}

/** The tasks that are still to be done, in the order of the files, without private ones. */
export function openTasks(objects: Iterable<MemoryObject>): MemoryObject[] {
  return visible(objects).filter((object) => object.todo !== null && !object.done)
}

/** The place of a note, such as `inbox.org:3`. */
export function placeOf(object: MemoryObject): string {
  return `${object.file}:${object.line}`
}

/** The text with links replaced by their words. */
export function withoutLinks(text: string): string {
  return text.replace(/\[\[[^\]\n]*\]\[([^\]\n]*)\]\]/g, '$1').replace(/\[\[([^\]\n]*)\]\]/g, '$1')
}

/** The title as it is shown and compared. */
export function titleWords(object: MemoryObject): string {
  return withoutLinks(object.title)
}

/** The titles above a note in its file, outermost first, without the file. */
export function outlineOf(
  object: MemoryObject,
  get: (id: string) => MemoryObject | null,
): string[] {
  const path: string[] = []
  for (let at = get(object.parent ?? ''); at?.type === 'headline'; at = get(at.parent ?? ''))
    path.unshift(titleWords(at))
  return path
}

const cellWidthMax = 52

/** Rows of cells as lines with aligned columns, indented by two. */
export function aligned(rows: string[][]): string {
  const cut = rows.map((row) => row.map((cell) => shorten(cell, cellWidthMax)))
  const widths = (cut[0] ?? []).map((_, column) =>
    Math.max(...cut.map((row) => stringWidth(row[column] ?? ''))),
  )
  return cut
    .map((row) =>
      row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell))),
    )
    .map((row) => `  ${row.join('  ').trimEnd()}`)
    .join('\n')
}

/** The text, cut with an ellipsis when it takes more columns. */
export function shorten(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let short = ''
  for (const character of text) {
    if (stringWidth(short + character) >= width) break
    short += character
  }
  return `${short}…`
}

/** The notes whose title is meant by the query, best tier only, in file order. */
export function findNotes(objects: readonly MemoryObject[], query: string): MemoryObject[] {
  return bestTitles(objects, titleWords, query)
}
