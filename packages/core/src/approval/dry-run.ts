import { applyPatches } from 'org-ast/edit'
import { type LineStep, lineDiff } from '../base/line-diff.ts'
import type { Log } from '../base/log-file.ts'
import type { Signal } from '../contract/signal.ts'
import { type Memex, MemexError } from '../memex/memex.ts'
import { ObjectStore } from '../memory/store.ts'

function rehearsalMemex(memex: Memex, written: Map<string, string>): Memex {
  const read = (path: string) => written.get(path) ?? memex.read(path)
  return {
    dir: memex.dir,
    files: () => [...new Set([...memex.files(), ...written.keys()])].sort(),
    has: (path) => written.has(path) || memex.has(path),
    unread: () => memex.unread(),
    stamp: (path) => (written.has(path) ? `rehearsal ${read(path).length}` : memex.stamp(path)),
    read,
    setup: (path) => memex.setup(path),
    patch(path, baseText, patches) {
      if (read(path) !== baseText) {
        throw new MemexError('changed-underneath', path, `${path} was changed in the meantime`)
      }
      written.set(path, applyPatches(baseText, patches))
    },
    mustBeFree: () => {},
    mustBeVacant: (path) => memex.mustBeVacant(path),
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

/** The difference between two texts of a file, in the unified form. Empty when there is none. */
export function diffOf(path: string, before: string, after: string): string {
  if (before === after) return ''
  const steps = lineDiff(`${before}\n`, `${after}\n`)
  return [`--- ${path}`, `+++ ${path}`, ...piecesOf(steps)].join('\n')
}

function piecesOf(steps: readonly LineStep[]): string[] {
  const isShown = new Uint8Array(steps.length)
  for (const [at, { kind }] of steps.entries()) {
    if (kind !== 'same') isShown.fill(1, Math.max(0, at - around), at + around + 1)
  }
  const lines: string[] = []
  const next = { old: 1, now: 1 }
  let piece: LineStep[] = []
  for (const [at, step] of steps.entries()) {
    if (isShown[at] === 1) piece.push(step)
    else {
      lines.push(...pieceLines(piece, next))
      piece = []
      next.old++
      next.now++
    }
  }
  return [...lines, ...pieceLines(piece, next)]
}

const signs = { same: ' ', out: '-', in: '+' }

function pieceLines(piece: readonly LineStep[], next: { old: number; now: number }): string[] {
  if (piece.length === 0) return []
  const old = piece.filter(({ kind }) => kind !== 'in').length
  const now = piece.filter(({ kind }) => kind !== 'out').length
  const head = `@@ -${next.old},${old} +${next.now},${now} @@`
  next.old += old
  next.now += now
  return [head, ...piece.map(({ kind, line }) => `${signs[kind]}${line.slice(0, -1)}`)]
}

/** What a rehearsal exchanges in a runtime. */
export interface Rehearsable {
  memex: Memex
  store: ObjectStore
  reply(signal: Signal): void
  log: Log
}

/** What a tool is called with, besides its arguments. */
interface Call<Runtime> {
  runtime: Runtime
  signal: Signal
  abort: AbortSignal
}

/** What a rehearsal needs of a tool that is handed such a runtime. */
export interface Rehearsed<Runtime> {
  readOnly: boolean
  reach?: 'notes' | 'elsewhere'
  guard?(args: Record<string, unknown>, call: Call<Runtime>): string | null
  run(args: Record<string, unknown>, call: Call<Runtime>): Promise<{ status: string }>
}

/** What a call of the tool would change in the notes, as a diff; null when it cannot be said. */
export async function rehearse<Runtime extends Rehearsable>(
  tool: Rehearsed<Runtime>,
  args: Record<string, unknown>,
  { runtime, signal, abort }: Call<Runtime>,
): Promise<string | null> {
  if (tool.reach !== 'notes' || tool.readOnly) return null
  const written = new Map<string, string>()
  const store = new ObjectStore()
  store.restore(runtime.store.snapshot())
  const memex = rehearsalMemex(runtime.memex, written)
  const quiet = { ...runtime, memex, store, reply: () => {}, log: () => {} }
  if ((tool.guard?.(args, { runtime: quiet, signal, abort }) ?? null) !== null) return null
  const result = await tool.run(args, { runtime: quiet, signal, abort })
  if (result.status === 'error') return null
  const known = new Set(runtime.memex.files())
  const diffs = [...written].map(([path, after]) =>
    diffOf(path, known.has(path) ? runtime.memex.read(path) : '', after),
  )
  return diffs.filter(Boolean).join('\n') || null
}
