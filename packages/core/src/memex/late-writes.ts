import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { decodeNote } from './note-text.ts'

/** A file whose name another has. */
interface Replaced {
  handle: number
  path: string
  /** What was carried over, or known, of its text. */
  known: string
  /** When it was changed last, as far as it was read. */
  changed: number
  until: number
}

/** What was written late: `added` to the end of what was known, or a text of its own. */
export interface LateWrite {
  path: string
  text: string
  isAppended: boolean
}

const heldMax = 16
const heldMs = 60_000

/** The files that were replaced a moment ago. */
export class ReplacedFiles {
  #held: Replaced[] = []

  /** Runs what replaces a file whose text is known; holds the old one when that is done. */
  around(file: string, path: string, known: string, now: number, replace: () => void): void {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const handle = openSync(file, flags)
    try {
      replace()
    } catch (error) {
      closeSync(handle)
      throw error
    }
    this.#held.push({ handle, path, known, changed: Number.NaN, until: now + heldMs })
    for (const { handle } of this.#held.splice(0, this.#held.length - heldMax)) closeSync(handle)
  }

  /** What was written since the last time; whole lines, but for a file whose time is over. */
  take(now: number): LateWrite[] {
    const found = this.#held.flatMap((held) => lateWrite(held, held.until <= now))
    for (const { handle, until } of this.#held) if (until <= now) closeSync(handle)
    this.#held = this.#held.filter(({ until }) => until > now)
    return found
  }
}

function lateWrite(held: Replaced, isOver: boolean): LateWrite[] {
  const { handle, known, path } = held
  const { mtimeMs, size } = fstatSync(handle)
  if (mtimeMs === held.changed && !isOver) return []
  held.changed = mtimeMs
  const text = textIn(handle, size)
  if (text === null || text === known) return []
  const isAppended = text.startsWith(known)
  const end = isOver || !isAppended ? text.length : text.lastIndexOf('\n') + 1
  const added = isAppended ? text.slice(known.length, end) : text
  if (added === '') return []
  held.known = isAppended ? known + added : text
  return [{ path, text: added, isAppended }]
}

/** The text of an open file, from its beginning; null when it is no text. */
function textIn(handle: number, size: number): string | null {
  const bytes = Buffer.alloc(size)
  const count = readSync(handle, bytes, 0, size, 0)
  try {
    return decodeNote(bytes.subarray(0, count)).text
  } catch {
    return null
  }
}
