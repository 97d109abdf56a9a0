import { cleanText, columnsOf, cutTo } from './text.ts'

/** A text that is being typed. */
export interface Buffer {
  text: string
  /** UTF-16 offset, between two graphemes. */
  cursor: number
  /** What was killed last. */
  killed: string
  /** Whether the last edit was a kill, so that the next is added to it. */
  killing: boolean
  /** The column that moving up and down aims at; null after any other edit. */
  goal: number | null
  /** Earlier states, the latest last. */
  past: readonly { text: string; cursor: number }[]
}

const pastMax = 200
/** The longest text that is taken, in UTF-16 units. */
const textMax = 100_000

/** A buffer with a text and the cursor at its end. */
export function bufferOf(text: string, before?: Buffer): Buffer {
  const past = before === undefined ? [] : remembered(before)
  return {
    text,
    cursor: text.length,
    killed: before?.killed ?? '',
    killing: false,
    goal: null,
    past,
  }
}

function remembered({ past, text, cursor }: Buffer): Buffer['past'] {
  if (past.at(-1)?.text === text) return past
  return [...past, { text, cursor }].slice(-pastMax)
}

const graphemes = new Intl.Segmenter()
const graphemeMax = 64

function before(text: string, cursor: number): number {
  const from = Math.max(0, cursor - graphemeMax)
  const segments = [...graphemes.segment(text.slice(from, cursor))]
  return cursor - (segments.at(-1)?.segment.length ?? 0)
}

function after(text: string, cursor: number): number {
  const [first] = graphemes.segment(text.slice(cursor, cursor + graphemeMax))
  return cursor + (first?.segment.length ?? 0)
}

function wordBefore(text: string, cursor: number): number {
  const found = /[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u.exec(text.slice(0, cursor))
  return found?.index ?? 0
}

function wordAfter(text: string, cursor: number): number {
  const found = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(cursor))
  return cursor + (found?.[0].length ?? 0)
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf('\n', cursor - 1) + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}

type Motion =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end'
type Kill = 'kill-word-left' | 'kill-word-right' | 'kill-to-start' | 'kill-to-end'
type Deletion = 'delete-left' | 'delete-right'

/** What a key does to the buffer. */
export type Edit = Motion | Kill | Deletion | 'up' | 'down' | 'yank' | 'undo'

const motions: Record<Motion, (text: string, cursor: number) => number> = {
  left: before,
  right: after,
  'word-left': wordBefore,
  'word-right': wordAfter,
  'line-start': lineStart,
  'line-end': lineEnd,
  'text-start': () => 0,
  'text-end': (text) => text.length,
}

const kills: Record<Kill, Motion> = {
  'kill-word-left': 'word-left',
  'kill-word-right': 'word-right',
  'kill-to-start': 'line-start',
  'kill-to-end': 'line-end',
}

const deletions: Record<Deletion, Motion> = { 'delete-left': 'left', 'delete-right': 'right' }

/** All of them. */
export const edits: readonly Edit[] = [
  ...(Object.keys(motions) as Motion[]),
  ...(Object.keys(kills) as Kill[]),
  ...(Object.keys(deletions) as Deletion[]),
  'up',
  'down',
  'yank',
  'undo',
]

/** The buffer after an edit. */
export function edit(buffer: Buffer, name: Edit): Buffer {
  const { text, cursor } = buffer
  if (name in motions) {
    const moved = motions[name as Motion](text, cursor)
    return { ...buffer, cursor: moved, killing: false, goal: null }
  }
  if (name in kills) return kill(buffer, name as Kill)
  if (name in deletions) {
    return without(buffer, motions[deletions[name as Deletion]](text, cursor))
  }
  if (name === 'up' || name === 'down') return vertically(buffer, name)
  return name === 'yank' ? insert(buffer, buffer.killed) : undone(buffer)
}

