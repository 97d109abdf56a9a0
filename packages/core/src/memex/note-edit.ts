import { applyPatches, obeyed, type Patch } from 'org-ast/edit'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import { type Authorship, byOwner } from '../memory/history.ts'
import type { ObjectStore } from '../memory/store.ts'
import { type Memex, MemexError } from './memex.ts'

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

/** Patches for one file, with the text that they were made for; null for a file that is to be made. */
export interface NoteEdit {
  path: string
  text: string | null
  patches: readonly Patch[]
  /** It puts back what was in the notes before, and may hold what Emacs obeys. */
  restores?: boolean
}

/** What should be written, given how the files are now. May be called again; throws to give up. */
type EditPlan = (read: (path: string) => string) => readonly NoteEdit[]

/** A file that was written, and the way back. */
export interface WrittenEdit {
  path: string
  after: string
  /** Patches for `after`; null for a file that was made. */
  back: Patch[] | null
}

/** What an edit needs of a runtime. */
export interface EditDesk {
  memex: Memex
  store: ObjectStore
  clock: Clock
  author: Authorship
  /** The turn in which it is edited; what was edited in one is taken back together. */
  turn?: string | null
}

const conflictsMax = 8
const waitsMax = 24
const waitMs = { first: 10, most: 250 }

/**
 * Plans and writes, all files or none; returns them in the order in which they are taken back.
 * Throws what the plan throws, and a MemexError: `changed-underneath` after eight conflicts,
 * `locked` when somebody has been editing a file for five seconds.
 */
export async function editNotes(desk: EditDesk, plan: EditPlan): Promise<WrittenEdit[]> {
  let conflicts = 0
  for (let waits = 0; ; ) {
    try {
      return writeAll(
        desk,
        plan((path) => readCurrent(desk, path)),
      )
    } catch (error) {
      if (!(error instanceof MemexError)) throw error
      if (error.code === 'changed-underneath') {
        conflicts++
        if (conflicts === conflictsMax) throw error
      } else if (error.code === 'locked' && waits < waitsMax) {
        waits++
        await pause(desk, Math.min(waitMs.most, waitMs.first * 2 ** (waits - 1)))
      } else throw error
    }
  }
}

function readCurrent({ memex, store }: EditDesk, path: string): string {
  const text = memex.read(path)
  if (store.textOf(path) !== text) store.ingestFile(path, text, byOwner)
  return text
}

async function pause(desk: EditDesk, ms: number): Promise<void> {
  const { author } = desk
  desk.author = byOwner
  try {
    await new Promise<void>((resolve) => {
      if (desk.clock.alarm === undefined) setTimeout(resolve, ms)
      else desk.clock.alarm(ms, resolve)
    })
  } finally {
    desk.author = author
  }
}

function writeAll(desk: EditDesk, edits: readonly NoteEdit[]): WrittenEdit[] {
  if (desk.author.by !== 'owner') mustBeInert(edits)
  for (const { path } of edits) desk.memex.mustBeFree(path)
  const written: WrittenEdit[] = []
  try {
    for (const edit of edits) {
      const done = writeOne(desk, edit)
      if (done !== null) written.unshift(done)
    }
    return written
  } catch (error) {
    for (const done of written) takeBack(desk, done, error)
    throw error
  }
}

function writeOne({ memex, store, author }: EditDesk, edit: NoteEdit): WrittenEdit | null {
  const { path, text, patches } = edit
  const after = applyPatches(text ?? '', patches)
  if (after === text) return null
  if (text !== null) memex.patch(path, text, patches)
  else if (memex.has(path)) throw new MemexError('changed-underneath', path, `${path} is there now`)
  else memex.create(path, after)
  store.ingestFile(path, after, author)
  return { path, after, back: text === null ? null : inverse(text, patches) }
}

function takeBack({ memex, store, author }: EditDesk, done: WrittenEdit, cause: unknown): void {
  const { path, after, back } = done
  if (back === null) return
  try {
    memex.patch(path, after, back)
    store.ingestFile(path, applyPatches(after, back), author)
  } catch {
    const reason = messageOf(cause)
    throw new MemexError('unwritable', path, `${reason}; ${path} keeps what was written there`)
  }
}

const headlineMark = '\n* '

/** The sections at the top level of two texts in which they differ. */
function differing(before: string, after: string): [before: string, after: string] {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  const begin = before.lastIndexOf(headlineMark, same - headlineMark.length) + 1
  let rest = 0
  while (rest < shorter - begin && before.at(-1 - rest) === after.at(-1 - rest)) rest++
  const next = before.indexOf(headlineMark, before.length - rest)
  const kept = next === -1 || rest === 0 ? 0 : before.length - next - 1
  return [before.slice(begin, before.length - kept), after.slice(begin, after.length - kept)]
}

function mustBeInert(edits: readonly NoteEdit[]): void {
  const known = new Map<string, number>()
  const parts = edits.map(({ text, patches }) =>
    differing(text ?? '', applyPatches(text ?? '', patches)),
  )
  const afters = parts.map(([, after], at) => obeyed(after, edits[at]!.text ?? after))
  if (afters.every(({ length }) => length === 0)) return
  const befores = parts.flatMap(([before], at) => obeyed(before, edits[at]!.text ?? ''))
  for (const words of befores) {
    known.set(words, (known.get(words) ?? 0) + 1)
  }
  for (const [at, { path, restores }] of edits.entries()) {
    for (const words of afters[at]!) {
      const left = known.get(words) ?? 0
      if (left === 0 && restores !== true) throw new RangeError(obeyedMessage(path, words))
      known.set(words, left - 1)
    }
  }
}

function obeyedMessage(path: string, words: string): string {
  const short = JSON.stringify(words.slice(0, 80).toWellFormed())
  const advice =
    'write it as plain text, and a code block with “:tangle no :eval never :noweb-ref no”'
  return `${path} was not changed: Emacs would obey ${short} there; ${advice}`
}
