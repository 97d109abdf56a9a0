import { estimateTokens } from '../contract/provider.ts'
import type { MemoryObject } from '../memory/memory-object.ts'
import { type Sight, sightOf } from '../memory/private-view.ts'
import type { ObjectStore } from '../memory/store.ts'
import type { Embeddings } from './embeddings.ts'
import { type Counts, countsOf, dayNumber, linkDistances, outlineOf, worthOf } from './outline.ts'
import { type RetrieveOptions, retrieve, retrieveHybrid } from './retrieval.ts'

class Sheet {
  readonly #store: ObjectStore
  readonly #sight: Sight
  readonly #count: (text: string) => number
  readonly #texts = new Map<string, string>()
  readonly #costs = new Map<string, number>()
  readonly shown: MemoryObject[] = []
  left: number

  constructor(store: ObjectStore, count: (text: string) => number, budget: number) {
    this.#store = store
    this.#sight = sightOf(store)
    this.#count = count
    this.left = budget
  }

  text(id: string): string | undefined {
    return this.#texts.get(id)
  }

  cost(text: string): number {
    return this.#count(`${text}\n`)
  }

  /** True when it fitted, leaving `spare` untouched. */
  put(object: MemoryObject, text: string, spare = 0): boolean {
    const added = [{ object, text }]
    for (const above of this.#missingAbove(object)) {
      added.push({ object: above, text: this.title(above) })
    }
    const costs = added.map((one) => this.cost(one.text))
    const before = this.#costs.get(object.id) ?? 0
    const cost = costs.reduce((sum, one) => sum + one, -before)
    if (cost > this.left - spare) return false
    this.left -= cost
    for (const [at, one] of added.entries()) {
      if (!this.#texts.has(one.object.id)) this.shown.push(one.object)
      this.#texts.set(one.object.id, one.text)
      this.#costs.set(one.object.id, costs[at]!)
    }
    return true
  }

  *#missingAbove(object: MemoryObject): Generator<MemoryObject> {
    let at = object.parent === null ? null : this.#store.get(object.parent)
    while (at !== null && !this.#texts.has(at.id)) {
      yield at
      at = at.parent === null ? null : this.#store.get(at.parent)
    }
  }

