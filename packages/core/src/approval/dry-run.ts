import { applyPatches } from 'org-ast/edit'
import { diffOf } from '../base/line-diff.ts'
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

/** What a rehearsal exchanges in a runtime. */
interface Rehearsable {
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
interface Rehearsed<Runtime> {
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
