import { setAlarm } from '../base/clock.ts'
import { messageOf } from '../base/printing.ts'
import { EmbeddingFault } from './embedding.ts'
import {
  Backlog,
  type EmbeddingStatus,
  type EmbeddingsOptions,
  leaving,
  nextBatch,
  type Register,
  type SimilarOptions,
} from './embedding-backlog.ts'
import type { KeptVectors } from './vector-store.ts'
import { nearest, VectorTable } from './vectors.ts'

/** The vectors of the wanted model, and of the one that answers until then. */
class Models {
  readonly #kept: KeptVectors | null
  readonly wanted: string
  table: VectorTable | null
  before: { model: string; table: VectorTable } | null = null

  constructor(wanted: string, kept: KeptVectors | null) {
    this.wanted = wanted
    this.#kept = kept
    this.table = kept?.load(wanted) ?? null
    const other = kept?.models().find(({ model }) => model !== wanted)
    const table = other === undefined ? null : kept!.load(other.model)
    if (table !== null) this.before = { model: other!.model, table }
  }

  /** Whose vectors answer. */
  serving(): { model: string; table: VectorTable } | null {
    return this.before ?? (this.table === null ? null : { model: this.wanted, table: this.table })
  }

  add(hashes: readonly string[], vectors: readonly Float32Array[]): void {
    const dimension = vectors[0]?.length ?? 0
    this.table ??= new VectorTable(dimension)
    for (const vector of vectors) {
      if (vector.length === this.table.dimension && vector.every(Number.isFinite)) continue
      throw new EmbeddingFault('backend', `its vectors are not ${this.table.dimension} numbers`)
    }
    for (const [at, hash] of hashes.entries()) this.table.set(hash, vectors[at]!)
    this.#kept?.put(
      this.wanted,
      hashes.map((hash, at) => [hash, vectors[at]!] as const),
    )
  }

  /** The wanted model has all of the vectors that are used. */
  complete(used: ReadonlySet<string>): void {
    if (this.before !== null) this.#kept?.removeModel(this.before.model)
    this.before = null
    this.#tidy(used)
  }

  /** Forgets vectors whose text no note has any more, when they are many. */
  #tidy(used: ReadonlySet<string>): void {
    const unused = [...(this.table?.keys() ?? [])].filter((hash) => !used.has(hash))
    if (unused.length < unusedMin || unused.length < this.table!.size / 4) return
    for (const hash of unused) this.table!.delete(hash)
    this.#kept?.remove(this.wanted, unused)
  }
}

const unusedMin = 1_000

const restMs = 1_000
const restMaxMs = 300_000
const restAskedMaxMs = 3_600_000

/** The time after a failure in which nothing is tried. */
class Rest {
  readonly #given: EmbeddingsOptions
  #failures = 0
  #takeBack: (() => void) | null = null
  /** What went wrong last; null since something went well. */
  problem: string | null = null

  constructor(given: EmbeddingsOptions) {
    this.#given = given
  }

  get isOn(): boolean {
    return this.#takeBack !== null
  }

  begin(error: unknown, over: () => void): void {
    const { backend, clock, log } = this.#given
    const message = messageOf(error)
    if (message !== this.problem) log?.('warn', `embeddings by ${backend.name} rest: ${message}`)
    this.problem = message
    const asked = error instanceof EmbeddingFault ? (error.retryAfterMs ?? 0) : 0
    const doubled = Math.min(restMaxMs, restMs * 2 ** this.#failures++)
    this.#takeBack = setAlarm(clock, Math.max(doubled, Math.min(asked, restAskedMaxMs)), () => {
      this.#takeBack = null
      over()
    })
  }

  /** Something went well. */
  forget(): void {
    this.#failures = 0
    this.problem = null
  }

  end(): void {
    this.#takeBack?.()
  }
}

async function embedBatch(
  given: EmbeddingsOptions,
  models: Models,
  backlog: Backlog,
  batch: readonly { hash: string; text: string }[],
  signal: AbortSignal,
): Promise<void> {
  const { backend } = given
  const hashes = batch.map(({ hash }) => hash)
  const texts = batch.map(({ text }) => text)
  try {
    const vectors = await backend.embed(backend.model, texts, signal, 'note')
    if (vectors.length !== batch.length) {
      throw new EmbeddingFault('backend', `it made ${vectors.length} of ${batch.length} vectors`)
    }
    models.add(hashes, vectors)
  } catch (error) {
    const isText = error instanceof EmbeddingFault && error.code === 'text'
    if (!isText || models.table === null) throw error
    if (batch.length > 1) {
      const half = batch.length >> 1
      await embedBatch(given, models, backlog, batch.slice(0, half), signal)
      await embedBatch(given, models, backlog, batch.slice(half), signal)
      return
    }
    backlog.refused.add(hashes[0]!)
  }
  backlog.settle(hashes)
}

/** The vectors of a store's notes. */
export class Embeddings {
  readonly #given: EmbeddingsOptions
  readonly #models: Models
  readonly #backlog: Backlog
  readonly #questions: Questions
  readonly #rest: Rest
  readonly #stopped = new AbortController()
  /** How much its answers are worth beside the words. */
  readonly trust: number
  #working: Promise<void> | null = null