function kill(buffer: Buffer, name: Kill): Buffer {
  const { text, cursor } = buffer
  const reached = motions[kills[name]](text, cursor)
  const isStuck = name === 'kill-to-end' && reached === cursor && cursor < text.length
  const to = isStuck ? cursor + 1 : reached
  if (to === cursor) return buffer
  const gone = text.slice(Math.min(to, cursor), Math.max(to, cursor))
  const earlier = buffer.killing ? buffer.killed : ''
  const killed = to < cursor ? gone + earlier : earlier + gone
  return { ...without(buffer, to), killed, killing: true }
}

function without(buffer: Buffer, to: number): Buffer {
  const { text, cursor } = buffer
  const [from, end] = to < cursor ? [to, cursor] : [cursor, to]
  if (from === end) return buffer
  const past = remembered(buffer)
  const left = text.slice(0, from) + text.slice(end)
  return { ...buffer, text: left, cursor: from, past, killing: false, goal: null }
}

/** The buffer with a text at the cursor; what would make it too long is left out. */
export function insert(buffer: Buffer, typed: string): Buffer {
  const { text, cursor } = buffer
  const even = typed.replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  const fits = even.slice(0, Math.max(0, textMax - text.length)).toWellFormed()
  if (fits === '') return { ...buffer, killing: false }
  const past = remembered(buffer)
  const put = text.slice(0, cursor) + fits + text.slice(cursor)
  return { ...buffer, text: put, cursor: cursor + fits.length, past, killing: false, goal: null }
}

function undone(buffer: Buffer): Buffer {
  const earlier = buffer.past.findLast(({ text }) => text !== buffer.text)
  if (earlier === undefined) return buffer
  const past = buffer.past.slice(0, buffer.past.lastIndexOf(earlier))
  return { ...buffer, ...earlier, past, killing: false, goal: null }
}

function vertically(buffer: Buffer, way: 'up' | 'down'): Buffer {
  const { text, cursor } = buffer
  const start = lineStart(text, cursor)
  const goal = buffer.goal ?? columnsOf(cleanText(text.slice(start, cursor)))
  const end = lineEnd(text, cursor)
  if (way === 'up' ? start === 0 : end === text.length) return buffer
  const from = way === 'up' ? lineStart(text, start - 1) : end + 1
  const line = text.slice(from, lineEnd(text, from))
  const column = before(line, after(line, cutTo(line, goal).length))
  const isEnd = columnsOf(cleanText(line)) <= goal
  return { ...buffer, cursor: from + (isEnd ? line.length : column), killing: false, goal }
}

/** Whether the cursor is on the first line, or the last. */
export function isAtEdge({ text, cursor }: Buffer, way: 'up' | 'down'): boolean {
  return way === 'up' ? lineStart(text, cursor) === 0 : lineEnd(text, cursor) === text.length
}

/** Earlier inputs, oldest first, and where in them one is. */
export interface History {
  entries: readonly string[]
  /** An index, or null at the end, in what is being typed. */
  at: number | null
  draft: string
}

const entriesMax = 500

/** What was typed before. */
export const history: {
  of(entries: readonly string[]): History
  add(history: History, text: string): History
  move(history: History, buffer: Buffer, way: 'up' | 'down'): { history: History; buffer: Buffer }
} = {
  of: (entries) => ({ entries: entries.slice(-entriesMax), at: null, draft: '' }),
  add({ entries }, text) {
    const others = entries.at(-1) === text ? entries.slice(0, -1) : entries
    return history.of([...others, text])
  },
  move(from, buffer, way) {
    const { entries, at, draft } = from
    const index = (at ?? entries.length) + (way === 'up' ? -1 : 1)
    if (index < 0 || index > entries.length || (at === null && way === 'down')) {
      return { history: from, buffer }
    }
    const typed = at === null ? buffer.text : draft
    const isEnd = index === entries.length
    const moved = { entries, at: isEnd ? null : index, draft: typed }
    return { history: moved, buffer: bufferOf(isEnd ? typed : entries[index]!, buffer) }
  },
}
