import type { MemoryObject, ObjectStore } from './store.ts'

/** What the context should be about. */
export interface ContextOptions {
  /** Words of the question; notes that contain them come in full. */
  question?: string
  /** The most tokens, at four characters each; 3,000 by default. */
  tokensMax?: number
}

const charactersPerToken = 4

/** A sparse Org outline of the store around the object `focus`, or of no place in particular. */
export function assembleContext(
  store: ObjectStore,
  focus: string | null,
  options: ContextOptions = {},
): string {
  const budget = (options.tokensMax ?? 3_000) * charactersPerToken
  const visible = [...store.objects()].filter((object) => !object.private)
  const full = fullNotes(store, visible, focus, options.question ?? '', budget * 0.75)
  const used = [...full.values()].reduce((sum, text) => sum + text.length + 1, 0)
  const shelves = visible.filter(({ id, level }) => level <= 2 && !full.has(id))
  const titles = withinBudget(shelves, budget - used)
  return visible.flatMap((object) => full.get(object.id) ?? titles.get(object.id) ?? []).join('\n')
}

function withinBudget(objects: readonly MemoryObject[], budget: number): Map<string, string> {
  const lines = new Map<string, string>()
  let left = budget
  for (const object of [...objects].sort((a, b) => a.level - b.level)) {
    const line = titleLine(object)
    left -= line.length + 1
    if (left < 0) break
    lines.set(object.id, line)
  }
  return lines
}

function titleLine(object: MemoryObject): string {
  if (object.type === 'file') return `# ${object.file}: ${oneLine(object.title)}`
  const words = ['*'.repeat(object.level), object.todo, oneLine(object.title)]
  return words.filter((word) => word !== null).join(' ')
}

function oneLine(title: string): string {
  return title.length > 120 ? `${title.slice(0, 119)}…` : title
}

function fullNotes(
  store: ObjectStore,
  visible: readonly MemoryObject[],
  focus: string | null,
  question: string,
  budget: number,
): Map<string, string> {
  const texts = new Map<string, string>()
  let left = budget
  for (const object of [...subtree(store, focus), ...ranked(visible, question)]) {
    if (texts.has(object.id) || object.private) continue
    const text = [titleLine(object), object.content.trim()].filter((part) => part !== '').join('\n')
    if (text.length + 1 > left) continue
    left -= text.length + 1
    texts.set(object.id, text)
  }
  return texts
}

function subtree(store: ObjectStore, id: string | null): MemoryObject[] {
  const object = id === null ? null : store.get(id)
  if (object === null) return []
  return [object, ...store.children(object.id).flatMap((child) => subtree(store, child.id))]
}

const relevantMax = 12

function ranked(objects: readonly MemoryObject[], question: string): MemoryObject[] {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
  if (words.size === 0) return []
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
