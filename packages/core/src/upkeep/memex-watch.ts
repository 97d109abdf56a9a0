import { readFileSync, type Stats } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { type Ignore, parseIgnore } from '../base/ignore.ts'
import { messageOf } from '../base/printing.ts'
import { forgetFile, ingestChanged, ingestMemex, remember } from '../pipeline/ingest.ts'
import type { Runtime } from '../pipeline/runtime.ts'

/** The files that may have changed, or that anything may have. */
export type Changed = ReadonlySet<string> | 'anything'

const hintsMax = 64

/** Gathers hints until the moment is over; what `later` is given is run then. */
export class Gathered {
  readonly #tell: (changed: Changed) => void
  readonly #later: (run: () => void) => void
  #changed: Set<string> | 'anything' | null = null

  constructor(tell: (changed: Changed) => void, later: (run: () => void) => void) {
    this.#tell = tell
    this.#later = later
  }

  /** Takes a hint about one file, or about everything. */
  add(path: string | null): void {
    if (this.#changed === null) this.#later(() => this.#over())
    const changed = this.#changed ?? new Set()
    if (path === null || changed === 'anything') this.#changed = 'anything'
    else this.#changed = changed.add(path).size > hintsMax ? 'anything' : changed
  }

  #over(): void {
    const changed = this.#changed
    this.#changed = null
    if (changed !== null) this.#tell(changed)
  }
}

/** A watch over a folder. */
interface MemexWatch {
  /** Resolves when whatever changes from then on is seen. */
  ready: Promise<void>
  /** Ends it. Nothing is told afterwards. */
  close(): Promise<void>
}

const momentMs = 10
const quietMs = [300, 3_000]
const patternsFile = '.passepartoutignore'

/** Tells what may have changed in a folder, whose path has no links in it. */
export function watchFolder(
  dir: string,
  tell: (changed: Changed) => void,
  problem: (message: string) => void,
): MemexWatch {
  let isOpen = true
  const told = new Gathered(
    (changed) => isOpen && tell(changed),
    (over) => setTimeout(over, momentMs).unref(),
  )
  const doubt = new Doubt(() => told.add(null))
  let watcher = begun()
  function begun(): FSWatcher {
    const next = watch(dir, {
      ignoreInitial: true,
      followSymlinks: false,
      persistent: false,
      ignored: notWatched(dir),
    })
    next.on('all', (event, file) => {
      const path = relative(dir, file).split(sep).join('/')
      told.add(event.endsWith('Dir') || path === patternsFile ? null : path)
      if (event !== 'change') doubt.arise()
      if (path === patternsFile) void beginAgain(next)
    })
    next.on('ready', () => told.add(null))
    next.on('error', (error) => problem(messageOf(error)))
    return next
  }
  async function beginAgain(old: FSWatcher): Promise<void> {
    await old.close()
    if (isOpen && watcher === old) watcher = begun()
  }
  const ready = new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
  const close = () => {
    isOpen = false
    doubt.end()
    return watcher.close()
  }
  return { ready, close }
}

class Doubt {
  readonly #look: () => void
  #timers: NodeJS.Timeout[] = []

  constructor(look: () => void) {
    this.#look = look
  }

  arise(): void {
    this.end()
    this.#timers = quietMs.map((ms) => setTimeout(this.#look, ms).unref())
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

function notWatched(dir: string): (file: string, stats?: Stats) => boolean {
  const isIgnored = patternsOf(dir)
  return (file, stats) => {
    const path = relative(dir, file).split(sep).join('/')
    if (path === '' || path === patternsFile) return false
    if (path.split('/').some((part) => part.startsWith('.'))) return true
    if (stats === undefined) return false
    const isNote = stats.isFile() && path.endsWith('.org')
    return !(isNote || stats.isDirectory()) || isIgnored(path, stats.isDirectory())
  }
}

function patternsOf(dir: string): Ignore {
  try {
    return parseIgnore(readFileSync(join(dir, patternsFile), 'utf8'))
  } catch {
    return () => false
  }
}

/** Looks at these files only; returns how many were read. Never throws. */
export function ingestPaths(runtime: Runtime, changed: Changed): number {
  const { memex, store } = runtime
  try {
    if (changed === 'anything') return ingestMemex(runtime)
    const known = store.snapshot().files
    const present = [...changed].filter((path) => memex.has(path))
    for (const path of changed) {
      if (known.get(path) !== undefined && !present.includes(path)) forgetFile(runtime, path)
    }
    const read = present.filter((path) => ingestChanged(runtime, path))
    remember(runtime)
    return read.length
  } catch (error) {
    const why = messageOf(error)
    runtime.log('warn', `the memex was not read: ${why}`)
    return 0
  }
}

/** Keeps the store in step with the files; `seen` is called after each look. */
export function followMemex(
  runtime: Runtime,
  seen: (changed: Changed) => void = () => {},
): MemexWatch {
  const said = new Set<string>()
  return watchFolder(
    runtime.memex.dir,
    (changed) => {
      ingestPaths(runtime, changed)
      seen(changed)
    },
    (message) => {
      if (!said.has(message)) {
        runtime.log('warn', `the memex is not watched whole: ${message}`)
      }
      said.add(message)
    },
  )
}
