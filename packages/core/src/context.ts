import type { MemoryObject, ObjectStore } from './store.ts'

const quarters = 4

function costOf(text: string): number {
  let cost = 1
  for (let index = 0; index < text.length; index++) cost += costOfUnit(text, index)
  return cost
}

function costOfUnit(text: string, index: number): number {
  return text.charCodeAt(index) < 128 ? 1 : quarters
}

class Sheet {
  readonly #store: ObjectStore
  readonly #texts = new Map<string, string>()
  /** In quarters of a token. */
  left: number

  constructor(store: ObjectStore, budget: number) {
    this.#store = store
    this.left = budget
  }

  text(id: string): string | undefined {
    return this.#texts.get(id)
  }

  /** True when it fitted, leaving `spare` untouched. */
  put(object: MemoryObject, text: string, spare = 0): boolean {
    const added = new Map([[object.id, text]])
    for (const above of this.#missingAbove(object)) added.set(above.id, titleLine(above))
    const old = this.#texts.get(object.id)
    let cost = old === undefined ? 0 : -costOf(old)
    for (const part of added.values()) cost += costOf(part)
    if (cost > this.left - spare) return false
    this.left -= cost
    for (const [id, part] of added) this.#texts.set(id, part)
    return true
  }

  *#missingAbove(object: MemoryObject): Generator<MemoryObject> {
    let at = object.parent === null ? null : this.#store.get(object.parent)
    while (at !== null && !this.#texts.has(at.id)) {
      yield at
      at = at.parent === null ? null : this.#store.get(at.parent)
    }
  }
}

function titleLine(object: MemoryObject): string {
  if (object.type === 'file') return `# ${object.file}: ${clipped(object.title)}`
  const words = ['*'.repeat(object.level), object.todo, clipped(object.title)]
  return words.filter((word) => word !== null).join(' ')
}

function withProperties(object: MemoryObject): string {
  const lines = Object.entries(object.attributes).map(
    ([key, value]) => `:${key}: ${clipped(value)}`,
  )
  return [titleLine(object), ':PROPERTIES:', ...lines, ':END:'].join('\n')
}

function inFull(object: MemoryObject): string {
  const content = object.content.replace(/^(?:[ \t\r]*\n)+/, '').trimEnd()
  return content === '' ? titleLine(object) : `${titleLine(object)}\n${content}`
}

function clipped(words: string): string {
  return words.length > 120 ? `${words.slice(0, 119).toWellFormed()}…` : words
}

/** What the context should be about. */
export interface ContextOptions {
  /** Words of the question; notes that contain them come in full. */
  question?: string
  /** The most tokens, by an estimate on the high side; 3,000 by default. */
  tokensMax?: number
}

/** A sparse Org outline of the store around the object `focus`, or of no place in particular. */
export function assembleContext(
  store: ObjectStore,
  focus: string | null,
  options: ContextOptions = {},
): string {
  const budget = (options.tokensMax ?? 3_000) * quarters
  const sheet = new Sheet(store, budget)
  const visible = [...store.objects()].filter((object) => !object.private)
  const foveal = visible.find(({ id }) => id === focus)
  if (foveal !== undefined) putFoveal(sheet, visible, foveal, budget / 4)
  for (const object of ranked(visible, options.question ?? '')) {
    sheet.put(object, inFull(object), budget / 4)
  }
  putOutline(sheet, visible)
  return visible.flatMap(({ id }) => sheet.text(id) ?? []).join('\n')
}

function putOutline(sheet: Sheet, visible: readonly MemoryObject[]): void {
  const isBare = (object: MemoryObject) =>
    [undefined, titleLine(object)].includes(sheet.text(object.id))
  const byLevel = visible.filter(isBare).sort((a, b) => a.level - b.level)
  const shelves = byLevel.filter(({ level }) => level <= 2)
  const described = shelves.filter(({ attributes }) => Object.keys(attributes).length > 0)
  if (!shelves.every((object) => sheet.put(object, titleLine(object)))) return
  if (!described.every((object) => sheet.put(object, withProperties(object)))) return
  byLevel.every((object) => object.level <= 2 || sheet.put(object, titleLine(object)))
}

function putFoveal(
  sheet: Sheet,
  visible: readonly MemoryObject[],
  foveal: MemoryObject,
  spare: number,
): void {
  sheet.put(foveal, titleLine(foveal))
  const text = inFull(foveal)
  if (!sheet.put(foveal, text, spare)) {
    const title = titleLine(foveal)
    const part = cut(text, sheet.left - spare + costOf(title))
    if (part.startsWith(`${title}\n`)) sheet.put(foveal, part, spare)
  }
  for (const object of visible) {
    const inside = object.begin >= foveal.begin && object.end <= foveal.end
    if (object.file !== foveal.file || !inside || object.level <= foveal.level) continue
    sheet.put(object, inFull(object), spare)
  }
}

function cut(text: string, budget: number): string {
  const mark = '\n[…]'
  let left = budget - costOf(mark)
  let end = 0
  while (end < text.length && left > 0) left -= costOfUnit(text, end++)
  const line = text.lastIndexOf('\n', end - 1)
  return text.slice(0, line > 0 ? line : end).toWellFormed() + mark
}

const relevantMax = 12
const wordsMax = 64

function ranked(objects: readonly MemoryObject[], question: string): MemoryObject[] {
  const found = question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  const words = [...new Set(found)].slice(0, wordsMax)
  if (words.length === 0) return []
  const texts = objects.map((object) => `${object.title}\n${object.content}`.toLowerCase())
  const scores = new Float64Array(objects.length)
  for (const word of words) {
    const holders = texts.flatMap((text, index) => (text.includes(word) ? [index] : []))
    const weight = Math.log(1 + objects.length / (1 + holders.length))
    for (const index of holders) scores[index]! += weight
  }
  return [...objects.keys()]
    .filter((index) => scores[index]! > 0)
    .sort((a, b) => scores[b]! - scores[a]!)
    .slice(0, relevantMax)
    .map((index) => objects[index]!)
}
