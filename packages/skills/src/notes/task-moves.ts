import {
  editError,
  editFiles,
  type MemoryObject,
  originalOf,
  type Runtime,
  sightOf,
  type Tool,
  type ToolResult,
} from '@passepartout/core'
import { archiveLocation, archiveSubtree, archiveToSibling, refile, refileTo } from 'org-ast/edit'
import { z } from 'zod'
import { type Asker, outlineOf, placeOf, seenBy, titleWords } from '../common/note-text.ts'
import { bestTitles } from '../common/planner-words.ts'
import { pathHere } from './context-manager.ts'
import { current, headlineOf, noteMeant } from './task-edit.ts'

/** A place for notes: a file, or a headline in it. */
interface Place {
  file: string
  at: MemoryObject | null
}

/** The places that a name may mean. */
export function placesNamed(asker: Asker, name: string): Place[] {
  const { runtime } = asker
  const all = seenBy(asker)
  const parts = name
    .replace(/^the /i, '')
    .split(/\s*(?:\/|>)\s*/)
    .filter((part) => part !== '')
  const files = all.filter(({ type }) => type === 'file')
  const here = pathHere(asker, name)
  const exact =
    files.find(({ file }) => file === here) ?? files.find(({ file }) => file.endsWith(`/${name}`))
  if (exact !== undefined) return [{ file: exact.file, at: null }]
  const above = (note: MemoryObject) => [
    fileWords(runtime, note.file),
    ...outlineOf(note, (id) => sightOf(runtime.store).get(id)),
  ]
  const inside = (note: MemoryObject) =>
    parts.slice(0, -1).every((part) => bestTitles(above(note), (title) => title, part).length > 0)
  const last = parts.at(-1) ?? name
  const headlines = all.filter(
    (note) => note.type === 'headline' && note.todo === null && inside(note),
  )
  const tasks = all.filter(
    (note) => note.type === 'headline' && note.todo !== null && !note.done && inside(note),
  )
  const whole = parts.length < 2 ? files : []
  return firstNamed([whole, headlines, tasks], runtime, last)
}

function fileWords(runtime: Runtime, path: string): string {
  const title = sightOf(runtime.store).get(`file:${path}`)?.title ?? ''
  return `${title} ${path.replace(/\.org$/, '').replace(/[/_-]/g, ' ')}`
}

function firstNamed(kinds: MemoryObject[][], runtime: Runtime, name: string): Place[] {
  const [files = [], headlines = [], tasks = []] = kinds
  const named = [
    ...headlines.map((note) => ({ title: titleWords(note), note })),
    ...files.flatMap((note) => [
      { title: note.title, note },
      { title: note.file.replace(/^.*\/|\.org$/g, ''), note },
    ]),
  ]
  const found = bestTitles(named, ({ title }) => title, name)
  const notes = [...new Set(found.map(({ note }) => note))]
  const tops = notes.filter(({ type }) => type === 'headline')
  const chosen =
    tops.length > 0 && notes.length > tops.length ? withoutOwnFiles(notes, tops) : notes
  const best = chosen.length > 0 ? chosen : bestTitles(tasks, titleWords, name)
  return best.map((note) => ({
    file: note.file,
    at: note.type === 'file' ? null : (sightOf(runtime.store).get(note.id) ?? note),
  }))
}

function withoutOwnFiles(
  notes: readonly MemoryObject[],
  tops: readonly MemoryObject[],
): MemoryObject[] {
  return notes.filter(
    (note) => note.type === 'headline' || !tops.some(({ file }) => file === note.file),
  )
}

/** A place in words: `Winter (areas/garden.org:4)`. */
export function placeWords({ file, at }: Place): string {
  return at === null ? file : `${titleWords(at)} (${placeOf(at)})`
}

/** The one place that is meant, or the error that says why it is not one. */
export function placeMeant(asker: Asker, name: string): Place | ToolResult {
  const exact = /^(.*) \(([^()]+\.org:\d+)\)$/.exec(name)
  if (exact !== null) {
    const at = seenBy(asker).find(
      (note) => placeOf(note) === exact[2] && titleWords(note) === exact[1],
    )
    if (at !== undefined) return { file: at.file, at }
  }
  const found = placesNamed(asker, name)
  const [only] = found
  if (only === undefined) return { status: 'error', message: `There is no place called “${name}”.` }
  if (found.length === 1) return only
  return {
    status: 'error',
    message: `Which place?\n${found
      .slice(0, 9)
      .map((place) => `  ${placeWords(place)}`)
      .join('\n')}`,
  }
}

