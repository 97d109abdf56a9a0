import { type OrgData, parse } from 'org-ast'
import type { Patch } from 'org-ast/edit'
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
  /** In the order in which it is taken back. */
  written: WrittenEdit[]
}

const changesMax = 20
const changes = new WeakMap<EditDesk, Change[]>()

function remember(desk: EditDesk, change: Change): void {
  changes.set(desk, [...(changes.get(desk) ?? []), change].slice(-changesMax))
}

/** Takes back the last change that is remembered, or says why not. */
export async function undoLast(desk: EditDesk): Promise<EditResult> {
  const all = changes.get(desk) ?? []
  const last = all.at(-1)
  if (last === undefined) return { status: 'error', message: 'There is nothing to undo.' }
  try {
    await editNotes(desk, (read) =>
      last.written.map(({ path, after, back }) => {
        const text = read(path)
        if (text === after && back !== null) return { path, text, patches: back, restores: true }
        throw new RangeError(`${path} has changed since, so the last change was not undone`)
      }),
    )
  } catch (error) {
    return editError(error)
  }
  changes.set(desk, all.slice(0, -1))
  const files = last.written.map(({ path }) => path)
  const state = files.length === 1 ? 'is as it was' : 'are as they were'
  return {
    status: 'success',
    content: `Undone: ${last.label}. ${files.join(' and ')} ${state} before.`,
  }
}