  title(object: MemoryObject): string {
    return titleLine(object, this.#sight.text(object.title, object.file))
  }

  described(object: MemoryObject): string {
    return withProperties(this.title(object), this.#sight.shown(object))
  }

  full(object: MemoryObject): string {
    return inFull(this.title(object), this.#sight.shown(object))
  }
}

function titleLine({ file, level, todo, type }: MemoryObject, title: string): string {
  if (type === 'file') return `# ${file}: ${clipped(title)}`
  const words = ['*'.repeat(level), todo, clipped(title)]
  return words.filter((word) => word !== null).join(' ')
}

function withProperties(title: string, { attributes }: MemoryObject): string {
  const lines = Object.entries(attributes).map(([key, value]) => `:${key}: ${clipped(value)}`)
  return [title, ':PROPERTIES:', ...lines, ':END:'].join('\n')
}

function inFull(title: string, { content }: MemoryObject): string {
  const text = content.replace(/^(?:[ \t\r]*\n)+/, '').trimEnd()
  return text === '' ? title : `${title}\n${text}`
}

function clipped(words: string): string {
  return words.length > 120 ? `${words.slice(0, 119).toWellFormed()}…` : words
}

/** What the context should be about. */
interface ContextOptions {
  /** Words of the question; notes that fit them come in full. */
  question?: string
  /** The most tokens; 3,000 by default. */
  tokensMax?: number
  /** What a text costs; an upper bound by default. */
  count?: (text: string) => number
  /** Ids of notes that fit the question, the best first; by its words when absent. */
  fitting?: readonly string[]
  /** Such as 2026-11-21; without it no note is recent. */
  today?: string
  /** Whether a note is in the scope of the session; all are when absent. */
  within?: ((note: MemoryObject) => boolean) | null
}

const fullMax = 12

/** A sparse Org outline of the store around the object `focus`, or of no place in particular. */
export function assembleContext(
  store: ObjectStore,
  focus: string | null,
  options: ContextOptions = {},
): string {
  return withinBudget(store, focus, options)?.text ?? ''
}

interface Assembled {
  text: string
  sheet: Sheet
  /** Ids of the notes that fitted the question, the best first. */
  fitting: readonly string[]
}

function withinBudget(
  store: ObjectStore,
  focus: string | null,
  options: ContextOptions,
): Assembled | null {
  const { count = estimateTokens, question = '', tokensMax = 3_000, within = null } = options
  const fitting = options.fitting ?? fittingByWords(store, question, { focus, within })
  for (let budget = tokensMax; budget > 0; ) {
    const made = assembled(store, focus, { ...options, count, tokensMax: budget }, fitting)
    const surplus = count(made.text) - tokensMax
    if (surplus <= 0) return { ...made, fitting }
    budget -= Math.max(surplus, Math.ceil(budget / 10))
  }
  return null
}

function assembled(
  store: ObjectStore,
  focus: string | null,
  options: ContextOptions & { count: (text: string) => number; tokensMax: number },
  fitting: readonly string[],
): { text: string; sheet: Sheet } {
  const outline = outlineOf(store)
  const sheet = new Sheet(store, options.count, options.tokensMax)
  const spare = Math.floor(options.tokensMax / 4)
  const counts = options.within ? countsOf(outline.notes.filter(options.within)) : outline.counts
  const lastLine = sheet.cost(leftOut(counts, { files: 0, headlines: 0, open: 0 }))
  const isSaid = lastLine <= spare
  if (isSaid) sheet.left -= lastLine
  const foveal = visibleNote(store, focus)
  if (foveal !== null) putFoveal(sheet, outline.parts.get(foveal.file)?.notes ?? [], foveal, spare)
  const within = options.within ?? (() => true)
  const found = fitting.flatMap((id) => visibleNote(store, id) ?? []).filter(within)
  for (const object of found.slice(0, fullMax)) sheet.put(object, sheet.full(object), spare)
  const distances = foveal === null ? new Map() : linkDistances(store, outline, foveal)
  const today = options.today === undefined ? null : dayNumber(options.today)
  const { order, urgent } = worthOf(outline, { focus: foveal, distances, fitting: found, today })
  const isIn = (at: number) => within(outline.notes[at]!)
  const inScope = options.within ? order.filter(isIn) : order
  const urgentIn = options.within ? order.subarray(0, urgent).filter(isIn).length : urgent
  putOutline(sheet, outline.notes, inScope, urgentIn)
  return { text: onPaper(sheet, isSaid ? counts : null), sheet }
}

function visibleNote(store: ObjectStore, id: string | null): MemoryObject | null {
  const object = id === null ? null : store.get(id)
  return object?.private === false ? object : null
}

function onPaper(sheet: Sheet, all: Counts | null): string {
  const shown = [...sheet.shown].sort(inStoreOrder)
  const lines = shown.map(({ id }) => sheet.text(id)!)
  const counts = countsOf(shown)
  const isAll = all?.files === counts.files && all.headlines === counts.headlines
  return (all === null || isAll ? lines : [...lines, leftOut(all, counts)]).join('\n')
}

function inStoreOrder(a: MemoryObject, b: MemoryObject): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.begin - b.begin || a.level - b.level
}

function leftOut(all: Counts, shown: Counts): string {
  const part = (kind: keyof Counts, name: string) =>
    `${all[kind] - shown[kind]} of ${all[kind]} ${name}`
  return `# Not shown: ${part('files', 'files')}, ${part('headlines', 'headlines')}, ${part('open', 'open tasks')}.`
}

function putOutline(
  sheet: Sheet,
  notes: readonly MemoryObject[],
  order: Uint32Array,
  urgent: number,
): void {
  const putTitle = (object: MemoryObject) =>
    sheet.text(object.id) !== undefined || sheet.put(object, sheet.title(object))
  const isShelf = ({ level }: MemoryObject) => level <= 2
  for (const at of order.subarray(0, urgent)) if (!putTitle(notes[at]!)) return
  for (const at of order) if (isShelf(notes[at]!) && !putTitle(notes[at]!)) return
  for (const at of order) {
    const object = notes[at]!
    const isBare = isShelf(object) && sheet.text(object.id) === sheet.title(object)
    if (!isBare || Object.keys(object.attributes).length === 0) continue
    if (!sheet.put(object, sheet.described(object))) return
  }
  for (const at of order) if (!putTitle(notes[at]!)) return
}

function putFoveal(
  sheet: Sheet,
  notes: readonly MemoryObject[],
  foveal: MemoryObject,
  spare: number,
): void {
  const title = sheet.title(foveal)
  sheet.put(foveal, title)
  const text = sheet.full(foveal)
  if (!sheet.put(foveal, text, spare)) {
    const part = cut(text, sheet.left - spare + sheet.cost(title), (one) => sheet.cost(one))
    if (part.startsWith(`${title}\n`)) sheet.put(foveal, part, spare)
  }
  for (const object of notes) {
    const isInside = object.begin >= foveal.begin && object.end <= foveal.end
    if (isInside && object.level > foveal.level) sheet.put(object, sheet.full(object), spare)
  }
}

function cut(text: string, budget: number, cost: (line: string) => number): string {
  const mark = '[…]'
  const lines = text.split('\n')
  let left = budget - cost(mark)
  const end = lines.findIndex((line) => {
    left -= cost(line)
    return left < 0
  })
  return [...lines.slice(0, Math.max(0, end)), mark].join('\n')
}

const questionMax = 2_000
const fittingMax = 30

/** Ids of the notes that fit a question by its words, the best first. */
export function fittingByWords(
  store: ObjectStore,
  question: string,
  place: Place,
): readonly string[] {
  const words = question.slice(0, questionMax).toWellFormed()
  return retrieve(store, words, fittingOptions(place)).map(({ object }) => object.id)
}

/** Where somebody asks: at which note, and among which. */
type Place = Pick<ContextOptions, 'within'> & { focus: string | null }

function fittingOptions({ focus, within }: Place): RetrieveOptions {
  const options = { focus, limit: fittingMax }
  return within ? { ...options, within } : options
}

/** Ids of the notes that fit a question by words, links and meaning, the best first. */
export async function fittingNotes(
  store: ObjectStore,
  embeddings: Embeddings | null,
  question: string,
  place: Place,
): Promise<readonly string[]> {
  if (embeddings === null) return fittingByWords(store, question, place)
  const words = question.slice(0, questionMax).toWellFormed()
  const hits = await retrieveHybrid(store, embeddings, words, fittingOptions(place))
  return hits.map(({ object }) => object.id)
}

/** Where a note was in a context, and why. */
export interface ContextPlace {
  /** `part` is a focus that was too long; `properties` and `title` are lines of the outline. */
  shown: 'full' | 'part' | 'properties' | 'title' | 'absent'
  why: 'focus' | 'below-focus' | 'fits' | 'outline' | 'private' | 'scope' | 'budget' | 'unknown'
  /** Its place among the notes that fitted the question, from 1; null when it did not fit. */
  rank: number | null
  /** How many notes fitted, and how many of these may come in full. */
  fitting: number
  fullMax: number
  /** What the context cost, and what it may. */
  tokens: number
  tokensMax: number
  /** What the note would cost in full; 0 for one that is not shown to anybody. */
  cost: number
}

/** Why a note would be in the context of these options, or would not. */
export function explainContext(
  store: ObjectStore,
  focus: string | null,
  id: string,
  options: ContextOptions = {},
): ContextPlace {
  const { count = estimateTokens, tokensMax = 3_000, within } = options
  const made = withinBudget(store, focus, options)
  const object = store.get(id)
  const at = made?.fitting.indexOf(id) ?? -1
  const place = {
    rank: at < 0 ? null : at + 1,
    fitting: made?.fitting.length ?? 0,
    fullMax,
    tokens: count(made?.text ?? ''),
    tokensMax,
    cost: 0,
  }
  if (object === null) return { ...place, shown: 'absent', why: 'unknown' }
  if (object.private) return { ...place, rank: null, shown: 'absent', why: 'private' }
  if (within && !within(object)) return { ...place, shown: 'absent', why: 'scope' }
  if (made === null) return { ...place, shown: 'absent', why: 'budget' }
  const { sheet } = made
  const full = sheet.full(object)
  const shown = sheet.text(id)
  const cost = sheet.cost(full)
  if (shown === undefined) return { ...place, cost, shown: 'absent', why: 'budget' }
  return {
    ...place,
    cost,
    shown: formOf(sheet, object, shown),
    why: reasonFor(store, focus, object, at),
  }
}

function formOf(sheet: Sheet, object: MemoryObject, text: string): ContextPlace['shown'] {
  if (text === sheet.full(object)) return 'full'
  if (text === sheet.title(object)) return 'title'
  return text === sheet.described(object) ? 'properties' : 'part'
}

function reasonFor(
  store: ObjectStore,
  focus: string | null,
  { begin, end, file, id }: MemoryObject,
  at: number,
): ContextPlace['why'] {
  const foveal = visibleNote(store, focus)
  if (foveal?.id === id) return 'focus'
  const isInside = foveal?.file === file && begin >= foveal.begin && end <= foveal.end
  if (isInside) return 'below-focus'
  return at >= 0 && at < fullMax ? 'fits' : 'outline'
}
