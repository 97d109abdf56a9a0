import { alignTags } from './edit-tags.ts'
import { Draft } from './edit.ts'
import { type EditSettings, inheritedProperty } from './edit-settings.ts'
import type { Headline, OrgData } from './nodes.ts'
import { ancestors, headlines, property, walk } from './query.ts'

/** The headlines above one task, while it changes. */
export class ParentLines {
  readonly #text: string
  readonly #tree: OrgData
  readonly #task: Headline
  readonly #settings: EditSettings
  readonly #drafts = new Map<Headline, Draft>()

  constructor(text: string, tree: OrgData, task: Headline, settings: EditSettings) {
    this.#text = text
    this.#tree = tree
    this.#task = task
    this.#settings = settings
  }

  /** Brings the cookies up to date for a task that has this keyword now. */
  update(keyword: string | null): void {
    const above = ancestors(this.#tree, this.#task).reverse()
    const [parent] = above
    if (parent === undefined) return
    const data = inheritedProperty(this.#tree, parent, 'COOKIE_DATA', this.#settings)
    const recursive = data.value !== null && /\brecursive\b/.test(data.value)
    const limit = data.at?.position.start.offset ?? 0
    for (const headline of recursive ? above : [parent]) {
      if (headline.position.start.offset < limit) return
      if (/\bcheckbox\b/i.test(property(headline, 'COOKIE_DATA') ?? '')) return
      this.#count(headline, recursive, keyword)
    }
  }

  /** What changed in all of them. */
  patches(): ReturnType<Draft['patches']> {
    return [...this.#drafts.values()].flatMap((draft) => draft.patches())
  }

#count(headline: Headline, recursive: boolean, keyword: string | null): void {
  const places = cookiePlaces(this.#text, headline)
  if (places.size === 0) return
  const { start } = headline.position
  let draft = this.#drafts.get(headline)
  if (draft === undefined) {
    draft = new Draft(this.#text, start.offset, lineEnd(this.#text, start.offset))
    this.#drafts.set(headline, draft)
  }
  const { all, done } = this.#tasksBelow(headline, recursive, keyword)
  for (const place of places) {
    const match = [...draft.text.matchAll(cookiePattern)][place]!
    const share = `[${Math.floor((100 * done) / Math.max(1, all))}%]`
    const next = match[0].endsWith('%]') ? share : `[${done}/${all}]`
    if (next === match[0]) continue
    draft.replace(match.index, match.index + match[0].length, next)
    alignTags(draft)
  }
}

#tasksBelow(headline: Headline, recursive: boolean, keyword: string | null): Count {
    const done = new Set(this.#settings.sequences.flatMap((sequence) => sequence.done))
    const count = { all: 0, done: 0 }
    for (const below of headlines(headline)) {
      if (!recursive && below.level !== this.#task.level) continue
      const word = below === this.#task ? keyword : below.todoKeyword
      if (word === null) continue
      count.all++
      if (done.has(word)) count.done++
    }
    return count
  }
}

interface Count {
  all: number
  done: number
}

const cookiePattern = /\[[0-9]*%\]|\[[0-9]*\/[0-9]*\]/g

function cookiePlaces(text: string, headline: Headline): Set<number> {
  const offsets = new Set<number>()
  for (const object of headline.title) {
    walk(object, (node) => {
      if (node.type === 'statistics-cookie') offsets.add(node.position.start.offset)
    })
  }
  const begin = headline.position.start.offset
  const places = new Set<number>()
  let place = 0
  for (const match of text.slice(begin, lineEnd(text, begin)).matchAll(cookiePattern)) {
    if (offsets.has(begin + match.index)) places.add(place)
    place++
  }
  return places
}

function lineEnd(text: string, begin: number): number {
  const newline = text.indexOf('\n', begin)
  if (newline === -1) return text.length
  return text[newline - 1] === '\r' ? newline - 1 : newline
}