const refileParameters = z.object({
  query: z.string().trim().min(1).max(500).describe('words of the title'),
  place: z.string().max(300).optional().describe('file:line, when the title is not enough'),
  under: z.string().trim().min(1).max(500).describe('the headline or file it belongs to'),
})

/** Moves a subtree under a headline or into a file. */
export const refileTask: Tool = {
  name: 'refile-task',
  description: 'Moves a task or note, with all below it, under a headline or into a file.',
  parameters: refileParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { under, ...name } = refileParameters.parse(args)
    const note = noteMeant(context, name, 'any')
    if ('status' in note) return note
    const target = placeMeant(context, under)
    if ('status' in target) return target
    try {
      await moveNote(runtime, note, target)
    } catch (error) {
      return editError(error)
    }
    const title = titleWords(note)
    const now = runtime.store
      .query({ file: target.file })
      .filter((each) => each.title === originalOf(note).title)
      .at(-1)
    const where = now === undefined ? target.file : placeOf(now)
    const below = target.at === null ? '' : `, under “${titleWords(target.at)}”`
    return {
      status: 'success',
      content: `Refiled “${title}” from ${placeOf(note)} to ${where}${below}.\n“undo” takes it back.`,
    }
  },
}

function moveNote(runtime: Runtime, moved: MemoryObject, target: Place): Promise<void> {
  return editFiles(runtime, `refiled “${titleWords(moved)}”`, (read) => {
    const source = read(moved.file)
    const other = target.file === moved.file ? source : read(target.file)
    const note = current(runtime, moved)
    const headline = headlineOf(source.tree, note)
    const at = target.at && headlineOf(other.tree, current(runtime, target.at))
    if (other === source) {
      const patches = refile(source.text, source.tree, headline, at)
      return [{ path: note.file, text: source.text, patches }]
    }
    const patches = refileTo(source.text, headline, other, at)
    return [
      { path: target.file, text: other.text, patches: patches.target },
      { path: note.file, text: source.text, patches: patches.source },
    ]
  })
}

const archiveParameters = refileParameters.omit({ under: true })

/** Puts a subtree away. */
export const archiveTask: Tool = {
  name: 'archive-task',
  description: 'Archives a note with all below it.',
  parameters: archiveParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const name = archiveParameters.parse(args)
    const done = noteMeant(context, name, 'done')
    const note = 'status' in done ? noteMeant(context, name, 'any') : done
    if ('status' in note) return note
    try {
      const where = await archiveNote(runtime, note)
      const content = `Archived “${titleWords(note)}” from ${placeOf(note)}, ${where}.\n“undo” takes it back.`
      return { status: 'success', content }
    } catch (error) {
      return editError(error)
    }
  },
}

/** Puts a note away with all below it; returns where, in words. Throws when its file has changed. */
export async function archiveNote(runtime: Runtime, archived: MemoryObject): Promise<string> {
  const path = archived.file
  let where = ''
  await editFiles(runtime, `archived “${titleWords(archived)}”`, (read) => {
    const { text, tree } = read(path)
    const headline = headlineOf(tree, current(runtime, archived))
    const now = runtime.clock.now()
    const { file, heading } = archiveLocation(tree, headline, path)
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const target = file === null ? null : folder + file
    if (target !== null && !runtime.memex.has(target)) {
      where = 'below the headline Archive beside it'
      return [{ path, text, patches: archiveToSibling(text, tree, headline, { now }) }]
    }
    where = `to ${target ?? path}${heading === '' ? '' : `, ${heading.replace(/^\*+ /, '')}`}`
    const archive = target === null ? null : read(target).text
    const moved = archiveSubtree(text, tree, headline, { file: path, now, archive })
    const own = { path, text, patches: moved.source }
    const other = { path: target ?? '', text: archive, patches: moved.target }
    return target === null ? [own] : [other, own]
  })
  return where
}
