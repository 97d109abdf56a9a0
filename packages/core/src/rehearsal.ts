import { applyPatches } from 'org-ast/edit'
import { type Memex, MemexError } from './memex.ts'
import type { Runtime } from './runtime.ts'
import { ObjectStore } from './store.ts'
import type { Tool, ToolContext } from './tool.ts'

function rehearsalMemex(memex: Memex, written: Map<string, string>): Memex {
  const read = (path: string) => written.get(path) ?? memex.read(path)
  return {
    dir: memex.dir,
    files: () => [...new Set([...memex.files(), ...written.keys()])].sort(),
    stamp: (path) => (written.has(path) ? `rehearsal ${read(path).length}` : memex.stamp(path)),
    read,
    patch(path, baseText, patches) {
      if (read(path) !== baseText) {
        throw new MemexError('changed-underneath', path, `${path} was changed in the meantime`)
      }
      written.set(path, applyPatches(baseText, patches))
    },
    create(path, text) {
      if (written.has(path) || memex.files().includes(path)) {
        throw new MemexError('unwritable', path, `${path} was not made: there is one`)
      }
      if (!path.endsWith('.org')) throw new MemexError('outside', path, `${path} is not a note`)
      written.set(path, text)
    },
  }
}

const around = 3
const alikeMax = 400_000

interface Piece {
  begin: number
  end: number
  lines: string[]
}

function piecesOf(before: string[], after: string[]): Piece[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const [old, now] = [
    before.slice(head, before.length - tail),
    after.slice(head, after.length - tail),
  ]
  const stretch = longestAlike(old, now)
  if (stretch === null) return [{ begin: head, end: head + old.length, lines: now }]
  const [at, to, length] = stretch
  const first = piecesOf(old.slice(0, at), now.slice(0, to))
  const rest = piecesOf(old.slice(at + length), now.slice(to + length))
  const moved = ({ begin, end, lines }: Piece, by: number) => ({
    begin: begin + by,
    end: end + by,
    lines,
  })
  return [
    ...first.map((piece) => moved(piece, head)),
    ...rest.map((piece) => moved(piece, head + at + length)),
  ]
}

function longestAlike(old: string[], now: string[]): [number, number, number] | null {
  if (old.length * now.length > alikeMax) return null
  let best: [number, number, number] = [0, 0, 0]
  let row = new Uint32Array(now.length + 1)
  for (let at = 0; at < old.length; at++) {
    const next = new Uint32Array(now.length + 1)
    for (let to = 0; to < now.length; to++) {
      if (old[at] !== now[to]) continue
      const length = row[to]! + 1
      next[to + 1] = length
      if (length > best[2]) best = [at - length + 1, to - length + 1, length]
    }
    row = next
  }
  return best[2] > 2 * around ? best : null
}

/** The difference between two texts of a file, in the unified form. Empty when there is none. */
export function diffOf(path: string, before: string, after: string): string {
  if (before === after) return ''
  const old = before.split('\n')
  const lines = [`--- ${path}`, `+++ ${path}`]
  let shift = 0
  for (const { begin, end, lines: now } of piecesOf(old, after.split('\n'))) {
    const [from, to] = [Math.max(0, begin - around), Math.min(old.length, end + around)]
    const width = to - from - (end - begin) + now.length
    lines.push(`@@ -${from + 1},${to - from} +${from + 1 + shift},${width} @@`)
    lines.push(...old.slice(from, begin).map((line) => ` ${line}`))
    lines.push(...old.slice(begin, end).map((line) => `-${line}`))
    lines.push(...now.map((line) => `+${line}`))
    lines.push(...old.slice(end, to).map((line) => ` ${line}`))
    shift += now.length - (end - begin)
  }
  return lines.join('\n')
}

/** What a call of the tool would change in the notes, as a diff; null when it cannot be said. */
export async function rehearse(
  tool: Tool,
  args: Record<string, unknown>,
  { runtime, signal, abort }: ToolContext,
): Promise<string | null> {
  if (tool.reach !== 'notes' || tool.readOnly) return null
  const written = new Map<string, string>()
  const store = new ObjectStore()
  store.restore(runtime.store.snapshot())
  const memex = rehearsalMemex(runtime.memex, written)
  const quiet: Runtime = { ...runtime, memex, store, reply: () => {}, log: () => {} }
  if ((tool.guard?.(args, { runtime: quiet, signal, abort }) ?? null) !== null) return null
  const result = await tool.run(args, { runtime: quiet, signal, abort })
  if (result.status === 'error') return null
  const known = new Set(runtime.memex.files())
  const diffs = [...written].map(([path, after]) =>
    diffOf(path, known.has(path) ? runtime.memex.read(path) : '', after),
  )
  return diffs.filter(Boolean).join('\n') || null
}
