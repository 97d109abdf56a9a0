import { type OrgData, parse } from 'org-ast'
import { applyPatches, type Patch } from 'org-ast/edit'
import { MemexError } from './memex.ts'
import { type EditDesk, editNotes, type NoteEdit, type WrittenEdit } from './note-edit.ts'

/** Writes what is planned, all files or none, and remembers it under a label. */
export async function editFiles(
  desk: EditDesk,
  label: string,
  plan: (read: ReadNote) => readonly NoteEdit[],
): Promise<void> {
  const written = await editNotes(desk, (read) =>
    plan((path) => {
      const text = read(path)
      return { text, tree: parse(text) }
    }),
  )
  if (written.length > 0) remember(desk, { label, written })
}

/** Gives a file's text, and the tree of this very text. */
type ReadNote = (path: string) => { text: string; tree: OrgData }

/** Edits one file by a function of its text and its tree. */
export function editFile(
  desk: EditDesk,
  label: string,
  path: string,
  change: (text: string, tree: OrgData) => Patch[],
): Promise<void> {
  return editFiles(desk, label, (read) => {
    const { text, tree } = read(path)
    return [{ path, text, patches: change(text, tree) }]
  })
}

/** How an edit ended, in words for a person or a model. */
type EditResult = { status: 'success'; content: string } | { status: 'error'; message: string }

/** The error for a person or a model; what is none of theirs is thrown on. */
export function editError(error: unknown): EditResult {
  if (error instanceof RangeError) return { status: 'error', message: `${error.message}.` }
  const codes = ['changed-underneath', 'locked']
  if (error instanceof MemexError && codes.includes(error.code))
    return { status: 'error', message: `${error.message}.` }
  throw error
}

interface Change {
  label: string
  turn: string | null
  /** In the order in which it is taken back. */
  written: WrittenEdit[]
}

const changesMax = 200
const changes = new WeakMap<EditDesk, Change[]>()

function remember(desk: EditDesk, change: Omit<Change, 'turn'>): void {
  const all = [...(changes.get(desk) ?? []), { ...change, turn: desk.turn ?? null }]
  changes.set(desk, all.slice(-changesMax))
}

/** The changes that would be taken back together, in that order. */
function lastOf(desk: EditDesk): Change[] {
  const all = (changes.get(desk) ?? []).toReversed()
  const turn = all[0]?.turn ?? null
  const other = turn === null ? 1 : all.findIndex((change) => change.turn !== turn)
  return other < 0 ? all : all.slice(0, other)
}

/** The files that taking back the last change would restore, if that was made in this turn. */
export function undoableFiles(desk: EditDesk, turn: string): string[] {
  const last = lastOf(desk).filter((change) => change.turn === turn)
  return [...new Set(last.flatMap(({ written }) => written.map(({ path }) => path)))]
}

/** Takes back what the last turn has changed, as far as it is remembered, or says why not. */
export async function undoLast(desk: EditDesk): Promise<EditResult> {
  const last = lastOf(desk)
  if (last.length === 0) return { status: 'error', message: 'There is nothing to undo.' }
  try {
    await editNotes(desk, (read) => wayBack(last, read))
  } catch (error) {
    return editError(error)
  }
  changes.set(desk, (changes.get(desk) ?? []).slice(0, -last.length))
  const files = [...new Set(last.flatMap(({ written }) => written.map(({ path }) => path)))]
  const state = files.length === 1 ? 'is as it was' : 'are as they were'
  const what = last.map(({ label }) => label).join('; ')
  return { status: 'success', content: `Undone: ${what}. ${inWords(files)} ${state} before.` }
}

function wayBack(last: readonly Change[], read: (path: string) => string): NoteEdit[] {
  const texts = new Map<string, string>()
  return last.flatMap(({ written }) =>
    written.map(({ after, back, path }) => {
      const text = texts.get(path) ?? read(path)
      if (text !== after)
        throw new RangeError(`${path} has changed since, so the last change was not undone`)
      if (back === null) throw new RangeError(`${path} was made then, and undo removes no file`)
      texts.set(path, applyPatches(text, back))
      return { path, text, patches: back, restores: true }
    }),
  )
}

function inWords(files: readonly string[]): string {
  return files.length < 3
    ? files.join(' and ')
    : `${files.slice(0, -1).join(', ')} and ${files.at(-1)}`
}
