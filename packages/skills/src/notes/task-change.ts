import {
  editError,
  editFile,
  type MemoryObject,
  type Runtime,
  sightOf,
  singleLine,
  type ToolResult,
} from '@passepartout/core'
import type { OrgData } from 'org-ast'
import { applyPatches, type setTags } from 'org-ast/edit'
import { z } from 'zod'
import { addDays, dayOf, dayWords, hoursWords, orgStamp, readOrgStamp } from '../common/dates.ts'
import { type Asker, placeOf, titleWords } from '../common/note-text.ts'
import { current, type NoteName, noteMeant, type Which } from './task-edit.ts'

interface Dates {
  scheduled?: string | null | undefined
  deadline?: string | null | undefined
}

/** The dates that a task has now, in words, with a comma before them. */
export function whenWords(runtime: Runtime, dates: Dates): string {
  const today = dayOf(runtime.clock.now())
  const said = (['scheduled', 'deadline'] as const).flatMap((kind) => {
    const when = readOrgStamp(dates[kind] ?? null)
    if (when === null) return []
    const verb = kind === 'deadline' ? 'due' : 'scheduled for'
    return [`${verb} ${dayAndDate(when.day, today)}${hoursWords(when)}`]
  })
  return said.length === 0 ? '' : `, ${said.join(' and ')}`
}

/** A day as it is said, with its date beside a word such as tomorrow. */
export function dayAndDate(day: string, today: string): string {
  const words = dayWords(day, today)
  return /^(?:to|yester)/.test(words)
    ? `${words}, ${dayWords(day, '0000-01-01').slice(0, -5)}`
    : words
}

/** A task by its title and its place. */
export function named(task: MemoryObject): string {
  return `“${titleWords(task)}” (${placeOf(task)})`
}

/** The answer of a tool that has changed a file. */
export function done(text: string): ToolResult {
  return { status: 'success', content: `${text}\n“undo” takes it back.` }
}

/** A timestamp of Org, with angle brackets, or a day that becomes one. */
export const stamp: z.ZodType<string> = z
  .string()
  .transform(asStamp)
  .pipe(
    z
      .string()
      .regex(
        /^<\d{4}-\d{2}-\d{2} [A-Za-z]{2,4}(?: \d{2}:\d{2}(?:-\d{2}:\d{2})?)?(?: [.+]?\+\d{1,3}[hdwmy])?>$/,
        'Expected a day like 2026-11-22, with a time like 2026-11-22 14:00, or an Org timestamp like <2026-11-22 Sun 14:00 +1w>',
      ),
  )
  .meta({ examples: ['2026-11-22 14:00'] })

/** A day, perhaps with a time, as Org writes it; other words as they are. */
function asStamp(words: string): string {
  const found = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::\d{2})?)?$/.exec(words.trim())
  const [, day = '', time = null] = found ?? []
  const isDay = !Number.isNaN(Date.parse(day)) && addDays(day, 0) === day
  return found !== null && isDay ? orgStamp({ day, time }) : words
}

/** A title. */
export const line: z.ZodString = singleLine().trim().min(1).max(500)

/** A tag. */
export const tag: z.ZodString = z
  .string()
  .regex(/^[\p{L}\p{M}\p{Nd}_@#%]{1,50}$/u, 'Expected a tag of letters and digits')

/** The parameters by which every tool is told the note. */
export const noteParameters: z.ZodObject<{
  query: z.ZodString
  place: z.ZodOptional<z.ZodString>
}> = z.object({
  query: line.describe('words of the title').meta({ examples: ['oat milk'] }),
  place: singleLine().max(300).optional().describe('file:line'),
})

function asItStands(runtime: Runtime, note: MemoryObject): MemoryObject {
  const all = [...sightOf(runtime.store).objects()].filter(({ file }) => file === note.file)
  return all.find(({ line, title }) => line === note.line && title === note.title) ?? note
}

type EditNote = (text: string, tree: OrgData, note: MemoryObject) => Edits

/** What is to be patched in a file. */
export type Edits = ReturnType<typeof setTags>

/** Changes the note that is meant, and answers with how it stands then. */
export async function changeNote(
  asker: Asker,
  { name, which, label }: { name: NoteName; which: Which; label: string },
  change: EditNote,
  answer: (after: MemoryObject, before: MemoryObject) => string,
): Promise<ToolResult> {
  const { runtime } = asker
  const note = noteMeant(asker, name, which)
  if ('status' in note) return note
  let isChanged = false
  let meant = note
  try {
    await editFile(runtime, `${label} “${titleWords(note)}”`, note.file, (text, tree) => {
      meant = current(runtime, note)
      const patches = change(text, tree, meant)
      isChanged = applyPatches(text, patches) !== text
      return patches
    })
  } catch (error) {
    return editError(error)
  }
  if (!isChanged) {
    return { status: 'success', content: `Nothing had to be changed at ${named(note)}.` }
  }
  return done(answer(asItStands(runtime, meant), note))
}