  constructor(options: EmbeddingsOptions) {
    this.#given = options
    this.#models = new Models(options.backend.model, options.kept ?? null)
    this.#backlog = new Backlog(options, (hash) => this.#models.table?.has(hash) === true)
    this.#questions = new Questions(options, this.#stopped.signal)
    this.#rest = new Rest(options)
    this.trust = options.backend.trust
  }

  /** Works off what has changed, unless it rests. Resolves when it rests or is done; never rejects. */
  wake(): Promise<void> {
    if (this.#stopped.signal.aborted || this.#rest.isOn) return Promise.resolve()
    this.#working ??= this.#work().finally(() => {
      this.#working = null
    })
    return this.#working
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopped
    try {
      while (this.#backlog.read()) await nextTurn()
      while (!signal.aborted && (await this.#step())) await nextTurn()
    } catch (error) {
      if (!signal.aborted) this.#rest.begin(error, () => void this.wake())
    }
  }

  /** One batch; false when nothing is left. */
  async #step(): Promise<boolean> {
    const { signal } = this.#stopped
    const batch = nextBatch(this.#given, this.#backlog)
    if (batch.length > 0) {
      await embedBatch(this.#given, this.#models, this.#backlog, batch, signal)
    }
    this.#rest.forget()
    if (this.#backlog.read() || this.#backlog.pending.size > 0) return true
    this.#models.complete(new Set(this.#backlog.register.hashes()))
    return false
  }

  /** Ends what is under way; nothing more is done. */
  stop(): void {
    this.#stopped.abort()
    this.#rest.end()
  }

  /** The ids of the notes nearest in meaning, the nearest first. Never rejects. */
  similar(question: string, options: SimilarOptions = {}): Promise<string[]> {
    const { register } = this.#backlog
    return this.#questions.similar(question, options, this.#models.serving(), register)
  }

  /** How far it has come. */
  status(): EmbeddingStatus {
    return statusOf(this.#given, this.#models, this.#backlog, this.#rest.problem)
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function statusOf(
  { backend }: EmbeddingsOptions,
  models: Models,
  { pending, refused, register }: Backlog,
  problem: string | null,
): EmbeddingStatus {
  return {
    backend: backend.name,
    model: backend.model,
    dimension: models.table?.dimension ?? null,
    serving: models.serving()?.model ?? null,
    vectors: models.table?.size ?? 0,
    pending: pending.size,
    stale: register.staleCount(),
    refused: refused.size,
    problem,
  }
}

const answerMaxMs = 2_000
const questionsMax = 64
const questionCharsMax = 2_000

/** Vectors for questions, and what is near them. */
class Questions {
  readonly #given: EmbeddingsOptions
  readonly #stopped: AbortSignal
  readonly #known = new Map<string, Float32Array>()

  constructor(given: EmbeddingsOptions, stopped: AbortSignal) {
    this.#given = given
    this.#stopped = stopped
  }

  async similar(
    question: string,
    options: SimilarOptions,
    serving: { model: string; table: VectorTable } | null,
    register: Register,
  ): Promise<string[]> {
    if (serving === null) return []
    const { limit = 50, privacy = 'open', within, instead = [] } = options
    const isClosed = privacy === 'owner' && this.#given.backend.isRemote
    const own = isClosed ? null : await this.#vectorOf(question, serving.model)
    const query = own ?? middleOf(instead, serving.table, register)
    if (query === null) return []
    const mayShow = (id: string) => {
      const object = this.#given.store.get(id)
      if (object === null || (object.private && privacy !== 'owner')) return false
      return within?.(object) ?? true
    }
    const owners = (hash: string) =>
      [...register.ownersOf(hash)].filter(
        (id) => register.entry(id)!.serving.includes(hash) && mayShow(id),
      )
    const near = nearest(serving.table, query, 2 * limit, (hash) => owners(hash).length > 0)
    return [...new Set(near.flatMap(({ key }) => owners(key).sort()))].slice(0, limit)
  }

  async #vectorOf(question: string, model: string): Promise<Float32Array | null> {
    const { backend, clock, log } = this.#given
    const whole = question.trim().slice(0, questionCharsMax).toWellFormed()
    const text = leaving(this.#given, whole)
    const name = `${model}\u0000${text}`
    const known = this.#known.get(name)
    if (known !== undefined || text === '') return known ?? null
    const late = new AbortController()
    const takeBack = setAlarm(clock, answerMaxMs, () => late.abort())
    try {
      const signal = AbortSignal.any([late.signal, this.#stopped])
      const [vector] = await withEnd(backend.embed(model, [text], signal, 'question'), signal)
      if (vector === undefined) return null
      if (this.#known.size >= questionsMax) this.#known.delete(this.#known.keys().next().value!)
      this.#known.set(name, vector)
      return vector
    } catch (error) {
      log?.('debug', `no vector for a question: ${messageOf(error)}`)
      return null
    } finally {
      takeBack()
    }
  }
}

function withEnd<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new EmbeddingFault('backend', 'it took too long'))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** The middle of the notes' vectors; null when none of them has one. */
function middleOf(
  ids: readonly string[],
  table: VectorTable,
  register: Register,
): Float32Array | null {
  const sum = new Float32Array(table.dimension)
  let count = 0
  for (const hash of ids.flatMap((id) => register.entry(id)?.serving ?? [])) {
    const vector = table.get(hash)
    if (vector === null) continue
    for (let at = 0; at < sum.length; at++) sum[at]! += vector[at]!
    count++
  }
  return count === 0 ? null : sum
}
